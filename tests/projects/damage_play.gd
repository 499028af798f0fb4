# SPDX-License-Identifier: MIT
extends SceneTree
## Plays a copy of tests/projects/damage that includes this script: as "server" or "client". Prints each call before it is made.

const PORT := 5079

var main: Node


func _initialize() -> void:
	var peer := ENetMultiplayerPeer.new()
	var is_server := OS.get_cmdline_user_args()[0] == "server"
	if is_server:
		peer.create_server(PORT)
	else:
		peer.create_client("127.0.0.1", PORT)
	main = load("res://main.tscn").instantiate()
	root.add_child(main)
	await process_frame
	main.multiplayer.multiplayer_peer = peer
	if is_server:
		await main.multiplayer.peer_connected
		await main.multiplayer.peer_disconnected
	else:
		await main.multiplayer.connected_to_server
		for call: Array in [
				["take_damage", 5, "fall"], ["take_damage", 5], ["take_damage", 5, "fall", true, 7],
				["take_damage", "five", "fall"], ["take_damage", 5.0, &"fall"], ["take_damage", 5, null],
				["heal"], ["heal", 1], ["heal", 1, 2], ["heal", 1, 2, 3],
				["feel", 1, Vector2i(3, 4)], ["feel", 1, Vector2(3, 4), [], 8, 9], ["feel", 1, Vector3(3, 4, 5)],
				["feel", Vector2(3, 4), 1], ["feel", 1]]:
			main.get_node("Hero").rpc_id.callv([1, call[0]] + call.slice(1))
			await create_timer(0.05).timeout
		main.multiplayer.multiplayer_peer.close()
	await create_timer(0.2).timeout
	quit()
