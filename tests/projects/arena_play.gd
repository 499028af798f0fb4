# SPDX-License-Identifier: MIT
extends SceneTree
## Plays a match in a copy of tests/projects/arena that includes this script: as "server" or "client".
##
## The values of each property are unique, so that a value in the capture identifies its property:
## hp 100 to 200, title "Sir ...", weather "sky ...", Gun:rotation 1 to 2, seconds from 1000 on.

var main: Node
var expected: FileAccess


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	expected = FileAccess.open(arguments[1], FileAccess.WRITE)
	main = load("res://main.tscn").instantiate()
	root.add_child(main)
	await process_frame
	if arguments[0] == "server":
		_serve()
	else:
		_join()


func _serve() -> void:
	main.host()
	var id: int = await main.multiplayer.peer_connected
	await _wait(0.3)
	var player: Node2D = main.get_node("Players/P%d" % id)
	player.title = "Sir P"
	_call(0, "World", &"announce", ["Welcome"])
	var boss: Node2D = load("res://players/boss.tscn").instantiate()
	boss.name = "Ogre"
	boss.title = "Sir Ogre"
	main.get_node("Players").add_child(boss)
	await _wait(0.2)
	for i in 4:
		player.position = Vector2(i + 0.5, -3)
		player.hp = 150 - i
		player.get_node("Gun").rotation = 1.0 + i / 8.0
		boss.modulate = Color(0.5, 0.25, i / 4.0)
		boss.hp = 200 - i
		main.get_node("Clock").seconds = 1000.0 + i
		main.get_node("Clock").weather = "sky %d" % i
		await _wait(0.1)
	_call(id, "World", &"take_damage", [5, "fall"])
	_call(0, "Players/Ogre", &"roar")
	_call(0, "Players/Ogre", &"jump")
	await _wait(0.2)
	_call(id, "World", &"take_damage", [7, "ogre"])
	_call(0, "Players/Ogre", &"roar")
	_call(0, "World", &"blob", [_command()])
	await _wait(0.3)
	_call(0, "Players/Ogre", &"die")
	await main.multiplayer.peer_disconnected
	await _wait(0.2)
	_end()


func _join() -> void:
	var peer := ENetMultiplayerPeer.new()
	peer.create_client("127.0.0.1", main.PORT)
	main.multiplayer.multiplayer_peer = peer
	await main.multiplayer.connected_to_server
	await _wait(0.4)
	var me := "Players/P%d" % main.multiplayer.get_unique_id()
	for i in 4:
		main.get_node(me + "/Input").direction = Vector2(i, 77)
		main.get_node(me + "/Input").firing = i % 2 == 0
		await _wait(0.1)
	for i in 2:
		_call(1, "World", &"take_damage", [i, "trap"])
		_call(1, "World", &"chat", ["Line %d" % i])
		_call(1, "World", &"aim", [Vector2(i, 1)])
		_call(1, "World", &"noargs")
		_call(1, "/root/Chat", &"say", ["Hello %d" % i])
		_call(1, me, &"jump")
		_call(1, "World", &"blob", [_command()])
		await _wait(0.2)
	_call(1, me, &"die") # only the server may call it
	await _wait(0.5)
	main.multiplayer.multiplayer_peer.close()
	await _wait(0.1)
	_end()


## A custom payload: its kind, the player, the amount.
func _command() -> PackedByteArray:
	var buffer := StreamPeerBuffer.new()
	buffer.put_u8(2)
	buffer.put_utf8_string("Ogre")
	buffer.put_float(0.75)
	return buffer.data_array


func _call(to: int, path: String, method: StringName, arguments := []) -> void:
	var node := main.get_node(path)
	var shown := str(root.get_path_to(node))
	expected.store_line("\t".join(["call", str(main.multiplayer.get_unique_id()), str(to), shown, method]))
	expected.flush()
	node.rpc_id.callv([to, method] + arguments)


func _wait(seconds: float) -> void:
	await create_timer(seconds).timeout


func _end() -> void:
	expected.close()
	quit()
