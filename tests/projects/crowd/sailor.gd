# SPDX-License-Identifier: MIT
extends Node2D

@export var title := "nobody"
