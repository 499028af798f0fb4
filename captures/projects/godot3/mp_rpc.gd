# SPDX-License-Identifier: MIT
extends "mp.gd"
# Methods called and properties set in every way by a server and two clients. One client reconnects.

const HeroNode := preload("mp/hero_node.gd")
const Values := preload("values.gd")
const WorldNode := preload("mp/world.gd")

const WORLD := "Main/World"
const ADA := "Main/Players/Ada"
const BO := "Main/Players/Bo"


func run(to_expected) -> void:
	start(to_expected, 5030)
	open_server()
	join("client")
	join("client2")
	_paths()
	_kinds()
	_properties()
	_relayed()
	_raw()
	_refused()
	_values()
	_burst()
	_again()
	leave("client")


func build(name: String, branch: Node) -> void:
	var main := _child(branch, Node.new(), "Main")
	_child(main, WorldNode.new(), "World")
	var players := _child(main, Node.new(), "Players")
	_child(players, HeroNode.new(), "Ada")
	_child(players, HeroNode.new(), "Bo")
	if name != "client2":
		_child(main, WorldNode.new(), "Lobby")


func _child(parent: Node, child: Node, name: String) -> Node:
	child.name = name
	parent.add_child(child)
	return child


# Calls by the path, and by its id after the receiver has confirmed the path.
func _paths() -> void:
	call_method("rpc_id", "server", id("client"), WORLD, "announce", ["Welcome", 2.5, false])
	call_method("rpc_id", "server", id("client"), WORLD, "announce", ["at once", 0.5, true]) # not confirmed yet
	service()
	call_method("rpc_id", "server", id("client"), WORLD, "announce", ["by id", 0.0, false])
	service()
	# Only one of the receivers has confirmed the path.
	for i in 2:
		call_method("rpc", "server", 0, WORLD, "announce", ["everybody", 3.0, i == 1])
		service()
	for i in 2:
		call_method("rpc_id", "client", 1, WORLD, "ready_up")
		service()
	call_method("rpc_id", "client2", 1, WORLD, "ready_up")
	service()
	for amount in [5, 300, 5000000000]:
		call_method("rpc", "server", 0, ADA, "take_damage", [amount, "fall"])
		service()
	call_method("rpc", "server", 0, ADA, "jump") # locally too
	service()


func _kinds() -> void:
	for from in ["client", "server"]:
		var to: int = 1 if from == "client" else id("client")
		call_method("rpc_unreliable_id", from, to, WORLD, "move", [Vector2(10.5, -3), Vector2(1, 0)])
		service()
		call_method("rpc_unreliable", from, 0, WORLD, "move", [Vector2(10.5, -3), Vector2(2, 0)])
		service()
		call_method("rpc_id", from, to, WORLD, "blob", [_bytes(7)])
		service()
		call_method("rpc_id", from, to, WORLD, "blob", [PoolByteArray()])
		service()
		call_method("rpc_id", from, to, WORLD, "blob", [var2bytes({"hp": 87, "name": "Ada"})])
		service()
		call_method("rpc_unreliable_id", from, to, WORLD, "blob", [_bytes(2000)]) # in fragments, unreliable
		service()
		call_method("rpc_id", from, to, WORLD, "blob", [_bytes(3000)]) # in fragments
		service()
		call_method("rpc_id", from, to, WORLD, "configured", [3])
		service()
	call_method("rpc_id", "client", 1, WORLD, "ask", ["may I?"])
	service()


func _properties() -> void:
	for i in 2:
		set_property("rset_id", "client", 1, WORLD, "target", 77 + i)
		service()
		set_property("rset", "server", 0, WORLD, "weather", "rain 🌧")
		service()
		set_property("rset", "client", 0, WORLD, "score", {"Ada": 3, "Bo": i})
		service()
		set_property("rset_unreliable", "server", 0, ADA, "hp", 87 - i)
		service()
		set_property("rset_unreliable_id", "client2", 1, BO, "hp", 55)
		service()
		set_property("rset_id", "client2", id("client"), BO, "hp", 54)
		service()
		set_property("rset_id", "server", id("client2"), WORLD, "speed", 1.5)
		service()


