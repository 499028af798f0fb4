# SPDX-License-Identifier: MIT
extends Node

const PORT := 5050


func host() -> void:
	var peer := ENetMultiplayerPeer.new()
	peer.create_server(PORT)
	multiplayer.multiplayer_peer = peer
	multiplayer.peer_connected.connect(_spawn_player)


func _spawn_player(id: int) -> void:
	var player: Player = preload("res://players/player.tscn").instantiate()
	player.name = "P%d" % id
	$Players.add_child(player)
