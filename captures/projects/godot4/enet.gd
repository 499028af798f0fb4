# SPDX-License-Identifier: MIT
extends RefCounted
## ENet by itself: ENetConnection and ENetPacketPeer, no multiplayer. Two
## clients play a session; the first one comes back for another.
##
## Here many packets are on their way at once, so the file of expectations has
## them in the order they were handed to ENet, not that of the capture.

const Expected := preload("expected.gd")
const Relay := preload("relay.gd")

const RELIABLE := ENetPacketPeer.FLAG_RELIABLE
const UNRELIABLE := 0
const UNSEQUENCED := ENetPacketPeer.FLAG_UNSEQUENCED
const UNRELIABLE_FRAGMENT := ENetPacketPeer.FLAG_UNRELIABLE_FRAGMENT
const FLAG_NAMES := {
	RELIABLE: "reliable",
	UNRELIABLE: "unreliable",
	UNSEQUENCED: "unsequenced",
	UNRELIABLE_FRAGMENT: "unreliable_fragment",
}

const COMPRESSION := {
	"enet_none": ENetConnection.COMPRESS_NONE,
	"enet_range_coder": ENetConnection.COMPRESS_RANGE_CODER,
	"enet_fastlz": ENetConnection.COMPRESS_FASTLZ,
	"enet_zlib": ENetConnection.COMPRESS_ZLIB,
	"enet_zstd": ENetConnection.COMPRESS_ZSTD,
	"enet_loss": ENetConnection.COMPRESS_NONE,
}
const PORTS := {
	"enet_none": 5020, "enet_range_coder": 5021, "enet_fastlz": 5022, "enet_zlib": 5023, "enet_zstd": 5024,
	"enet_loss": 5025,
}
const SERVER_BEHIND_RELAY := 5026

const CHANNELS := 4
const CONNECT_DATA := {"client": 1001, "client2": 1002}

var _expected: Expected
var _scenario: String
var _random := RandomNumberGenerator.new()
var _relay: Relay
var _port: int
var _hosts := {}
var _to_server := {} # the server as a peer, by the client's name
var _to_client := {} # the client as a peer of the server
var _on_the_way := {} # reliable packets that have not arrived: how many, by their bytes


func run(expected: Expected, scenario: String) -> void:
	_expected = expected
	_scenario = scenario
	_random.seed = 46
	_port = PORTS[scenario]
	var server_port := _port
	if scenario == "enet_loss":
		server_port = SERVER_BEHIND_RELAY
		_relay = Relay.new(_port, server_port)
	_open("server", server_port, 4)
	_open("client", 50001, 1)
	_open("client2", 50002, 1)

	_connect("client")
	_connect("client2")
	_one_at_a_time()
	_many_at_once()
	_large()
	_quiet()
	_note_rtt(["client", "client2"])
	_close(func() -> void: _to_server.client.peer_disconnect(7), "client")
	_close(func() -> void: _to_client.client2.peer_disconnect_later(8), "client2")

	_connect("client")
	_second_session()
	_note_rtt(["client"])
	_close(func() -> void: _to_server.client.peer_disconnect_now(9), "client")


func _one_at_a_time() -> void:
	_put_var("client", "server", {"cmd": "join", "name": "Ada", "version": 3})
	_settle()
	_put_var("server", "client", {"cmd": "welcome", "id": 7, "map": "res://maps/harbour.tscn"})
	_settle()
	_put_var("client2", "server", {"cmd": "join", "name": "Bo", "version": 3})
	_settle()
	_put_var("server", "client2", {"cmd": "welcome", "id": 8, "map": "res://maps/harbour.tscn"})
	_settle()
	for flags: int in FLAG_NAMES:
		for channel in 3:
			_send_raw("client", "server", channel, flags, _noise(24))
			_settle()
			_send_var("server", "client", channel, flags, {"state": {"state": {"state": channel}}})
			_settle()
	if _scenario != "enet_range_coder": # the engine (4.6.3) crashes on an empty packet there
		_send_raw("client", "server", 3, RELIABLE, PackedByteArray())
		_settle()
	for value: Variant in [null, true, 7, 0.5, "text", Vector2(1, 2), [1, [2, [3]]], PackedByteArray([1, 2, 3])]:
		_put_var("client2", "server", value)
		_settle()


