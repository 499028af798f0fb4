# SPDX-License-Identifier: MIT
extends Node2D
## A server or client. It polls the network itself and, right after some polls, prints its state with the time as JSON.
##
## Arguments after `--`: role, port, quit (milliseconds), and for the server `handover` (gives each client authority
## over its player) or `respawn` (removes a player and adds it again).

const PLAYER := preload("res://player.tscn")

var seconds := 0.0
var weather := "clear"
var _options := {}
var _started := Time.get_ticks_msec()
var _next := 0


func _ready() -> void:
	for argument in OS.get_cmdline_user_args():
		var parts := argument.split("=", true, 1)
		_options[parts[0]] = parts[1] if parts.size() > 1 else "yes"
	Engine.max_fps = 60
	get_tree().multiplayer_poll = false
	var peer := ENetMultiplayerPeer.new()
	if _options.role == "server":
		peer.create_server(int(_options.port))
		multiplayer.peer_connected.connect(func(id: int) -> void: _add(str(id)))
		multiplayer.peer_disconnected.connect(_remove)
	else:
		peer.create_client("127.0.0.1", int(_options.port))
	multiplayer.multiplayer_peer = peer


func _process(delta: float) -> void:
	var time := Time.get_unix_time_from_system()
	multiplayer.poll()
	var now := Time.get_ticks_msec() - _started
	if now >= _next and multiplayer.multiplayer_peer.get_connection_status() == MultiplayerPeer.CONNECTION_CONNECTED:
		_next = now + 700 + randi_range(0, 400)
		_print(time)
	if is_multiplayer_authority():
		seconds += delta
		if randf() < 0.01:
			weather = ["clear", "rain", "snow"].pick_random()
	if now > int(_options.quit):
		multiplayer.multiplayer_peer.close()
		get_tree().quit()


func _add(id: String) -> void:
	var player := PLAYER.instantiate()
	player.name = "P" + id
	player.position = Vector2(randi_range(0, 400), randi_range(0, 400))
	$Players.add_child(player)
	if "handover" in _options:
		await get_tree().create_timer(1.5).timeout
		_hand_over.rpc(player.name, int(id))
	if "respawn" in _options:
		await get_tree().create_timer(2.0).timeout
		player.queue_free()
		await get_tree().create_timer(1.0).timeout
		if id in str(multiplayer.get_peers()):
			_add(id)


func _remove(id: int) -> void:
	var player := $Players.get_node_or_null("P%d" % id)
	if player:
		player.queue_free()


@rpc("call_local", "reliable")
func _hand_over(player: String, id: int) -> void:
	$Players.get_node(player).set_multiplayer_authority(id)


# Prints nodes, properties and their authority; only values with another authority were received.
func _print(time: float) -> void:
	var nodes := {"Main": {"owner": get_multiplayer_authority(), "seconds": seconds, "weather": weather}}
	for player: Node2D in $Players.get_children():
		if player.is_queued_for_deletion():
			continue
		nodes["Main/Players/" + player.name] = {"owner": player.get_multiplayer_authority(), "position": [player.position.x, player.position.y],
			"hp": player.hp, "title": player.title}
	print(JSON.stringify({"time": "%.6f" % time, "id": multiplayer.get_unique_id(), "nodes": nodes}, "", true, true))
