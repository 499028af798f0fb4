# SPDX-License-Identifier: MIT
extends RefCounted
## A bad line between clients and a server: it loses some datagrams and delays
## all of them, each by a time of its own, so some overtake others.

const LOSS := 0.15
const MIN_DELAY := 15 # milliseconds, each way
const MAX_DELAY := 25

var loss := LOSS

var _server_port: int
var _front := PacketPeerUDP.new()
var _backs := {} # the server's side of the line, by the client's port
var _random := RandomNumberGenerator.new()
var _waiting := [] # of [when due, socket, port, datagram]


func _init(port: int, server_port: int) -> void:
	_server_port = server_port
	_random.seed = port
	var error := _front.bind(port, "127.0.0.1")
	assert(error == OK, "port %d: %s" % [port, error_string(error)])


func poll() -> void:
	while _front.get_available_packet_count() > 0:
		var datagram := _front.get_packet()
		_take(_back(_front.get_packet_port()), _server_port, datagram)
	for client: int in _backs:
		while _backs[client].get_available_packet_count() > 0:
			_take(_front, client, _backs[client].get_packet())
	_waiting.sort_custom(func(a: Array, b: Array) -> bool: return a[0] < b[0])
	while _waiting and _waiting[0][0] <= Time.get_ticks_usec():
		var next: Array = _waiting.pop_front()
		next[1].set_dest_address("127.0.0.1", next[2])
		next[1].put_packet(next[3])


func _take(socket: PacketPeerUDP, port: int, datagram: PackedByteArray) -> void:
	if _random.randf() >= loss:
		var delay := _random.randi_range(1000 * MIN_DELAY, 1000 * MAX_DELAY)
		_waiting.append([Time.get_ticks_usec() + delay, socket, port, datagram])


func _back(client: int) -> PacketPeerUDP:
	if not _backs.has(client):
		_backs[client] = PacketPeerUDP.new()
		_backs[client].bind(client + 1000, "127.0.0.1") # none of another client's
	return _backs[client]
