# SPDX-License-Identifier: MIT
extends Reference
# ENet by itself: NetworkedMultiplayerENet as a PacketPeer, no remote calls.
# Two clients play a session; the first one comes back for another.
#
# Here many packets are on their way at once, so the file of expectations has
# them in the order they were handed to ENet, not that of the capture.

const Relay := preload("relay.gd")

const RELIABLE := NetworkedMultiplayerPeer.TRANSFER_MODE_RELIABLE
const ORDERED := NetworkedMultiplayerPeer.TRANSFER_MODE_UNRELIABLE_ORDERED
const UNRELIABLE := NetworkedMultiplayerPeer.TRANSFER_MODE_UNRELIABLE
# Names of the modes in ENet.
const FLAG_NAMES := {RELIABLE: "reliable", ORDERED: "unreliable", UNRELIABLE: "unsequenced"}

const COMPRESSION := {
	"enet_none": NetworkedMultiplayerENet.COMPRESS_NONE,
	"enet_range_coder": NetworkedMultiplayerENet.COMPRESS_RANGE_CODER,
	"enet_fastlz": NetworkedMultiplayerENet.COMPRESS_FASTLZ,
	"enet_zlib": NetworkedMultiplayerENet.COMPRESS_ZLIB,
	"enet_zstd": NetworkedMultiplayerENet.COMPRESS_ZSTD,
	"enet_loss": NetworkedMultiplayerENet.COMPRESS_NONE,
}
const PORTS := {
	"enet_none": 5020, "enet_range_coder": 5021, "enet_fastlz": 5022, "enet_zlib": 5023, "enet_zstd": 5024,
	"enet_loss": 5025,
}
const SERVER_BEHIND_RELAY := 5026

const CHANNELS := 5
const OWN_CHANNEL := -1 # of the transfer mode: 1 for reliable, 2 for the others
const CLIENT_PORTS := {"client": 50001, "client2": 50002}

var _expected
var _random := RandomNumberGenerator.new()
var _relay
var _port: int
var _scenario: String
var _peers := {}
var _connected := {} # ids of the clients that the server knows
var _on_the_way := {} # reliable packets that have not arrived: how many, by their bytes


func run(expected, scenario: String) -> void:
	_expected = expected
	_scenario = scenario
	_random.seed = 3
	_port = PORTS[scenario]
	var server_port := _port
	if scenario == "enet_loss":
		server_port = SERVER_BEHIND_RELAY
		_relay = Relay.new(_port, server_port)
	_open_server(server_port)

	_connect_client("client")
	_connect_client("client2")
	_one_at_a_time()
	_many_at_once()
	_large()
	_service(1700) # nothing but pings
	_close_by_client("client")
	_close_by_server("client2")

	_connect_client("client")
	_second_session()
	_close_by_server("client")


func _one_at_a_time() -> void:
	_put_var("client", "server", OWN_CHANNEL, RELIABLE, {"cmd": "join", "name": "Ada", "version": 3})
	_settle()
	_put_var("server", "client", OWN_CHANNEL, RELIABLE, {"cmd": "welcome", "id": 7, "map": "res://maps/harbour.tscn"})
	_settle()
	_put_var("client2", "server", OWN_CHANNEL, RELIABLE, {"cmd": "join", "name": "Bo", "version": 3})
	_settle()
	_put_var("server", "client2", OWN_CHANNEL, RELIABLE, {"cmd": "welcome", "id": 8, "map": "res://maps/harbour.tscn"})
	_settle()
	for mode in FLAG_NAMES:
		for channel in [OWN_CHANNEL, 3, 4]:
			_put_raw("client", "server", channel, mode, _noise(24))
			_settle()
			_put_var("server", "client", channel, mode, {"state": {"state": {"state": channel}}})
			_settle()
	for value in [null, true, 7, 0.5, "text", Vector2(1, 2), [1, [2, [3]]], PoolByteArray([1, 2, 3])]:
		_put_var("client2", "server", OWN_CHANNEL, RELIABLE, value)
		_settle()


