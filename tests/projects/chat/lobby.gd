# SPDX-License-Identifier: MIT
extends Node

var started := false

func _ready():
	if Net.opt.has("server"):
		multiplayer.peer_connected.connect(func(_id): check())
	else:
		multiplayer.connected_to_server.connect(hello)

func hello():
	await get_tree().create_timer(0.3).timeout
	$Chat.say.rpc("hello from " + Net.my_info.name)

func check():
	await get_tree().create_timer(1.0).timeout
	if not started and multiplayer.get_peers().size() >= int(Net.arg("want", "2")):
		started = true
		Net.load_game.rpc("res://arena.tscn")
