# SPDX-License-Identifier: MIT
extends "mp.gd"
## Nodes spawned and synchronised: players by scene, items by a function, the
## level's clock by its path.

const Clock := preload("mp/clock.gd")
const FlagScene := preload("mp/flag.tscn")
const PlayerScene := preload("mp/player.tscn")
const Turret := preload("mp/turret.gd")

const SCENES := ["res://mp/flag.tscn", "res://mp/player.tscn"]
const PLAYERS_SPAWNER := "Main/PlayerSpawner"
const ITEMS_SPAWNER := "Main/World/ItemSpawner"
const BULLETS_SPAWNER := "Main/BulletSpawner"
const CLOCK := "Main/World/Clock"


func run(to_expected: Expected) -> void:
	await start(to_expected, 5033)
	open_server()
	await join("client")
	_spawn_scene("Main/Players", PlayerScene, str(id("client")), {"title": "Ada", "position": Vector2(8, 4)})
	await run_for(150)
	await join("client2") # to whom all is spawned that there is
	_spawn_scene("Main/Players", PlayerScene, str(id("client2")), {"title": "Bo", "position": Vector2(-1.5, 0.25)})
	await run_for(150)
	await _states()
	await _items()
	await _visibility()
	await _large()
	await _despawn()
	await _bullets() # at the end: when a client frees what it has spawned, it forgets nodes of the server's with the same ids
	await leave("client2")
	await run_for(120)
	await leave("client")


func build(_name: String, branch: Node) -> void:
	var main := _child(branch, Node.new(), "Main")
	_child(main, Node.new(), "Players")
	_child(main, Node.new(), "Bullets")
	var world := _child(main, Node.new(), "World")
	_child(world, Node.new(), "Items")
	_add_spawner(main, "PlayerSpawner", "../Players")
	_add_spawner(world, "ItemSpawner", "../Items").spawn_function = _make_item
	_add_spawner(main, "BulletSpawner", "../Bullets").spawn_function = _make_bullet

	var clock := _child(world, Clock.new(), "Clock")
	_child(clock, _synchronizer(0.2, {"seconds": SceneReplicationConfig.REPLICATION_MODE_ALWAYS,
			"weather": SceneReplicationConfig.REPLICATION_MODE_ON_CHANGE}), "Sync")
	_child(clock, _synchronizer(0.3, {"map": SceneReplicationConfig.REPLICATION_MODE_ALWAYS}), "MapSync")
	clock.get_node("MapSync").set_visibility_for(0, false)


func _states() -> void:
	var ada := node("server", "Main/Players/%d" % id("client"))
	var bo := node("server", "Main/Players/%d" % id("client2"))
	ada.hp = 87
	await run_for(60)
	ada.hp = 80
	bo.hp = 3_000_000_000
	bo.weapon = &"sword"
	await run_for(60)
	bo.weapon = &"bow"
	bo.armour = 0.75
	ada.get_node("Turret").angle = -0.5
	node("server", CLOCK).weather = "rain 🌧"
	for i in 4:
		ada.position += Vector2(1, 0.5)
		node("server", CLOCK).seconds += 0.2
		for name: String in ["client", "client2"]: # each in its own branch: the input is its own
			node(name, "Main/Players/%d" % id(name)).direction = Vector2(i, -1)
			node(name, "Main/Players/%d" % id(name)).firing = i % 2 == 1
		await run_for(100)


## Spawns by spawn_function, with data of several types.
func _items() -> void:
	for data: Variant in [{"name": "Coin", "value": 5, "pos": Vector2(3, 4)}, "Gem", 7, null, ["Chest", 2, true]]:
		_spawn_item(data)
		await service()
	_spawn_scene("Main/Players", FlagScene, "RedFlag")
	await service()
	node("server", "Main/World/Items/Gem").angle = 1.25
	await run_for(150)


## A client has authority over these nodes. It spawns them on the server and, by relay, on the other client.
func _bullets() -> void:
	for name: String in apis:
		node(name, BULLETS_SPAWNER).set_multiplayer_authority(id("client"))
	for i in 2:
		var data := [i, Vector2(i, 2.5)]
		expected.spawn("spawn", id("client"), "Main/Bullets/Bullet%d" % i, BULLETS_SPAWNER, "custom", data)
		node("client", BULLETS_SPAWNER).spawn(data)
		await service()
	node("client", "Main/Bullets/Bullet1").angle = 0.75
	await run_for(150)
	for i in 2:
		expected.event("despawn", [id("client"), "Main/Bullets/Bullet%d" % i])
		node("client", "Main/Bullets/Bullet%d" % i).free()
		await service()


