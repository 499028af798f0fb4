# SPDX-License-Identifier: MIT
extends Node
# args: role port transport(enet|ws) compress(0..4)
var role := "server"; var port := 9810; var transport := "enet"; var comp := 0; var spawn_count := 0
var log_f : FileAccess
var t := 0.0
func _ready():
	var a := OS.get_cmdline_user_args()
	role = a[0]; port = int(a[1]); transport = a[2]; comp = int(a[3])
	log_f = FileAccess.open("res://mp_%s_%s_%d.log" % [transport, role, comp], FileAccess.WRITE)
	var sp := MultiplayerSpawner.new(); sp.name = "Spawner"; 
	var pl := Node.new(); pl.name = "Players"; add_child(pl); add_child(sp)
	sp.spawn_path = NodePath("../Players"); sp.add_spawnable_scene("res://player.tscn")
	sp.spawn_function = func(data): 
		var n = load("res://player.tscn").instantiate(); n.nick = str(data.get("nick","?")); n.name = "C_" + n.nick; return n
	var world := preload("res://player.tscn").instantiate(); world.name = "Arena"; add_child(world)
	multiplayer.peer_connected.connect(func(id): log_f.store_line("connected %d" % id); on_peer(id))
	multiplayer.peer_disconnected.connect(func(id): log_f.store_line("disconnected %d" % id))
	if multiplayer is SceneMultiplayer: multiplayer.peer_packet.connect(func(id, p): log_f.store_line("raw from %d %s" % [id, p.hex_encode()]))
	var peer
	if transport == "enet":
		peer = ENetMultiplayerPeer.new()
		if role == "server": peer.create_server(port, 8)
		else: peer.create_client("127.0.0.1", port, 4)
		peer.host.compress(comp)
	else:
		peer = WebSocketMultiplayerPeer.new()
		if role == "server": peer.create_server(port)
		else: peer.create_client("ws://127.0.0.1:%d" % port)
	multiplayer.multiplayer_peer = peer
func on_peer(id:int):
	if role == "server":
		spawn_count += 1
		var p = load("res://player.tscn").instantiate(); p.name = "P%d" % spawn_count; p.nick = "guest_%d" % spawn_count
		get_node("Players").add_child(p)
		get_node("Spawner").spawn({"nick": "bot%d" % spawn_count, "lvl": 7})
		get_node("Arena").start_round.rpc({"motd": "round one", "peers": multiplayer.get_peers().size()})
	elif id == 1:
		multiplayer.send_bytes("ping 1".to_utf8_buffer(), 1)
		get_node("Arena").strike.rpc(5, "trap")
		get_node("Arena").strike.rpc_id(1, 77, "arrow")
		get_node("Arena").upload.rpc_id(1, PackedByteArray([1,2,3,255]))
		get_node("Arena").ready_up.rpc_id(1)
		get_node("Arena").say.rpc_id(1, "ça va")
var k := 0
func _process(d):
	t += d; k += 1
	if role == "server":
		for p in get_node("Players").get_children():
			p.pos += Vector2(1,0.25)
			if k % 20 == 0: p.hp -= 1
		if t > 2.2 and get_node("Players").get_child_count() > 0 and k % 30 == 0: get_node("Players").get_child(0).queue_free()
	else:
		if multiplayer.multiplayer_peer.get_connection_status() == MultiplayerPeer.CONNECTION_CONNECTED and k % 10 == 0:
			get_node("Arena").point.rpc(Vector2(cos(t), sin(t)))
			if k == 60:
				var big := PackedByteArray(); big.resize(6000); big.fill(0x41)
				get_node("Arena").upload.rpc_id(1, big)
				for pid in multiplayer.get_peers():
					if pid != 1: get_node("Arena").say.rpc_id(pid, "psst")
	if t > (3.2 if role == "server" else 2.6): 
		multiplayer.multiplayer_peer.close(); log_f.close(); get_tree().quit()
