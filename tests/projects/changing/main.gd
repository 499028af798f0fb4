extends Node


func _on_host_pressed() -> void:
	var peer := ENetMultiplayerPeer.new()
	peer.create_server(7654)
	begin(peer)


func _on_join_pressed() -> void:
	var peer := ENetMultiplayerPeer.new()
	peer.create_client("127.0.0.1", 7654)
	begin(peer)


func begin(peer: MultiplayerPeer) -> void:
	multiplayer.multiplayer_peer = peer
	for child in get_children():
		if child.has_method("start"):
			child.start()