## What a peer may not see is despawned there, and spawned again later; it sees
## a node as long as it sees one of its synchronizers.
func _visibility() -> void:
	var ada := "Main/Players/%d" % id("client")
	for synchronizer: String in ["State", "Gear"]:
		_set_visible("%s/%s" % [ada, synchronizer], 0, false)
		_set_visible("%s/%s" % [ada, synchronizer], id("client"), true)
		await run_for(150)
	node("server", ada).hp = 55
	await run_for(60)
	_set_visible(ada + "/State", id("client2"), true)
	await run_for(150)
	_set_visible(ada + "/Gear", id("client2"), true)
	await run_for(150)
	# The clock belongs to the level. If it is hidden, only its synchronization stops.
	_set_visible(CLOCK + "/Sync", 0, false)
	await run_for(250)
	node("server", CLOCK).weather = "snow"
	_set_visible(CLOCK + "/Sync", id("client"), true)
	await run_for(250)


## More than the 1350 bytes that the engine puts into a packet by default.
func _large() -> void:
	var map := PackedByteArray()
	for i in 1500:
		map.append(i % 7)
	node("server", CLOCK).map = map
	apis.server.max_sync_packet_size = 4000
	_set_visible(CLOCK + "/MapSync", id("client"), true)
	await run_for(350)
	_set_visible(CLOCK + "/MapSync", id("client"), false)
	apis.server.max_sync_packet_size = 1350


func _despawn() -> void:
	for path: String in ["Main/World/Items/Coin", "Main/Players/RedFlag", "Main/Players/%d" % id("client2")]:
		expected.event("despawn", [1, path])
		node("server", path).free()
		await service()
	await run_for(120)
	# Another node gets the same name.
	_spawn_item("Coin")
	await run_for(120)


func _spawn_scene(parent: String, scene: PackedScene, name: String, properties := {}) -> void:
	var child := scene.instantiate()
	child.name = name
	for property: String in properties:
		child.set(property, properties[property])
	expected.spawn("spawn", 1, "%s/%s" % [parent, name], PLAYERS_SPAWNER, scene.resource_path)
	node("server", parent).add_child(child, true)


func _spawn_item(data: Variant) -> void:
	expected.spawn("spawn", 1, "Main/World/Items/" + _item_name(data), ITEMS_SPAWNER, "custom", data)
	node("server", ITEMS_SPAWNER).spawn(data)


func _make_item(data: Variant) -> Node:
	var item := Turret.new()
	item.name = _item_name(data)
	if data is String:
		_child(item, _synchronizer(0.1, {"angle": SceneReplicationConfig.REPLICATION_MODE_ALWAYS}), "Sync")
	return item


func _make_bullet(data: Array) -> Node:
	var bullet := Turret.new()
	bullet.name = "Bullet%d" % data[0]
	bullet.angle = 0.25
	_child(bullet, _synchronizer(0.1, {"angle": SceneReplicationConfig.REPLICATION_MODE_ALWAYS}), "Sync")
	bullet.set_multiplayer_authority(id("client"))
	return bullet


func _set_visible(synchronizer: String, peer: int, visible: bool) -> void:
	expected.event("visible", [1, synchronizer, peer, visible])
	node("server", synchronizer).set_visibility_for(peer, visible)


func _item_name(data: Variant) -> String:
	if data is Dictionary:
		return data.name
	if data is Array:
		return data[0]
	return data if data is String else "Thing%s" % ("" if data == null else str(data))


func _synchronizer(interval: float, modes: Dictionary) -> MultiplayerSynchronizer:
	var config := SceneReplicationConfig.new()
	for property: String in modes:
		var path := NodePath(".:" + property)
		config.add_property(path)
		config.property_set_replication_mode(path, modes[property])
	var synchronizer := MultiplayerSynchronizer.new()
	synchronizer.replication_interval = interval
	synchronizer.delta_interval = 0.05
	synchronizer.replication_config = config
	return synchronizer


func _add_spawner(parent: Node, name: String, path: NodePath) -> MultiplayerSpawner:
	var spawner := MultiplayerSpawner.new()
	spawner.spawn_path = path
	if name == "PlayerSpawner":
		for scene: String in SCENES:
			spawner.add_spawnable_scene(scene)
	spawner.spawned.connect(func(spawned: Node) -> void: _note_spawned("spawned", spawner, spawned))
	spawner.despawned.connect(func(despawned: Node) -> void: _note_spawned("despawned", spawner, despawned))
	_child(parent, spawner, name)
	return spawner


func _note_spawned(what: String, spawner: MultiplayerSpawner, spawned: Node) -> void:
	var path := "%s/%s" % [path_of(spawner.get_node(spawner.spawn_path)), spawned.name]
	expected.event(what, [spawner.multiplayer.get_unique_id(), path, path_of(spawner), _scene(spawned)])


func _scene(spawned: Node) -> String:
	return spawned.scene_file_path if spawned.scene_file_path else "custom"


func _child(parent: Node, child: Node, name: String) -> Node:
	child.name = name
	parent.add_child(child)
	return child
