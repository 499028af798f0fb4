# SPDX-License-Identifier: MIT
# A game over ENet whose datagrams go through the engine's own DTLS, one by one, as ENet's socket sends them in builds
# that have ENet over DTLS (dtls_server_setup()): both are made of DTLSServer and PacketPeerDTLS. Arguments: server, or
# client; and a file for what the game gets.
extends Node

const GAME = 6001  # where the server's ENet listens, in clear
const DTLS = 6000
const WAY = 6002  # where the client's ENet believes the server to be

var is_server: bool
var log_file: FileAccess
var certificate_key := CryptoKey.new()
var dtls := DTLSServer.new()
var listener := UDPServer.new()
var ways := {}  # a PacketPeerDTLS for each PacketPeerUDP to the server's ENet
var client_dtls := PacketPeerDTLS.new()
var socket := PacketPeerUDP.new()
var back_port := 0
var age := 0.0
var sent := 0


func _ready() -> void:
	Engine.max_fps = 240
	var arguments := OS.get_cmdline_user_args()
	is_server = arguments[0] == "server"
	log_file = FileAccess.open(arguments[1], FileAccess.WRITE)
	var peer := ENetMultiplayerPeer.new()
	if is_server:
		var crypto := Crypto.new()
		certificate_key = crypto.generate_rsa(2048)
		var certificate := crypto.generate_self_signed_certificate(certificate_key, "CN=game,O=game,C=IT")
		dtls.setup(TLSOptions.server(certificate_key, certificate))
		listener.listen(DTLS, "127.0.0.1")
		peer.create_server(GAME)
	else:
		socket.connect_to_host("127.0.0.1", DTLS)
		client_dtls.connect_to_peer(socket, "game", TLSOptions.client_unsafe())
		listener.listen(WAY, "127.0.0.1")
		await get_tree().create_timer(1.0).timeout
		peer.create_client("127.0.0.1", WAY)
	multiplayer.multiplayer_peer = peer


func _process(delta: float) -> void:
	listener.poll()
	if is_server:
		carry_to_game()
	else:
		carry_to_server()
	age += delta
	var is_connected := not is_server and multiplayer.get_peers().has(1)
	if is_connected and sent < 40 and age > 1.5 + 0.05 * sent and age < 5.0:
		say()
	if age > (12.0 if is_server else 6.0):
		get_tree().quit()


func carry_to_game() -> void:
	if listener.is_connection_available():
		var peer := dtls.take_connection(listener.take_connection())
		var way := PacketPeerUDP.new()
		way.connect_to_host("127.0.0.1", GAME)
		ways[way] = peer
	for way: PacketPeerUDP in ways:
		var peer: PacketPeerDTLS = ways[way]
		peer.poll()
		if peer.get_status() != PacketPeerDTLS.STATUS_CONNECTED:
			continue
		while peer.get_available_packet_count() > 0:
			way.put_packet(peer.get_packet())
		while way.get_available_packet_count() > 0:
			peer.put_packet(way.get_packet())


func carry_to_server() -> void:
	client_dtls.poll()
	if client_dtls.get_status() != PacketPeerDTLS.STATUS_CONNECTED:
		return
	if listener.is_connection_available():
		ways[listener.take_connection()] = null
	for way: PacketPeerUDP in ways:
		while way.get_available_packet_count() > 0:
			client_dtls.put_packet(way.get_packet())
		while client_dtls.get_available_packet_count() > 0:
			way.put_packet(client_dtls.get_packet())


func say() -> void:
	sent += 1
	match sent % 4:
		0: shoot.rpc_id(1, Vector2(sent, -1.5), sent)
		1: move.rpc_id(1, Vector3(sent, 0.5, 2))
		2: chat.rpc_id(1, "round %d" % sent, {"team": sent % 2 == 0, "at": [1, 2.5]})
		3: load_level.rpc_id(1, "x".repeat(1600 + sent))


func note(call: String, arguments: Array) -> void:
	log_file.store_line("%s %s %s" % ["server" if is_server else "client", call, var_to_str(arguments).replace("\n", "")])
	if is_server:
		answer.rpc_id(multiplayer.get_remote_sender_id(), call, arguments.size())


@rpc("any_peer", "call_remote", "reliable")
func shoot(at: Vector2, number: int) -> void:
	note("shoot", [at, number])


@rpc("any_peer", "call_remote", "unreliable")
func move(to: Vector3) -> void:
	note("move", [to])


@rpc("any_peer", "call_remote", "reliable")
func chat(text: String, more: Dictionary) -> void:
	note("chat", [text, more])


@rpc("any_peer", "call_remote", "reliable")
func load_level(level: String) -> void:
	note("load_level", [level.length()])


@rpc("authority", "call_remote", "unreliable_ordered")
func answer(call: String, count: int) -> void:
	note("answer", [call, count])
