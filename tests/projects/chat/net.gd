# SPDX-License-Identifier: MIT
extends Node

var players := {}
var my_info := {"name": "server"}
var loaded := 0
var opt := {}

func arg(k, d):
	return opt.get(k, d)

func _ready():
	Engine.max_fps = 30
	for a in OS.get_cmdline_user_args():
		var kv = a.split("=")
		opt[kv[0]] = kv[1] if kv.size() > 1 else "1"
	my_info = {"name": arg("name", "server")}
	multiplayer.peer_connected.connect(_on_peer_connected)
	multiplayer.peer_disconnected.connect(_on_peer_disconnected)
	multiplayer.connected_to_server.connect(func(): print(my_info.name, ": connected as ", multiplayer.get_unique_id()))
	multiplayer.connection_failed.connect(func(): print(my_info.name, ": CONNECTION FAILED"))
	multiplayer.server_disconnected.connect(func(): print(my_info.name, ": SERVER DISCONNECTED"))
	get_tree().create_timer(float(arg("life", "8"))).timeout.connect(quit_game)
	if opt.has("server"):
		host(int(arg("port", "9000")))
	else:
		join(arg("address", "127.0.0.1"), int(arg("port", "9000")))

func host(port):
	var peer = ENetMultiplayerPeer.new()
	var err = peer.create_server(port, 8)
	print("server: listening ", err)
	multiplayer.multiplayer_peer = peer

func join(address, port):
	var peer = ENetMultiplayerPeer.new()
	var err = peer.create_client(address, port)
	print(my_info.name, ": joining ", err)
	multiplayer.multiplayer_peer = peer

func quit_game():
	multiplayer.multiplayer_peer.close()
	get_tree().quit()

func _on_peer_connected(id):
	print(my_info.name, ": peer connected ", id)
	register.rpc_id(id, my_info)

func _on_peer_disconnected(id):
	print(my_info.name, ": peer disconnected ", id)
	players.erase(id)
	if multiplayer.is_server():
		var s = get_tree().current_scene
		if s and s.has_method("remove_player"):
			s.remove_player(id)

@rpc("any_peer", "call_remote", "reliable")
func register(info):
	var id = multiplayer.get_remote_sender_id()
	players[id] = info
	print(my_info.name, ": registered ", id, " ", info)

@rpc("authority", "call_local", "reliable")
func load_game(path):
	get_tree().change_scene_to_file(path)

@rpc("any_peer", "call_remote", "reliable")
func player_loaded():
	if multiplayer.is_server():
		var sender = multiplayer.get_remote_sender_id()
		while get_tree().current_scene == null or not get_tree().current_scene.has_method("start_game"):
			await get_tree().process_frame
		loaded += 1
		print("server: loaded ", loaded)
		if loaded == int(arg("want", "2")):
			get_tree().current_scene.start_game()
