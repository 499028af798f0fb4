# SPDX-License-Identifier: MIT
extends Reference
# PacketPeerUDP ends on 127.0.0.1, by name.

var _expected
var _peers := {}
var _ports := {}


func _init(expected) -> void:
	_expected = expected


func open(name: String, port: int) -> void:
	var peer := PacketPeerUDP.new()
	if peer.listen(port, "127.0.0.1") != OK:
		push_error("cannot use port %d" % port)
	_peers[name] = peer
	_ports[name] = port


func put_var(from: String, to: String, value, full_objects := false) -> void:
	_expected.variant(from, value, full_objects)
	_aim(from, to).put_var(value, full_objects)
	_receive(to)


func put_raw(from: String, to: String, bytes: PoolByteArray) -> void:
	_expected.raw(from, bytes)
	_aim(from, to).put_packet(bytes)
	_receive(to)


func _aim(from: String, to: String) -> PacketPeerUDP:
	_peers[from].set_dest_address("127.0.0.1", _ports[to])
	return _peers[from]


func _receive(to: String) -> void:
	while _peers[to].get_available_packet_count() == 0:
		OS.delay_msec(1)
	_peers[to].get_packet()
