# SPDX-License-Identifier: MIT
extends SceneTree
## Plays a match in a copy of tests/projects/crowd that includes this script: as "server" or "client".
##
## Each value identifies its property: position.y 44, scale.y 2.5, rotation 1 to 1.5, skew 0.25, fuel 100 on, steam
## 0.5, coal 700 on; a guest's client sends the same of its own guest.

const PORT := 5081

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
	current_scene = main
	await process_frame
	main.multiplayer.multiplayer_peer = peer
	main.get_node("Flag").name = "Pennant"
	var net := root.get_node("Net")
	var id := 0
	if is_server:
		id = await main.multiplayer.peer_connected
	else:
		await main.multiplayer.connected_to_server
		id = main.multiplayer.get_unique_id()
	net.welcome(1)
	net.welcome(id)
	for title in ["Ann", "Bob"]:
		main.get_node("Level/Crew").hire(title)
	main.lay_egg()
	main.find_nut()
	await _wait(0.3)
	if is_server:
		await _serve(net, id)
	else:
		await _join(id)
	await _wait(0.2)
	quit()


func _serve(net: Node, id: int) -> void:
	net.throw_ball()
	main.get_node("Level").load_cask()
	main.get_node("Birds").spawn(Vector2(7, 44))
	main.get_node("Twice").shout.rpc_id(id, "Ahoy")
	main.get_node("Twice").whisper.rpc_id(id, "psst")
	main.get_node("Twice").zig.rpc_id(id, Vector2(3, 44))
	main.get_node("Twice").hush.rpc_id(id, 1.5)
	for i in 4:
		_move(main.get_node("1"), i)
		for path in ["Level/Players/Ann", "Level/Players/Bob", "Level/Balls/Ball", "Level/Hold/Cask", "Pennant", "Twice"]:
			_move(main.get_node(path), i)
		for path in ["Level/Nest/Egg", "Nut", "Rudder", "Level/Bird", "Twice/Arm"]:
			main.get_node(path).rotation = 1.0 + i / 10.0
		main.get_node("Level/Bird").position = Vector2(i, 44)
		main.get_node("Rudder/Blade").position = Vector2(i, 44)
		main.get_node("Level/Nest/Egg").skew = 0.25
		main.get_node("Nut").skew = 0.25
		main.get_node("Twice").fuel = 100 + i
		main.get_node("Engine").steam = 0.5
		main.get_node("Engine").coal = 700 + i
		await _wait(0.1)
	await main.multiplayer.peer_disconnected


func _join(id: int) -> void:
	await _wait(0.2)
	for i in 3:
		_move(main.get_node(str(id)), i)
		await _wait(0.1)
	await _wait(0.4)
	main.multiplayer.multiplayer_peer.close()


func _move(node: Node2D, i: int) -> void:
	node.position = Vector2(i, 44)
	node.scale = Vector2(1.0 + i / 8.0, 2.5)


func _wait(seconds: float) -> void:
	await create_timer(seconds).timeout
