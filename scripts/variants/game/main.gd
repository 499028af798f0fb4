# SPDX-License-Identifier: MIT
extends Node
## A server or client of a small game. The arguments after `--` select which, and its faults: see variants.py.

const PLAYER := preload("res://player.tscn")
const CHEST := preload("res://chest.tscn")
const COMPRESSIONS := {"range": ENetConnection.COMPRESS_RANGE_CODER, "fastlz": ENetConnection.COMPRESS_FASTLZ,
	"zlib": ENetConnection.COMPRESS_ZLIB, "zstd": ENetConnection.COMPRESS_ZSTD}

var _options := {}
var _started := Time.get_ticks_msec()
var _done := {}
var _next_call := 0.0
var _is_ready := false
var _peer: MultiplayerPeer
var _flicker: Node
var _next_flicker := 0.0


func _ready() -> void:
	for argument in OS.get_cmdline_user_args():
		var parts := argument.split("=", true, 1)
		_options[parts[0]] = parts[1] if parts.size() > 1 else "yes"
	Engine.max_fps = option("fps", 60)
	Engine.physics_ticks_per_second = option("ticks", 60)
	for path: String in text("lack").split(",", false):
		get_node(path).free()
	if has("late"):
		_add_late(get_node(text("late")))
	if has("rename"):
		$World.name = text("rename")
	if has("unlisted"):
		$Spawner.clear_spawnable_scenes()
		$Spawner.add_spawnable_scene("res://player.tscn")
	if has("no_scenes"):
		$Spawner.clear_spawnable_scenes()
	if has("hidden"):
		$Clock/Sync.public_visibility = false
	if has("root"):
		get_tree().set_multiplayer(SceneMultiplayer.new(), ^"/root/Main")
	var api: SceneMultiplayer = multiplayer
	api.allow_object_decoding = has("objects")
	if has("custom"):
		$Spawner.spawn_function = _make_player
	if has("auth"):
		api.auth_timeout = option("auth_timeout", 3)
		api.auth_callback = _on_auth
		api.peer_authenticating.connect(_on_authenticating)
	if has("no_relay"):
		api.server_relay = false
	api.peer_connected.connect(_on_peer_connected)
	api.peer_disconnected.connect(func(id: int) -> void: print("peer %d is gone" % id))
	api.connected_to_server.connect(_on_connected)
	api.connection_failed.connect(func() -> void: print("connection failed"))
	api.server_disconnected.connect(func() -> void: print("the server has disconnected"))
	var peer := _make_peer()
	_peer = peer
	if peer != null and not has("mute"):
		api.multiplayer_peer = peer
		if has("own_clock"):
			$Clock.set_multiplayer_authority(api.get_unique_id())
		api.refuse_new_connections = has("refuse")
	_is_ready = is_server()
	$Clock.set_physics_process(is_server())


## A level that all peers load: a peer that gets this call adds the level and reports it, and is called then.
@rpc("authority", "call_remote", "reliable")
func load_level() -> void:
	_add_level()
	level_loaded.rpc_id(1)


@rpc("any_peer", "call_remote", "reliable")
func level_loaded() -> void:
	$Level.announce.rpc_id(multiplayer.get_remote_sender_id(), "welcome")


func _add_level() -> void:
	var level := $World.duplicate()
	level.name = "Level"
	$Chat.queue_free()
	add_child(level)


func option(name: String, otherwise := 0) -> int:
	return int(_options.get(name, otherwise))


func text(name: String) -> String:
	return _options.get(name, "")


func has(name: String) -> bool:
	return name in _options


func is_server() -> bool:
	return text("role") == "server"


func elapsed() -> float:
	return (Time.get_ticks_msec() - _started) / 1000.0


func _make_peer() -> MultiplayerPeer:
	var port := option("port", 7000)
	if text("transport") == "ws":
		var socket := WebSocketMultiplayerPeer.new()
		if has("protocol"):
			socket.supported_protocols = PackedStringArray([text("protocol")])
		var scheme := "wss" if has("tls") else "ws"
		var wrong := socket.create_server(port, text("bind") if has("bind") else "*", _tls()) if is_server() \
			else socket.create_client("%s://%s:%d" % [scheme, _options.get("address", "127.0.0.1"), port], _tls())
		return socket if wrong == OK else null
	var peer := ENetMultiplayerPeer.new()
	if has("bind"):
		peer.set_bind_ip(text("bind"))
	var wrong: int
	if is_server():
		wrong = peer.create_server(port, option("max_clients", 32), option("channels"))
	else:
		wrong = peer.create_client(_options.get("address", "127.0.0.1"), port, option("channels"))
	if wrong != OK:
		print("no peer: ", error_string(wrong))
		return null
	if has("compress"):
		peer.host.compress(COMPRESSIONS[text("compress")])
	if has("bandwidth"):
		peer.host.bandwidth_limit(option("bandwidth"), option("bandwidth"))
	return peer


