# SPDX-License-Identifier: MIT
extends RefCounted
## PacketPeerUDP ends on 127.0.0.1, by name.

const Expected := preload("expected.gd")

var _expected: Expected
var _peers := {}


func _init(expected: Expected) -> void:
	_expected = expected


func open(name: String, port: int) -> void:
	var peer := PacketPeerUDP.new()
	var error := peer.bind(port, "127.0.0.1")
	assert(error == OK, "port %d: %s" % [port, error_string(error)])
	_peers[name] = peer


func put_var(from: String, to: String, value: Variant, full_objects := false) -> void:
	_expected.variant(from, value, full_objects)
	_aim(from, to).put_var(value, full_objects)
	_receive(to)


func put_raw(from: String, to: String, bytes: PackedByteArray) -> void:
	_expected.raw(from, bytes)
	_aim(from, to).put_packet(bytes)
	_receive(to)


func _aim(from: String, to: String) -> PacketPeerUDP:
	_peers[from].set_dest_address("127.0.0.1", _peers[to].get_local_port())
	return _peers[from]


func _receive(to: String) -> void:
	while _peers[to].get_available_packet_count() == 0:
		OS.delay_msec(1)
	_peers[to].get_packet()
