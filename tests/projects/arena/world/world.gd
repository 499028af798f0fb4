# SPDX-License-Identifier: MIT
class_name World
extends Node


@rpc("any_peer", "unreliable_ordered")
func aim(_direction: Vector2) -> void:
	pass


@rpc("authority", "call_local", "reliable")
func announce(_text: String) -> void:
	pass


@rpc("any_peer", "reliable")
func blob(_bytes: PackedByteArray) -> void:
	pass


@rpc("any_peer", "call_local", "reliable", 2)
func chat(_text: String) -> void:
	pass


@rpc("any_peer")
func noargs() -> void:
	pass


@rpc("any_peer", "reliable")
func take_damage(_amount: int, _cause: String) -> void:
	pass
