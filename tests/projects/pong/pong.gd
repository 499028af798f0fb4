# SPDX-License-Identifier: MIT
extends Node2D
@onready var player2: Area2D = $Player2
@rpc("any_peer", "call_local")
func update_score(add_to_left: int) -> void:
	pass
func _ready() -> void:
	if multiplayer.is_server():
		player2.set_multiplayer_authority(multiplayer.get_peers()[0])
	else:
		player2.set_multiplayer_authority(multiplayer.get_unique_id())
