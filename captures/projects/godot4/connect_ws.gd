# SPDX-License-Identifier: MIT
extends SceneTree
## godot --headless --path . --script connect_ws.gd -- server SECONDS
## godot --headless --path . --script connect_ws.gd -- client URL [PROTOCOL [HEADER]]
##
## WebSocket connections, most of which do not come about: see ../../record_connect_ws.sh. The server says when it
## listens, each end what became of it.

var listeners: Array[TCPServer] = []
var peers: Array[WebSocketPeer] = []
var protocols := {5071: ["chat"], 5075: [], 5076: ["chat"], 5077: [], 5078: [], 5081: []}
var certificate: TLSOptions


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	if arguments[0] == "server":
		await serve(float(arguments[1]))
	else:
		await connect_to(arguments.slice(1))
	quit()


func serve(seconds: float) -> void:
	var crypto := Crypto.new()
	var key := crypto.generate_rsa(2048)
	certificate = TLSOptions.server(key, crypto.generate_self_signed_certificate(key, "CN=game"))
	for port: int in protocols:
		var listener := TCPServer.new()
		listener.listen(port, "127.0.0.1")
		listeners.append(listener)
	print("listening")
	var end := Time.get_ticks_msec() + seconds * 1000
	while Time.get_ticks_msec() < end:
		for listener in listeners:
			if listener.is_connection_available():
				accept(listener)
		for peer in peers:
			answer(peer)
		await create_timer(0.02).timeout


func accept(listener: TCPServer) -> void:
	var stream: StreamPeer = listener.take_connection()
	var port := listener.get_local_port()
	if port == 5077:
		var tls := StreamPeerTLS.new()
		tls.accept_stream(stream, certificate)
		stream = tls
	var peer := WebSocketPeer.new()
	peer.set_meta("port", port)
	peer.supported_protocols = PackedStringArray(protocols[port])
	peer.accept_stream(stream)
	peers.append(peer)


func answer(peer: WebSocketPeer) -> void:
	var port: int = peer.get_meta("port")
	peer.poll()
	while peer.get_available_packet_count() > 0:
		var value: Variant = peer.get_var()
		peer.put_var({cmd = "welcome", you = value})
		if port == 5071:
			peer.close(4001, "you are kicked")
	if peer.get_ready_state() == WebSocketPeer.STATE_CLOSED:
		print("server at ", port, ": ", peer.get_close_code(), " ", peer.get_close_reason())
		peers.erase(peer)


func connect_to(arguments: PackedStringArray) -> void:
	var peer := WebSocketPeer.new()
	if arguments.size() > 1 and not arguments[1].is_empty():
		peer.supported_protocols = arguments[1].split(",")
	if arguments.size() > 2:
		peer.handshake_headers = [arguments[2]]
	peer.connect_to_url(arguments[0], TLSOptions.client_unsafe() if arguments[0].begins_with("wss") else null)
	var end := Time.get_ticks_msec() + 4000
	var has_said := false
	while Time.get_ticks_msec() < end and peer.get_ready_state() != WebSocketPeer.STATE_CLOSED:
		peer.poll()
		if peer.get_ready_state() == WebSocketPeer.STATE_OPEN and not has_said:
			has_said = true
			peer.put_var({cmd = "join", name = "Ada"})
		await create_timer(0.02).timeout
	print(arguments[0], ": ", peer.get_ready_state(), " ", peer.get_close_code(), " ", peer.get_close_reason())