func _tls() -> TLSOptions:
	if not has("tls"):
		return null
	if not is_server():
		return TLSOptions.client() if text("tls") == "trusted" else TLSOptions.client_unsafe()
	var crypto := Crypto.new()
	var key := crypto.generate_rsa(2048)
	return TLSOptions.server(key, crypto.generate_self_signed_certificate(key, "CN=example.org"))


func _make_player(data: Dictionary) -> Node:
	if has("no_node"):
		return null
	var node := PLAYER.instantiate()
	node.name = data.name
	return node


func _on_authenticating(id: int) -> void:
	if text("auth") != "silent":
		multiplayer.send_auth(id, text("auth").to_utf8_buffer())
	if has("auth_done"):
		multiplayer.complete_auth(id)


func _on_auth(id: int, data: PackedByteArray) -> void:
	print("authentication of ", id, ": ", data.get_string_from_utf8())
	if has("auth_refuse"):
		multiplayer.disconnect_peer(id)
	elif text("auth") == "ok":
		multiplayer.complete_auth(id)


func _on_connected() -> void:
	print("connected")
	_is_ready = true
	if has("adds_itself"):
		_spawn(PLAYER, str(multiplayer.get_unique_id()))


func _on_peer_connected(id: int) -> void:
	print("peer %d is here" % id)
	if not is_server():
		return
	if has("timeout"):
		_peer.get_peer(id).set_timeout(0, option("timeout"), option("timeout"))
	if has("hidden_after"):
		$Clock/Sync.set_visibility_for(id, false)
	if has("spawn_after"):
		await get_tree().create_timer(option("spawn_after") / 1000.0).timeout
	_spawn(PLAYER, str(id))
	for i in option("others"):
		_spawn(PLAYER, "%d_%d" % [id, i])
	if text("call") == "at_once":
		get_node("Players/%d" % id).heal.rpc(1)
	if has("chest"):
		_spawn(CHEST, "Chest%d" % id)
	if has("kick"):
		await get_tree().create_timer(option("kick") / 1000.0).timeout
		if has("farewell"):
			$World.announce.rpc_id(id, "you are kicked")
		if option("farewell") > 0:
			await get_tree().create_timer(option("farewell") / 1000.0).timeout
		if has("now"):
			multiplayer.multiplayer_peer.disconnect_peer(id, true)
		else:
			multiplayer.multiplayer_peer.disconnect_peer(id)


func _spawn(scene: PackedScene, id: String) -> void:
	if has("custom") and scene == PLAYER:
		$Spawner.spawn({"name": id, "by": self} if has("spawn_node") else {"name": id})
		return
	var node := scene.instantiate()
	node.name = id
	if has("authority") and scene == PLAYER:
		node.set_multiplayer_authority(int(id))
	if has("hide_player") and scene == PLAYER:
		node.get_node("Sync").public_visibility = false
	$Players.add_child(node)


func _add_late(node: Node) -> void:
	remove_child(node)
	await get_tree().create_timer(option("late_by", 1000) / 1000.0).timeout
	add_child(node)


func _leave() -> void:
	multiplayer.multiplayer_peer.close()
	multiplayer.multiplayer_peer = OfflineMultiplayerPeer.new()
	_is_ready = false


## True once, this many milliseconds after the start.
func _once(name: String) -> bool:
	if not has(name) or name in _done or elapsed() * 1000.0 < option(name):
		return false
	_done[name] = true
	return true