func _many_at_once() -> void:
	for i in 3:
		for client in ["client", "client2"]:
			_put_var(client, "server", OWN_CHANNEL, UNRELIABLE, {"cmd": "aim", "angle": 0.25 * i, "by": client})
			_put_var(client, "server", OWN_CHANNEL, ORDERED, {"cmd": "move", "pos": Vector2(i, -0.5), "by": client})
			_put_var(client, "server", 3, RELIABLE, {"cmd": "chat", "text": "Hello! 👋", "number": i, "by": client})
			_put_var("server", client, OWN_CHANNEL, UNRELIABLE, {"cmd": "light", "color": Color(0.5, 0.25 * i, 1), "to": client})
			_put_var("server", client, 4, ORDERED, {"cmd": "state", "tick": i, "to": client})
			_put_var("server", client, OWN_CHANNEL, RELIABLE, {"cmd": "hit", "by": 8, "damage": 13 + i, "to": client})
		_put_raw("client", "server", 4, ORDERED, _noise(40))
		_put_raw("server", "client2", 3, RELIABLE, _noise(40))
	_settle()
	# More commands than the 32 that fit into a datagram.
	for i in 40:
		_put_var("client", "server", 3, RELIABLE, ["input", i])
	_settle()
	for i in (25 if _relay else 10):
		_put_var("client", "server", OWN_CHANNEL, ORDERED, {"cmd": "move", "pos": Vector2(i, 1)})
		_put_var("server", "client", OWN_CHANNEL, UNRELIABLE, {"cmd": "state", "tick": 10 + i, "players": {7: "Ada", 8: "Bo"}})
		_put_var("server", "client2", 4, ORDERED, {"cmd": "state", "tick": 10 + i})
		_service(20)


func _large() -> void:
	_put_raw("client", "server", OWN_CHANNEL, RELIABLE, _noise(8000))
	_put_var("server", "client", 3, RELIABLE, _map(40))
	_settle()
	_put_raw("server", "client", OWN_CHANNEL, ORDERED, _noise(6000))
	_put_var("client", "server", 4, ORDERED, _map(28))
	_settle()
	_put_raw("client2", "server", 3, UNRELIABLE, _noise(1500))
	_put_var("server", "client2", OWN_CHANNEL, UNRELIABLE, _map(8))
	_settle()
	if _relay:
		for i in 3:
			_put_var("client", "server", 4, ORDERED, _map(7 + i))
			_put_var("server", "client2", 4, UNRELIABLE, _map(7 + i))
			_settle()


func _second_session() -> void:
	_put_var("client", "server", OWN_CHANNEL, RELIABLE, {"cmd": "join", "name": "Ada", "version": 3, "again": true})
	_put_var("server", "client", OWN_CHANNEL, RELIABLE, {"cmd": "welcome", "id": 9, "map": "res://maps/harbour.tscn"})
	_settle()
	_put_var("client", "server", OWN_CHANNEL, ORDERED, {"cmd": "move", "pos": Vector2(8, 4)})
	_put_var("client", "server", OWN_CHANNEL, UNRELIABLE, {"cmd": "aim", "angle": -1.5})
	_put_var("server", "client", OWN_CHANNEL, ORDERED, {"cmd": "state", "tick": 1})
	_settle()
	_put_var("server", "client", 3, RELIABLE, _map(12))
	_put_var("client", "server", 4, ORDERED, _map(12))
	_settle()
	_put_var("client", "server", OWN_CHANNEL, RELIABLE, "bye")
	_settle()


func _noise(size: int) -> PoolByteArray:
	var bytes := PoolByteArray()
	for i in size:
		bytes.append(_random.randi_range(0, 255))
	return bytes


# About 212 bytes per row, which compress well.
func _map(rows: int) -> Dictionary:
	var map := {"cmd": "map", "name": "harbour", "rows": []}
	for i in rows:
		map.rows.append("%s%03d%s" % ["~".repeat(80 + i), i, "#.".repeat(60 - i)])
	return map


func _open_server(port: int) -> void:
	var server := _new_peer("server")
	server.set_bind_ip("127.0.0.1")
	_check(server.create_server(port, 4), "port %d" % port)
	_check(server.connect("peer_connected", self, "_on_peer_connected"), "signal")
	_check(server.connect("peer_disconnected", self, "_on_peer_disconnected"), "signal")