func _many_at_once() -> void:
	for i in 3:
		for client: String in ["client", "client2"]:
			_send_var(client, "server", 1, UNSEQUENCED, {"cmd": "aim", "angle": 0.25 * i, "by": client})
			_send_var(client, "server", 2, UNRELIABLE, {"cmd": "move", "pos": Vector2(i, -0.5), "by": client})
			_send_var(client, "server", 3, RELIABLE, {"cmd": "chat", "text": "Hello! 👋", "number": i, "by": client})
			_send_var("server", client, 1, UNSEQUENCED, {"cmd": "light", "color": Color(0.5, 0.25 * i, 1), "to": client})
			_send_var("server", client, 2, UNRELIABLE, {"cmd": "state", "tick": i, "to": client})
			_put_var("server", client, {"cmd": "hit", "by": 8, "damage": 13 + i, "to": client})
		_send_raw("client", "server", 2, UNRELIABLE, _noise(40))
		_send_raw("server", "client2", 1, RELIABLE, _noise(40))
	_settle()
	# More commands than the 32 that fit into a datagram.
	for i in 40:
		_send_var("client", "server", 1, RELIABLE, ["input", i])
	_settle()
	for i in 25 if _relay else 10:
		_send_var("client", "server", 2, UNRELIABLE, {"cmd": "move", "pos": Vector2(i, 1)})
		_send_var("server", "client", 1, UNSEQUENCED, {"cmd": "state", "tick": 10 + i, "players": {7: "Ada", 8: "Bo"}})
		_send_var("server", "client2", 2, UNRELIABLE, {"cmd": "state", "tick": 10 + i})
		_service(20)


func _large() -> void:
	_send_raw("client", "server", 1, RELIABLE, _noise(8000))
	_put_var("server", "client", _map(40))
	_settle()
	_send_raw("server", "client", 2, UNRELIABLE_FRAGMENT, _noise(6000))
	_send_var("client", "server", 3, UNRELIABLE_FRAGMENT, _map(28))
	_settle()
	# Larger than a datagram, and unreliable fragments are not allowed: ENet sends reliable fragments.
	_send_raw("client2", "server", 2, UNRELIABLE, _noise(1500))
	_send_var("server", "client2", 1, UNSEQUENCED, _map(8))
	_settle()
	if _relay:
		for i in 3:
			_send_var("client", "server", 3, UNRELIABLE_FRAGMENT, _map(7 + i))
			_send_var("server", "client2", 3, UNRELIABLE_FRAGMENT, _map(7 + i))
			_settle()


## Sends only pings for a while.
func _quiet() -> void:
	_to_client.client.throttle_configure(4000, 3, 1)
	_service(1100)
	_hosts.server.bandwidth_limit(200000, 100000)
	_service(600)


func _second_session() -> void:
	_put_var("client", "server", {"cmd": "join", "name": "Ada", "version": 3, "again": true})
	_put_var("server", "client", {"cmd": "welcome", "id": 9, "map": "res://maps/harbour.tscn"})
	_settle()
	_send_var("client", "server", 2, UNRELIABLE, {"cmd": "move", "pos": Vector2(8, 4)})
	_send_var("client", "server", 1, UNSEQUENCED, {"cmd": "aim", "angle": -1.5})
	_send_var("server", "client", 2, UNRELIABLE, {"cmd": "state", "tick": 1})
	_settle()
	_send_var("server", "client", 3, RELIABLE, _map(12))
	_send_var("client", "server", 3, UNRELIABLE_FRAGMENT, _map(12))
	_settle()
	_send_var("client", "server", 3, RELIABLE, "bye")
	_settle()


func _noise(size: int) -> PackedByteArray:
	var bytes := PackedByteArray()
	for i in size:
		bytes.append(_random.randi_range(0, 255))
	return bytes


## About 212 bytes per row, which compress well.
func _map(rows: int) -> Dictionary:
	var map := {"cmd": "map", "name": "harbour", "rows": []}
	for i in rows:
		map.rows.append("%s%03d%s" % ["~".repeat(80 + i), i, "#.".repeat(60 - i)])
	return map


