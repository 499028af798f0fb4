# SPDX-License-Identifier: MIT
extends MultiplayerSpawner


func _init() -> void:
	spawn_function = _make


func _make(id: int) -> Node:
	var player: Node = preload("res://player.tscn").instantiate()
	player.name = str(id)
	return player
