# SPDX-License-Identifier: MIT
extends "mp.gd"
## Methods called in every way by a server and two clients. One client reconnects.

const Hero := preload("hero.gd")
const HeroNode := preload("mp/hero_node.gd")
const Shop := preload("mp/shop.gd")
const Values := preload("values.gd")
const World := preload("mp/world.gd")

const WORLD := "Main/World"
const ADA := "Main/Players/Ada"
const BO := "Main/Players/Bo"


func run(to_expected: Expected) -> void:
	await start(to_expected, 5030)
	open_server()
	await join("client")
	await join("client2")
	await _paths()
	await _kinds()
	await _relayed()
	await _raw()
	await _configured()
	await _refused()
	await _values()
	await _burst()
	await _again()
	await leave("client")


func build(name: String, branch: Node) -> void:
	var main := _scripted_child(branch, "Main")
	_scripted_child(main, "World", World)
	var players := _scripted_child(main, "Players")
	_scripted_child(players, "Ada", HeroNode)
	_scripted_child(players, "Bo", HeroNode)
	_scripted_child(main, "Shop", Shop)
	if name != "client2":
		_scripted_child(main, "Lobby", World)


## Calls by the path, and by its id after the receiver has confirmed the path.
func _paths() -> void:
	call_method("server", id("client"), WORLD, &"announce", ["Welcome", 2.5, false])
	call_method("server", id("client"), WORLD, &"announce", ["at once", 0.5, true]) # not confirmed yet
	await service()
	call_method("server", id("client"), WORLD, &"announce", ["by id", 0.0, false])
	await service()
	# Only one of the receivers has confirmed the path.
	call_method("server", 0, WORLD, &"announce", ["everybody", 3.0, true])
	await service()
	call_method("server", 0, WORLD, &"announce", ["everybody, by id", 3.0, true])
	await service()
	call_method("client", 1, WORLD, &"ready_up")
	await service()
	call_method("client", 1, WORLD, &"ready_up")
	call_method("client2", 1, WORLD, &"ready_up")
	await service()
	call_method("server", id("client"), ADA, &"take_damage", [5, "fall"])
	await service()
	call_method("server", 0, ADA, &"take_damage", [300, "dragon"])
	call_method("server", 0, BO, &"heal", [-70000])
	await service()
	call_method("server", 0, BO, &"heal", [5_000_000_000])
	call_method("server", 0, ADA, &"jump") # locally too
	await service()


## Uses all transfer modes and channels, in both directions.
func _kinds() -> void:
	for from: String in ["client", "server"]:
		var to := 1 if from == "client" else id("client")
		for i in 2:
			call_method(from, to, WORLD, &"move", [Vector2(10.5, -3), Vector2(i, 0)])
			await service()
			call_method(from, to, WORLD, &"aim", [0.25 * i])
			await service()
			call_method(from, to, WORLD, &"trade", [{"item": "sword", "count": 1 + i}, 40])
			await service()
			call_method(from, to, WORLD, &"voice", [_bytes(20 + i)])
			await service()
			call_method(from, to, WORLD, &"look", [Vector3(0, 1, i)])
			await service()
		call_method(from, to, WORLD, &"blob", [_bytes(7)])
		await service()
		call_method(from, to, WORLD, &"blob", [PackedByteArray()])
		await service()
		call_method(from, to, WORLD, &"blob", [var_to_bytes({"hp": 87, "name": "Ada"})])
		await service()
		call_method(from, to, WORLD, &"voice", [_bytes(2000)]) # in fragments, unreliable
		await service()
		call_method(from, to, WORLD, &"blob", [_bytes(3000)]) # in fragments
		await service()


## Calls from client to client, relayed by the server.
func _relayed() -> void:
	call_method("client", id("client2"), ADA, &"equip", ["shield"])
	await service()
	call_method("client", id("client2"), ADA, &"equip", ["shield, by id"])
	await service()
	call_method("client2", 0, WORLD, &"chat", ["Hello! 👋"])
	await service()
	call_method("client2", 0, WORLD, &"chat", ["by id"])
	await service()
	call_method("client2", -1, WORLD, &"chat", ["not for the server"])
	await service()
	call_method("client", -id("client2"), WORLD, &"chat", ["only for the server"])
	await service()
	call_method("server", -id("client2"), WORLD, &"chat", ["not for client2"])
	await service()
	call_method("client", id("client2"), WORLD, &"move", [Vector2(1, 2), Vector2(3, 4)])
	await service()
	call_method("client", id("client2"), WORLD, &"voice", [_bytes(9)])
	await service()
	call_method("client2", id("client"), BO, &"jump")
	await service()
	call_method("client2", id("client"), WORLD, &"blob", [_bytes(1500)])
	await service()


