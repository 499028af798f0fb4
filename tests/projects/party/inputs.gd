# SPDX-License-Identifier: MIT
extends Node

@export var motion := Vector2i()
@export var bombing := false