# Calls from client to client, relayed by the server.
func _relayed() -> void:
	for i in 2:
		call_method("rpc_id", "client", id("client2"), BO, "take_damage", [5 + i, "arrow"])
		service()
		call_method("rpc", "client2", 0, WORLD, "chat", ["Hello! 👋"])
		service()
		call_method("rpc_id", "client2", -1, WORLD, "chat", ["not for the server"])
		service()
		call_method("rpc_id", "client", -id("client2"), WORLD, "chat", ["only for the server"])
		service()
		call_method("rpc_id", "server", -id("client2"), WORLD, "chat", ["not for client2"])
		service()
		call_method("rpc_unreliable_id", "client", id("client2"), WORLD, "move", [Vector2(1, 2), Vector2(3, 4)])
		service()
		call_method("rpc_id", "client2", id("client"), BO, "jump")
		service()
	call_method("rpc_id", "client2", id("client"), WORLD, "blob", [_bytes(1500)])
	service()


# send_bytes(): to one peer, to all peers, to all peers except one.
func _raw() -> void:
	send_raw("server", id("client"), "ping!".to_utf8())
	service()
	send_raw("client", 1, PoolByteArray([0, 1, 2, 3, 255]), NetworkedMultiplayerPeer.TRANSFER_MODE_UNRELIABLE)
	service()
	send_raw("client", 1, var2bytes({"cmd": "stats", "fps": 60, "pos": Vector2(8, 4)}))
	service()
	send_raw("server", 0, var2bytes([1, 2, 3]))
	service()
	send_raw("server", -id("client"), "all but client".to_utf8())
	service()
	send_raw("client", id("client2"), "to client2".to_utf8())
	service()
	send_raw("client2", 0, "to all".to_utf8(), NetworkedMultiplayerPeer.TRANSFER_MODE_UNRELIABLE_ORDERED)
	service()
	send_raw("client2", -1, "to all but the server".to_utf8())
	service()
	send_raw("client2", -id("client"), var2bytes("to all but client"))
	service()


# Calls that arrive but are rejected.
func _refused() -> void:
	call_method("rpc_id", "client", 1, WORLD, "announce", ["I am not the server", 1.0, false]) # only the master may
	service()
	for i in 2: # client2 has no such node and never confirms it
		call_method("rpc_id", "server", id("client2"), "Main/Lobby", "chat", ["is anybody there?"])
		service()
	call_method("rpc_id", "server", id("client"), "Main/Lobby", "chat", ["you are"])
	service()


func _values() -> void:
	var arguments := []
	for value in Values.new().all() + [null]:
		arguments.append(value)
		if arguments.size() == 5:
			call_method("rpc_id", "client", 1, WORLD, "everything", arguments)
			service(4)
			arguments = []


# Several calls at once.
func _burst() -> void:
	for i in 3:
		call_method("rpc_id", "client", 1, WORLD, "chat", ["Line %d" % i])
		call_method("rpc_unreliable", "client", 0, WORLD, "move", [Vector2(i, i), Vector2.ZERO])
		call_method("rpc", "server", 0, WORLD, "chat", ["Answer %d" % i])
		set_property("rset", "server", 0, WORLD, "target", i)
		send_raw("client", 1, PoolByteArray([i]))
	service()


# client2 reconnects as another peer. It knows no path ids, and no peer knows its path ids.
func _again() -> void:
	leave("client2")
	call_method("rpc_id", "client", 1, WORLD, "chat", ["Where is Bo?"])
	service()
	join("client2")
	for i in 2:
		call_method("rpc", "client2", 0, WORLD, "chat", ["Here I am again"])
		service()
		call_method("rpc", "server", 0, WORLD, "announce", ["Bo is back", 1.0, false])
		service()
	throw_out("client2")


func _bytes(count: int) -> PoolByteArray:
	var bytes := PoolByteArray()
	for i in count:
		bytes.append(i * 7 % 256)
	return bytes
