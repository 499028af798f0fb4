# SPDX-License-Identifier: MIT
extends Node
# A server or client of a small game of Godot 3. The arguments after `--` select which, and its faults: see variants.py.

const PLAYER = preload("res://player.tscn")

var _options = {}
var _done = {}
var _started = OS.get_ticks_msec()
var _next_call = 0.0
var _is_ready = false


func _ready():
	for argument in OS.get_cmdline_args():
		var parts = argument.split("=", true, 1)
		_options[parts[0]] = parts[1] if parts.size() > 1 else "yes"
	Engine.target_fps = 60
	if has("lack"):
		get_node(text("lack")).free()
	if has("rename"):
		$World.name = text("rename")
	get_tree().connect("network_peer_connected", self, "_on_peer_connected")
	get_tree().connect("network_peer_disconnected", self, "_on_peer_disconnected")
	get_tree().connect("connected_to_server", self, "_on_connected")
	get_tree().connect("connection_failed", self, "_say", ["connection failed"])
	get_tree().connect("server_disconnected", self, "_say", ["the server has disconnected"])
	get_tree().network_peer = _make_peer()
	get_tree().refuse_new_network_connections = has("refuse")
	_is_ready = is_server()


func text(name):
	return str(_options.get(name, ""))


func option(name, otherwise = 0):
	return int(_options.get(name, otherwise))


func has(name):
	return name in _options


func is_server():
	return text("role") == "server"


func elapsed():
	return (OS.get_ticks_msec() - _started) / 1000.0


func _make_peer():
	var wrong
	var peer
	if text("transport") == "ws":
		peer = WebSocketServer.new() if is_server() else WebSocketClient.new()
		wrong = peer.listen(option("port"), PoolStringArray(), true) if is_server() \
				else peer.connect_to_url("ws://127.0.0.1:%d" % option("port"), PoolStringArray(), not has("plain"))
	else:
		peer = NetworkedMultiplayerENet.new()
		if has("compress"):
			peer.compression_mode = option("compress")
		wrong = peer.create_server(option("port"), option("max_clients", 32)) if is_server() \
				else peer.create_client("127.0.0.1", option("port"))
	if wrong != OK:
		print("no peer: ", wrong)
	return peer


func _say(words):
	print(words)


func _on_connected():
	print("connected")
	_is_ready = true


func _on_peer_connected(id):
	print("peer %d is here" % id)
	if is_server():
		add_player(id)
		rpc("add_player", id)


func _on_peer_disconnected(id):
	print("peer %d is gone" % id)
	if $Players.has_node(str(id)):
		$Players.get_node(str(id)).queue_free()


remote func add_player(id):
	var node = PLAYER.instance()
	if not has("unnamed"):
		node.name = str(id)
	elif is_server():
		# Other nodes of that kind exist already, so that the engine uses a later number.
		for _i in range(3):
			$Players.add_child(PLAYER.instance())
	$Players.add_child(node)


func _once(name):
	if not has(name) or name in _done or elapsed() * 1000.0 < option(name):
		return false
	_done[name] = true
	return true


func _process(_delta):
	if _once("hitch_at"):
		OS.delay_msec(option("hitch", 700))
	if _once("kick"):
		for id in get_tree().get_network_connected_peers():
			get_tree().network_peer.disconnect_peer(id)
	if _once("rejoin"):
		get_tree().network_peer.close_connection()
		yield(get_tree().create_timer(0.7), "timeout")
		get_tree().network_peer = _make_peer()
	if _once("die"):
		OS.kill(OS.get_process_id())
	if _once("quit"):
		get_tree().network_peer = null
		get_tree().quit()
	if _is_ready and get_tree().network_peer != null and elapsed() > _next_call:
		_next_call = elapsed() + option("every", 200) / 1000.0
		if get_tree().get_network_connected_peers().size() > 0:
			_call()


func _call():
	var world = get_node_or_null("World" if not has("rename") else text("rename"))
	if text("call") == "none":
		return
	if is_server():
		for player in $Players.get_children():
			player.rset_unreliable("hp", player.hp)
			if not has("no_heal"):
				player.rpc("heal", 1)
	elif has("heals"):
		var own = $Players.get_node_or_null(str(get_tree().get_network_unique_id()))
		if own != null:
			own.rpc("heal", 2)
	if world == null:
		return
	if is_server():
		world.rpc("announce", "round")
	elif text("call") == "nothing":
		world.rpc_id(1, "take_damages", 5, "fall")
	elif text("call") == "many":
		world.rpc_id(1, "take_damage", 5, "fall", 7)
	else:
		world.rpc_id(1, "take_damage", 5, "fall")
