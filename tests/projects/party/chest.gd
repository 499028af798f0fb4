# SPDX-License-Identifier: MIT
extends Node

@export var gold := 0