## send_bytes(): to one peer, to all peers, to all peers except one.
func _raw() -> void:
	send_raw("server", id("client"), "ping!".to_utf8_buffer())
	await service()
	send_raw("client", 1, PackedByteArray([0, 1, 2, 3, 255]), MultiplayerPeer.TRANSFER_MODE_UNRELIABLE, 2)
	await service()
	send_raw("client", 1, var_to_bytes({"cmd": "stats", "fps": 60, "pos": Vector2(8, 4)}))
	await service()
	send_raw("server", 0, var_to_bytes([1, 2, 3]))
	await service()
	send_raw("server", -id("client"), "all but client".to_utf8_buffer())
	await service()
	send_raw("client", id("client2"), "to client2".to_utf8_buffer())
	await service()
	send_raw("client2", 0, "to all".to_utf8_buffer(), MultiplayerPeer.TRANSFER_MODE_UNRELIABLE_ORDERED)
	await service()
	send_raw("client2", -1, "to all but the server".to_utf8_buffer())
	await service()
	send_raw("client2", -id("client"), var_to_bytes("to all but client"))
	await service()
	send_raw("client2", 1, PackedByteArray([3])) # a single byte
	await service()


func _configured() -> void:
	for i in 2:
		call_method("client", 1, "Main/Shop", &"restock")
		await service()
		call_method("client", 1, "Main/Shop", &"sell", ["sword", 2])
		await service()
		call_method("client", 1, "Main/Shop", &"buy", ["shield", 1]) # the script's and the node's
		await service()
		call_method("client", 1, "Main/Shop", &"open")
		await service()
		call_method("client", 1, "Main/Shop", &"browse", [i])
		await service()


## Calls that arrive but are rejected.
func _refused() -> void:
	call_method("client", 1, WORLD, &"announce", ["I am not the server", 1.0, false]) # only the authority may
	await service()
	for i in 2: # client2 has no such node and never confirms it
		call_method("server", id("client2"), "Main/Lobby", &"chat", ["is anybody there?"])
		await service()
	call_method("server", id("client"), "Main/Lobby", &"chat", ["you are"])
	await service()


func _values() -> void:
	var values := Values.new()
	var references := values.references()
	var freed: Variant = references.pop_at(4)
	for group: Array in [values.scalars(), values.texts(), values.math(), references, values.containers(), values.packed()]:
		call_method("client", 1, WORLD, &"everything", group)
		await service()
	call_method("client", 1, WORLD, &"everything", [7, freed]) # which the engine does not write well
	await service()
	call_method("server", id("client"), WORLD, &"everything", values.scalars() + values.math())
	await service()
	call_method("server", id("client"), WORLD, &"everything", range(255)) # as many as there can be
	await service()
	for name: String in apis:
		apis[name].allow_object_decoding = true
	call_method("client", 1, WORLD, &"everything", [Hero.new(), 7])
	await service()
	for name: String in apis:
		apis[name].allow_object_decoding = false


## Several calls in a datagram.
func _burst() -> void:
	for i in 4:
		call_method("client", 1, WORLD, &"chat", ["Line %d" % i])
		call_method("client", 1, WORLD, &"aim", [-0.5 * i])
		call_method("client", 1, WORLD, &"move", [Vector2(i, i), Vector2.ZERO])
		call_method("client", 0, WORLD, &"trade", [{"item": "map"}, i])
		call_method("server", 0, WORLD, &"look", [Vector3(i, 0, 0)])
		send_raw("client", 1, PackedByteArray([i]))
	await service()


## client2 reconnects as another peer. It knows no path ids, and no peer knows its path ids.
func _again() -> void:
	await leave("client2")
	call_method("client", 1, WORLD, &"chat", ["Where is Bo?"])
	await service()
	await join("client2")
	for i in 2:
		call_method("client2", 0, WORLD, &"chat", ["Here I am again"])
		await service()
		call_method("server", 0, WORLD, &"announce", ["Bo is back", 1.0, false])
		await service()
	# If a node leaves the tree and enters it again, it counts as another node.
	var players := node("server", "Main/Players")
	var bo := players.get_node("Bo")
	players.remove_child(bo)
	players.add_child(bo)
	await service()
	for i in 2:
		call_method("server", 0, BO, &"heal", [i])
		await service()
	expected.event("disconnect_peer", [1, id("client2")])
	apis.server.disconnect_peer(id("client2"))
	await until(func() -> bool: return _is_over("client2"))
	await service()


func _bytes(count: int) -> PackedByteArray:
	var bytes := PackedByteArray()
	for i in count:
		bytes.append(i * 7 % 256)
	return bytes
