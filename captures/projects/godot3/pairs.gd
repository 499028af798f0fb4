# SPDX-License-Identifier: MIT
extends Reference
# Two Variants in a packet: var2bytes(a) + var2bytes(b), by put_packet(). What the other end reads of them with
# bytes2var() stands behind the packet.

const SERVER_PORT := 5012
const CLIENT_PORT := 50001

const PAIRS := [
	[1, "fall"], [2, Vector2(10.5, -3)], [3, Vector3(1, 2, 0.5)], [4, -7], [5000000000, 0.1], ["move", 1.5],
	[true, "on"], [{"id": 7}, [1, 2]], ["chat", {"text": "Hello"}], [8, null], [false, 0],
]


func run(expected) -> void:
	var server := PacketPeerUDP.new()
	var client := PacketPeerUDP.new()
	if server.listen(SERVER_PORT, "127.0.0.1") != OK or client.listen(CLIENT_PORT, "127.0.0.1") != OK:
		push_error("cannot use the ports")
	client.set_dest_address("127.0.0.1", SERVER_PORT)
	for pair in PAIRS:
		var first := var2bytes(pair[0])
		var bytes := first + var2bytes(pair[1])
		expected.raw("client", bytes)
		client.put_packet(bytes)
		while server.get_available_packet_count() == 0:
			OS.delay_msec(1)
		var packet := server.get_packet()
		expected.message("server", "read", [bytes2var(packet), bytes2var(packet.subarray(first.size(), packet.size() - 1))])
