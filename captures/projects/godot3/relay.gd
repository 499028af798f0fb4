# SPDX-License-Identifier: MIT
extends Reference
# A bad line between clients and a server: it loses some datagrams and delays
# all of them, each by a time of its own, so some overtake others.

const LOSS := 0.15
const MIN_DELAY := 15 # milliseconds, each way
const MAX_DELAY := 25
const BACK_PORTS := 50003 # the server's side of the line, and up

var loss := LOSS

var _server_port: int
var _front := PacketPeerUDP.new()
var _backs := {} # by the client's port
var _random := RandomNumberGenerator.new()
var _waiting := [] # of [when due, socket, port, datagram]


func _init(port: int, server_port: int) -> void:
	_server_port = server_port
	_random.seed = port
	_listen(_front, port)


func poll() -> void:
	while _front.get_available_packet_count() > 0:
		var datagram := _front.get_packet()
		_take(_back(_front.get_packet_port()), _server_port, datagram)
	for client in _backs:
		while _backs[client].get_available_packet_count() > 0:
			_take(_front, client, _backs[client].get_packet())
	_waiting.sort_custom(self, "_is_earlier")
	while not _waiting.empty() and _waiting[0][0] <= OS.get_ticks_usec():
		var next: Array = _waiting.pop_front()
		next[1].set_dest_address("127.0.0.1", next[2])
		next[1].put_packet(next[3])


func _take(socket: PacketPeerUDP, port: int, datagram: PoolByteArray) -> void:
	if _random.randf() >= loss:
		var delay := _random.randi_range(1000 * MIN_DELAY, 1000 * MAX_DELAY)
		_waiting.append([OS.get_ticks_usec() + delay, socket, port, datagram])


func _back(client: int) -> PacketPeerUDP:
	if not _backs.has(client):
		var back := PacketPeerUDP.new()
		_listen(back, BACK_PORTS + _backs.size())
		_backs[client] = back
	return _backs[client]


func _listen(socket: PacketPeerUDP, port: int) -> void:
	if socket.listen(port, "127.0.0.1") != OK:
		push_error("cannot use port %d" % port)


func _is_earlier(a: Array, b: Array) -> bool:
	return a[0] < b[0]
