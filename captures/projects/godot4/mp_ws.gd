# SPDX-License-Identifier: MIT
extends "mp.gd"
## A short game over WebSockets.

const Turret := preload("mp/turret.gd")
const World := preload("mp/world.gd")

const WORLD := "Main/World"


func run(to_expected: Expected) -> void:
	await play(to_expected, 5040)


func play(to_expected: Expected, port: int) -> void:
	await start(to_expected, port, true)
	open_server()
	await join("client")
	await join("client2")
	for i in 2:
		call_method("server", 0, WORLD, &"announce", ["Welcome", 2.5, false])
		await service()
		call_method("client", 1, WORLD, &"ready_up")
		await service()
		call_method("client2", 0, WORLD, &"chat", ["Hello! 👋"]) # to client by relay
		await service()
		call_method("client", 1, WORLD, &"move", [Vector2(10.5, -3), Vector2(i, 0)])
		await service()
	call_method("client", 1, WORLD, &"blob", [PackedByteArray([1, 2, 3])])
	await service()
	var bytes := PackedByteArray()
	bytes.resize(3000) # over several segments
	call_method("server", id("client2"), WORLD, &"blob", [bytes])
	await service()
	send_raw("server", 0, "ping!".to_utf8_buffer())
	await service()
	send_raw("client", id("client2"), var_to_bytes({"cmd": "stats", "fps": 60}))
	await service()
	expected.spawn("spawn", 1, WORLD + "/Coin", "Main/Spawner", "custom", "Coin")
	node("server", "Main/Spawner").spawn("Coin")
	await run_for(150)
	expected.event("despawn", [1, WORLD + "/Coin"])
	node("server", WORLD + "/Coin").free()
	await service()
	await leave("client2")
	await leave("client")


func build(_name: String, branch: Node) -> void:
	var main := _child(branch, Node.new(), "Main")
	_child(main, World.new(), "World")
	var spawner := MultiplayerSpawner.new()
	spawner.spawn_path = ^"../World"
	spawner.spawn_function = _make_item
	spawner.spawned.connect(func(spawned: Node) -> void:
		expected.event("spawned", [spawner.multiplayer.get_unique_id(), "%s/%s" % [WORLD, spawned.name], path_of(spawner), "custom"]))
	spawner.despawned.connect(func(despawned: Node) -> void:
		expected.event("despawned", [spawner.multiplayer.get_unique_id(), "%s/%s" % [WORLD, despawned.name], path_of(spawner), "custom"]))
	_child(main, spawner, "Spawner")


func _make_item(data: String) -> Node:
	var item := Turret.new()
	item.name = data
	var config := SceneReplicationConfig.new()
	config.add_property(^".:angle")
	var synchronizer := MultiplayerSynchronizer.new()
	synchronizer.replication_interval = 0.1
	synchronizer.replication_config = config
	_child(item, synchronizer, "Sync")
	return item


func _child(parent: Node, child: Node, name: String) -> Node:
	child.name = name
	parent.add_child(child)
	return child