func _open(name: String, port: int, peers: int) -> void:
	_hosts[name] = ENetConnection.new()
	var error: Error = _hosts[name].create_host_bound("127.0.0.1", port, peers)
	assert(error == OK, "port %d: %s" % [port, error_string(error)])
	_hosts[name].compress(COMPRESSION[_scenario])


func _connect(client: String) -> void:
	_to_client.erase(client)
	_to_server[client] = _hosts[client].connect_to_host("127.0.0.1", _port, CHANNELS, CONNECT_DATA[client])
	_until(func() -> bool:
		return _to_client.has(client) and _to_server[client].get_state() == ENetPacketPeer.STATE_CONNECTED)
	_service(50)


## The closing handshake is spared the losses: without its acknowledgement
## the other side would wait for many seconds.
func _close(disconnect: Callable, client: String) -> void:
	if _relay:
		_relay.loss = 0
	disconnect.call()
	_until(func() -> bool:
		return not _to_client[client].is_active() and not _to_server[client].is_active())
	_service(50)
	if _relay:
		_relay.loss = Relay.LOSS


## Always reliable, on channel 0.
func _put_var(from: String, to: String, value: Variant) -> void:
	_note(from, 0, RELIABLE, var_to_bytes(value))
	_expected.variant(from, value)
	_peer(from, to).put_var(value)


func _send_var(from: String, to: String, channel: int, flags: int, value: Variant) -> void:
	var bytes := var_to_bytes(value)
	_note(from, channel, flags, bytes)
	_expected.variant(from, value)
	_peer(from, to).send(channel, bytes, flags)


func _send_raw(from: String, to: String, channel: int, flags: int, bytes: PackedByteArray) -> void:
	_note(from, channel, flags, bytes)
	_expected.raw(from, bytes)
	_peer(from, to).send(channel, bytes, flags)


func _note(from: String, channel: int, flags: int, bytes: PackedByteArray) -> void:
	_expected.enet(from, channel, FLAG_NAMES[flags], bytes.size())
	if flags == RELIABLE:
		_on_the_way[bytes] = _on_the_way.get(bytes, 0) + 1


func _note_rtt(clients: Array) -> void:
	for client: String in clients:
		_expected.rtt(client, "server", _to_server[client].get_statistic(ENetPacketPeer.PEER_ROUND_TRIP_TIME))
		_expected.rtt("server", client, _to_client[client].get_statistic(ENetPacketPeer.PEER_ROUND_TRIP_TIME))


func _peer(from: String, to: String) -> ENetPacketPeer:
	return _to_client[to] if from == "server" else _to_server[from]


## Waits until all reliable packets have arrived, and a little longer.
func _settle() -> void:
	_until(func() -> bool: return _on_the_way.is_empty())
	_service(30 if _relay else 4)


func _until(condition: Callable) -> void:
	var deadline := Time.get_ticks_msec() + 10000
	while not condition.call():
		assert(Time.get_ticks_msec() < deadline, "waited in vain")
		_service(1)


func _service(milliseconds: int) -> void:
	var until := Time.get_ticks_msec() + milliseconds
	while Time.get_ticks_msec() < until:
		for name: String in _hosts:
			var event: Array = _hosts[name].service()
			while event[0] != ENetConnection.EVENT_NONE:
				assert(event[0] != ENetConnection.EVENT_ERROR)
				_handle(name, event)
				event = _hosts[name].service()
		if _relay:
			_relay.poll()
		OS.delay_msec(1)


func _handle(name: String, event: Array) -> void:
	match event[0]:
		ENetConnection.EVENT_CONNECT:
			if name == "server":
				_to_client[CONNECT_DATA.find_key(event[2])] = event[1]
		ENetConnection.EVENT_RECEIVE:
			var bytes: PackedByteArray = event[1].get_packet()
			_expected.received(name, event[3], bytes)
			if _on_the_way.has(bytes):
				_on_the_way[bytes] -= 1
				if _on_the_way[bytes] == 0:
					_on_the_way.erase(bytes)
