# SPDX-License-Identifier: MIT
extends "mp.gd"
# A short game over WebSockets.

const WorldNode := preload("mp/world.gd")

const WORLD := "Main/World"


func run(to_expected) -> void:
	start(to_expected, 5040, true)
	open_server()
	join("client")
	join("client2")
	for i in 2:
		call_method("rpc", "server", 0, WORLD, "announce", ["Welcome", 2.5, false])
		service()
		call_method("rpc_id", "client", 1, WORLD, "ready_up")
		service()
		call_method("rpc", "client2", 0, WORLD, "chat", ["Hello! 👋"]) # to client by relay
		service()
		call_method("rpc_unreliable_id", "client", 1, WORLD, "move", [Vector2(10.5, -3), Vector2(i, 0)])
		service()
		set_property("rset", "server", 0, WORLD, "weather", "rain 🌧")
		service()
		call_method("rpc_id", "client", id("client2"), WORLD, "chat", ["only for you"])
		service()
	call_method("rpc_id", "server", id("client2"), WORLD, "blob", [PoolByteArray(range(3000))]) # over several segments
	service()
	send_raw("server", 0, "ping!".to_utf8())
	service()
	send_raw("client", id("client2"), var2bytes({"cmd": "stats", "fps": 60}))
	service()
	send_raw("client2", -1, "to all but the server".to_utf8())
	service()
	leave("client2")
	leave("client")


func build(_name: String, branch: Node) -> void:
	var main := Node.new()
	main.name = "Main"
	branch.add_child(main)
	var world := WorldNode.new()
	world.name = "World"
	main.add_child(world)