func _new_peer(name: String) -> NetworkedMultiplayerENet:
	var peer := NetworkedMultiplayerENet.new()
	peer.compression_mode = COMPRESSION[_scenario]
	peer.channel_count = CHANNELS
	_peers[name] = peer
	return peer


func _connect_client(name: String) -> void:
	var client := _new_peer(name)
	_check(client.create_client("127.0.0.1", _port, 0, 0, CLIENT_PORTS[name]), name)
	var deadline := _deadline()
	while not _connected.has(client.get_unique_id()) or not _is_connected(client):
		_service_before(deadline)
	_service(50)


# The farewells are spared the losses: without an acknowledgement the other
# side would wait for many seconds.
func _close_by_client(name: String) -> void:
	_set_loss(0)
	var id: int = _peers[name].get_unique_id()
	_peers[name].close_connection()
	var deadline := _deadline()
	while _connected.has(id):
		_service_before(deadline)
	_service(50)
	_set_loss(Relay.LOSS)


func _close_by_server(name: String) -> void:
	_set_loss(0)
	_peers.server.disconnect_peer(_peers[name].get_unique_id())
	var deadline := _deadline()
	while _is_connected(_peers[name]):
		_service_before(deadline)
	_service(50)
	_set_loss(Relay.LOSS)


func _set_loss(loss: float) -> void:
	if _relay:
		_relay.loss = loss


func _is_connected(peer: NetworkedMultiplayerENet) -> bool:
	return peer.get_connection_status() == NetworkedMultiplayerPeer.CONNECTION_CONNECTED


func _on_peer_connected(id: int) -> void:
	_connected[id] = true


func _on_peer_disconnected(id: int) -> void:
	_connected.erase(id)


func _put_var(from: String, to: String, channel: int, mode: int, value) -> void:
	_note(from, channel, mode, var2bytes(value))
	_expected.variant(from, value)
	_check(_aim(from, to, channel, mode).put_var(value), "put_var")


func _put_raw(from: String, to: String, channel: int, mode: int, bytes: PoolByteArray) -> void:
	_note(from, channel, mode, bytes)
	_expected.raw(from, bytes)
	_check(_aim(from, to, channel, mode).put_packet(bytes), "put_packet")


func _note(from: String, channel: int, mode: int, bytes: PoolByteArray) -> void:
	if channel == OWN_CHANNEL:
		channel = 1 if mode == RELIABLE else 2
	_expected.enet(from, channel, FLAG_NAMES[mode], bytes.size())
	if mode == RELIABLE:
		var key := bytes.hex_encode()
		_on_the_way[key] = _on_the_way.get(key, 0) + 1


func _aim(from: String, to: String, channel: int, mode: int) -> NetworkedMultiplayerENet:
	var peer: NetworkedMultiplayerENet = _peers[from]
	peer.set_target_peer(_peers[to].get_unique_id())
	peer.transfer_channel = channel
	peer.transfer_mode = mode
	return peer


# Waits until all reliable packets have arrived, and a little longer.
func _settle() -> void:
	var deadline := _deadline()
	while not _on_the_way.empty():
		_service_before(deadline)
	_service(30 if _relay else 4)


func _deadline() -> int:
	return OS.get_ticks_msec() + 10000


func _service_before(deadline: int) -> void:
	assert(OS.get_ticks_msec() < deadline, "waited in vain")
	_service(1)


func _service(milliseconds: int) -> void:
	var until := OS.get_ticks_msec() + milliseconds
	while OS.get_ticks_msec() < until:
		for name in _peers:
			var peer: NetworkedMultiplayerENet = _peers[name]
			if peer.get_connection_status() != NetworkedMultiplayerPeer.CONNECTION_DISCONNECTED:
				peer.poll()
				_receive(name, peer)
		if _relay:
			_relay.poll()
		OS.delay_msec(1)


func _receive(name: String, peer: NetworkedMultiplayerENet) -> void:
	while peer.get_available_packet_count() > 0:
		var channel := peer.get_packet_channel()
		var bytes := peer.get_packet()
		_expected.received(name, channel, bytes)
		var key := bytes.hex_encode()
		if _on_the_way.has(key):
			_on_the_way[key] -= 1
			if _on_the_way[key] == 0:
				_on_the_way.erase(key)


func _check(error: int, what: String) -> void:
	if error != OK:
		push_error("%s: error %d" % [what, error])