func _process(_delta: float) -> void:
	if is_server():
		for player: Node in $Players.get_children():
			if "position" in player and player.is_multiplayer_authority():
				player.position += Vector2(NAN if has("nan") else 1.0, 0)
		if has("flicker") and _is_ready and not multiplayer.get_peers().is_empty():
			_show_or_hide()
	elif has("mute") and _peer != null:
		_peer.poll()
	for i in option("flood"):
		if _is_ready and not is_server():
			$World.take_damage.rpc_id(1, i, "flood")
	if _once("hitch_at"):
		OS.delay_msec(option("hitch", 700))
	if has("load"):
		OS.delay_msec(option("load"))
	if _once("no_poll"):
		get_tree().multiplayer_poll = false
	if _once("pause"):
		get_tree().paused = true
	if _once("stop"):
		# Another process has to end the stopped process.
		OS.create_process("sh", ["-c", "sleep 14; kill -KILL %d" % OS.get_process_id()])
		OS.execute("kill", ["-STOP", str(OS.get_process_id())])
	if _once("die"):
		OS.kill(OS.get_process_id())
	if _once("leave"):
		_leave()
	if _once("rejoin"):
		_leave()
		await get_tree().create_timer(0.7).timeout
		_peer = _make_peer()
		multiplayer.multiplayer_peer = _peer
	if _once("despawn"):
		for player in $Players.get_children():
			player.queue_free()
	if _once("handover"):
		for player: Node in $Players.get_children():
			if player.has_method("give"):
				player.call("rpc", &"give", int(str(player.name)))
			player.set_multiplayer_authority(int(str(player.name)))
	if has("turns") and elapsed() * 1000.0 > option("turns"):
		_options["turns"] = str(option("turns") + 900)
		for player in $Players.get_children():
			player.call("rpc", &"give", 1 if player.get_multiplayer_authority() != 1 else int(str(player.name)))
	if _once("level"):
		_add_level()
		load_level.rpc()
	if _once("move"):
		for player in $Players.get_children():
			player.reparent($World)
	if _once("unnamed"):
		_add_unnamed()
	if _once("free_world"):
		$World.queue_free()
	if _once("quit"):
		_leave()
		get_tree().quit()
	if _is_ready and elapsed() > _next_call and not multiplayer.get_peers().is_empty():
		_next_call = elapsed() + option("every", 200) / 1000.0
		_call()


## A node that appears and disappears: at once, or as a bullet does.
func _show_or_hide() -> void:
	if _flicker == null and elapsed() > _next_flicker:
		_flicker = CHEST.instantiate()
		_flicker.name = "Flash"
		$Players.add_child(_flicker)
		_next_flicker = elapsed() + option("flicker") / 1000.0
	elif _flicker != null and elapsed() > _next_flicker:
		_flicker.free()
		_next_flicker = elapsed() + option("flicker") / 1000.0


## A node that each peer adds itself, and that the server calls.
func _add_unnamed() -> void:
	# Other unnamed nodes exist already, so that the engine uses a later number.
	for i in 3 if is_server() else 0:
		add_child(Node.new())
	var node := Node.new()
	node.set_script($World.get_script())
	if text("unnamed_as") != "":
		node.name = text("unnamed_as")
	get_node(_options.get("unnamed_in", ".")).add_child(node)
	if is_server():
		await get_tree().create_timer(0.5).timeout
		for i in 5:
			node.announce.rpc("unnamed")
			await get_tree().create_timer(0.3).timeout


func _call() -> void:
	var world := get_node_or_null("World" if not has("rename") else text("rename"))
	match text("call"):
		"few":
			world.rpc_id(1, &"take_damage")
		"many":
			world.rpc_id(1, &"take_damage", 5, "fall", 7)
		"type":
			world.rpc_id(1, &"take_damage", "five", "fall")
		"array":
			world.rpc_id(1, &"score", ["one", "two"])
		"object":
			world.rpc_id(1, &"follow", self)
		"announce":
			world.rpc_id(1, &"announce", "I am the server")
		"net":
			get_node("/root/Net").announce.rpc_id(1, "I am the server")
		"net_whisper":
			get_node("/root/Net").whisper.rpc_id(1, "psst")
		"whisper":
			world.rpc_id(1, &"whisper", "psst")
		"other":
			for id in multiplayer.get_peers():
				if id != 1:
					world.rpc_id(id, &"take_damage", 5, "friend")
		"unknown":
			world.rpc_id(4711, &"take_damage", 5, "nobody")
		"gradient":
			world.rpc_id(1, &"follow", Gradient.new())
		"each":
			for player in $Players.get_children():
				player.heal.rpc(1)
			world.announce.rpc("each")
		"big":
			$Chat.say.rpc("x".repeat(option("size", 100000)))
		"raw":
			multiplayer.send_bytes(PackedByteArray([1, 2, 3]), 1)
		"player":
			for player in $Players.get_children() + $World.get_children():
				player.heal.rpc(1)
		"packet":
			multiplayer.multiplayer_peer.set_target_peer(1)
			multiplayer.multiplayer_peer.put_packet("hello there".to_utf8_buffer())
		"none":
			pass
		_:
			if world != null and is_server():
				world.announce.rpc("round")
			elif world != null:
				world.take_damage.rpc_id(1, 5, "fall")
	if not is_server() and not has("call"):
		var chat := get_node_or_null("Chat")
		if chat != null:
			chat.say.rpc("hello")
