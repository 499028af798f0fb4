# SPDX-License-Identifier: MIT
extends RefCounted
## Two Variants in a packet: var_to_bytes(a) + var_to_bytes(b), by put_packet(). What the other end reads of them with
## bytes_to_var() stands behind the packet.

const Expected := preload("expected.gd")

const SERVER_PORT := 5012
const CLIENT_PORT := 50001

static var PAIRS: Array = [
	[1, "fall"], [2, Vector2(10.5, -3)], [3, Vector3(1, 2, 0.5)], [4, -7], [5000000000, 0.1], ["move", 1.5],
	[true, "on"], [{"id": 7}, [1, 2]], ["chat", {"text": "Hello"}], [6, PackedByteArray([1, 2, 3])], [&"jump", 7],
	[8, null], [false, 0],
]


func run(expected: Expected) -> void:
	var server := PacketPeerUDP.new()
	var client := PacketPeerUDP.new()
	server.bind(SERVER_PORT, "127.0.0.1")
	client.bind(CLIENT_PORT, "127.0.0.1")
	client.set_dest_address("127.0.0.1", SERVER_PORT)
	for pair: Array in PAIRS:
		var first := var_to_bytes(pair[0])
		var bytes := first + var_to_bytes(pair[1])
		expected.raw("client", bytes)
		client.put_packet(bytes)
		while server.get_available_packet_count() == 0:
			OS.delay_msec(1)
		var packet := server.get_packet()
		expected.message("server", "read", "-", [bytes_to_var(packet), bytes_to_var(packet.slice(first.size()))])
