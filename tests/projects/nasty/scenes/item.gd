# SPDX-License-Identifier: MIT
extends Node2D
var hp := 1
var ammo := 2
@rpc("any_peer") func take(): pass
