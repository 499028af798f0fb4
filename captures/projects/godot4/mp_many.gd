# SPDX-License-Identifier: MIT
extends "mp.gd"
## More nodes and methods than a byte can count.

const World := preload("mp/world.gd")

const NODES := 260
const METHODS := 300


func run(to_expected: Expected) -> void:
	await start(to_expected, 5034)
	open_server()
	await join("client")
	await join("client2")
	for i in NODES:
		call_method("server", id("client"), _bullet(i), &"move", [Vector2(i, 0), Vector2(0, 1)])
		if i % 20 == 19:
			await service()
	await service()
	for i: int in [0, 126, 253, 254, 255, 256, NODES - 1]:
		call_method("server", id("client"), _bullet(i), &"ready_up")
		call_method("server", id("client"), _bullet(i), &"aim", [0.5 * i])
		call_method("server", id("client"), _bullet(i), &"blob", [PackedByteArray([1, 2, 3])])
		await service()
	# Only one client has confirmed the path, so both get four bytes.
	call_method("server", 0, _bullet(NODES - 1), &"chat", ["for all"])
	await service()
	call_method("server", 0, _bullet(NODES - 1), &"chat", ["for all, by id"])
	await service()
	for i in 2:
		for method: StringName in [&"order_000", &"order_127", &"order_255", &"order_256", &"order_299"]:
			call_method("client", 1, "Main/Hub", method, [i])
			await service()
			call_method("client", 1, "Main/Hub", method)
			await service()
			call_method("client", 1, "Main/Hub", method, [PackedByteArray([i])])
			await service()
	call_method("client", id("client2"), "Main/Hub", &"order_280", ["by relay"])
	await service()
	call_method("server", id("client"), "Main/Hub", &"order_290", ["node and method, both by two bytes"])
	await service()
	call_method("server", id("client"), "Main/Hub", &"order_290", ["again"])
	await service()
	await leave("client2")
	await leave("client")


func build(_name: String, branch: Node) -> void:
	var main := Node.new()
	main.name = "Main"
	branch.add_child(main)
	var bullets := Node.new()
	bullets.name = "Bullets"
	main.add_child(bullets)
	for i in NODES:
		var bullet := Node.new()
		bullet.name = _bullet(i).get_file()
		bullet.set_script(World)
		bullets.add_child(bullet)
	var hub := Node.new()
	hub.name = "Hub"
	hub.set_script(_hub_script())
	main.add_child(hub)


func _bullet(i: int) -> String:
	return "Main/Bullets/B%03d" % i


func _hub_script() -> Script:
	var source := "extends Node\nconst Mp := preload(\"res://mp.gd\")\n"
	for i in METHODS:
		source += "@rpc(\"any_peer\") func order_%03d(...values: Array) -> void: Mp.note_call(self, &\"order_%03d\", values)\n" % [i, i]
	var script := GDScript.new()
	script.source_code = source
	script.reload()
	return script
