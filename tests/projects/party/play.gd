# SPDX-License-Identifier: MIT
extends SceneTree
## Plays a match of tests/projects/party, of which this is put into a copy: as "server" or "client".
##
## Each property has values that no other one has: hp 100 to 199, rage 500 on, a potion's weight 0.25, a stone's 5000,
## gold 9000 on, title "Sir ...", a player's synced_position.y -3.5, the door's position.y 44, motion.y 77.

const PORT := 5077

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
		_serve()
	else:
		_join()


func _serve() -> void:
	var id: int = await main.multiplayer.peer_connected
	await _wait(0.4)
	main.get_node("Paddle").set_multiplayer_authority(id)
	var players := [main.get_node("PlayerSpawner").spawn(id), main.get_node("PlayerSpawner").spawn(1)]
	var mob: Node = main.mobs.spawn(["Rat", 100])
	var boss: Node = main.mobs.spawn(["King", 2000])
	var potion: Node = main.items.spawn({"kind": "potion", "name": "I1", "weight": 0.25})
	var stone: Node = main.items.spawn({"kind": "stone", "name": "I2", "weight": 5000.0})
	await _wait(0.2)
	players[0].welcome.rpc("Sir Ada")
	boss.roar.rpc("Roar")
	potion.drink.rpc(1)
	stone.throw.rpc(1)
	main.get_node("Horn").honk.rpc_id(id, 3)
	var secret := Node.new()
	secret.set_script(load("res://secret.gd"))
	secret.name = "Secret"
	main.add_child(secret)
	secret.reveal.rpc_id(id, "the client has no such node")
	for i in 12:
		for player: Node in players:
			player.synced_position = Vector2(i + 0.5, -3.5)
		mob.hp = 100 + i
		boss.rage = 500.0 + i
		main.get_node("Chest7").gold = 9000 + i
		main.get_node("Level/Door").position = Vector2(i, 44)
		if i == 6:
			# The same name, and another scene.
			mob.free()
			mob = main.mobs.spawn(["Rat", 3000])
			mob.set("rage", 750.0)
			mob = main.mobs.spawn(["Rat2", 150])
		await _wait(0.1)
	await main.multiplayer.peer_disconnected
	await _wait(0.2)
	quit()


func _join() -> void:
	await main.multiplayer.connected_to_server
	var id: int = main.multiplayer.get_unique_id()
	main.get_node("Paddle").set_multiplayer_authority(id)
	await _wait(1.0)
	for i in 8:
		main.get_node("Players/%d/Inputs" % id).motion = Vector2i(i, 77)
		main.get_node("Players/%d/Inputs" % id).bombing = i % 2 == 0
		main.get_node("Paddle").slide.rpc_id(1, i / 2.0)
		await _wait(0.1)
	main.get_node("Paddle").mine.rpc_id(1)
	main.get_node("Horn").toot.rpc_id(1)
	await _wait(0.8)
	main.multiplayer.multiplayer_peer.close()
	await _wait(0.1)
	quit()


func _wait(seconds: float) -> void:
	await create_timer(seconds).timeout
