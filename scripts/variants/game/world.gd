# SPDX-License-Identifier: MIT
extends Node


@rpc("any_peer", "call_remote", "reliable")
func take_damage(_amount: int, _by: String = "") -> void:
	pass


@rpc("any_peer", "call_remote", "reliable")
func score(_points: Array[int]) -> void:
	pass


@rpc("any_peer", "call_remote", "reliable")
func follow(_who: Node) -> void:
	pass


@rpc("authority", "call_remote", "reliable")
func announce(text: String) -> void:
	set_meta("announced", text)


@rpc("any_peer", "call_remote", "reliable", 3)
func whisper(_text: String) -> void:
	pass
