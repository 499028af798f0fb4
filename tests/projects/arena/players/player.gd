# SPDX-License-Identifier: MIT
class_name Player
extends Node2D

@export var title := ""
@export var hp := 100


@rpc("authority", "call_local", "reliable")
func die() -> void:
	queue_free()


@rpc("any_peer")
func jump() -> void:
	pass
