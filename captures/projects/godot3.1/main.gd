# SPDX-License-Identifier: MIT
extends Node
var role = ""; var t = 0.0; var k = 0; var ready_ = false
func _ready():
	print("hello from 3.1"); print("second ", 42); push_error("an error of its own"); push_warning("a warning of its own")
	var a = {}
	for s in OS.get_cmdline_args():
		if s.begins_with("--x"):
			var kv = s.substr(3, 200).split("=")
			a[kv[0]] = kv[1]
	role = a.role
	var w = Node.new(); w.set_script(load("res://player.gd")); w.name = "Arena"; add_child(w)
	get_tree().connect("network_peer_connected", self, "_on_peer")
	var peer = NetworkedMultiplayerENet.new() if a.tr == "enet" else (WebSocketServer.new() if role == "server" else WebSocketClient.new())
	if a.tr == "enet":
		peer.compression_mode = int(a.comp)
		if role == "server": peer.create_server(int(a.port), 8)
		else: peer.create_client("127.0.0.1", int(a.port))
	else:
		if role == "server": peer.listen(int(a.port), PoolStringArray(), true)
		else: peer.connect_to_url("ws://127.0.0.1:%s" % a.port, PoolStringArray(), true)
	get_tree().network_peer = peer
func _on_peer(id):
	if role == "server":
		$Arena.rpc("start_round", {"motd":"round one"})
	elif id == 1:
		ready_ = true
		multiplayer.send_bytes("ping 1".to_utf8(), 1)
		$Arena.rpc("strike", 5, "trap")
		$Arena.rpc_id(1, "strike", 77, "arrow")
		$Arena.rpc_id(1, "upload", PoolByteArray([1,2,3,255]))
		$Arena.rpc_id(1, "ready_up")
		$Arena.rpc_id(1, "say", "ça va")
		$Arena.rset("target", Vector2(7,8))
func _process(d):
	t += d; k += 1
	OS.delay_msec(10)
	if role != "server" and ready_:
		if k % 10 == 0: $Arena.rpc_unreliable("point", Vector2(cos(t), sin(t)))
		if k == 60:
			var b = PoolByteArray(); b.resize(6000); $Arena.rpc_id(1, "upload", b)
	if t > (3.2 if role == "server" else 2.6): get_tree().quit()
