# SPDX-License-Identifier: MIT
extends Area2D
@rpc("any_peer", "call_local")
func bounce(left: bool, random: float) -> void:
	pass
@rpc("any_peer", "call_local")
func stop() -> void:
	pass
@rpc("any_peer", "call_local")
func _reset_ball(for_left: float) -> void:
	pass
