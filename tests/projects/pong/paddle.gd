# SPDX-License-Identifier: MIT
extends Area2D
@rpc("unreliable")
func set_pos_and_motion(pos: Vector2, motion: float) -> void:
	pass
