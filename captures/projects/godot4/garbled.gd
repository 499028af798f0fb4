# SPDX-License-Identifier: MIT
extends RefCounted
## Packets that get_var() of a PacketPeer rejects or misreads: mistakes of a game's author.

const Expected := preload("expected.gd")

const SERVER_PORT := 5010
const CLIENT_PORT := 50001

var _expected: Expected
var _client := PacketPeerUDP.new()
var _server := PacketPeerUDP.new()


func run(expected: Expected) -> void:
	_expected = expected
	_server.bind(SERVER_PORT, "127.0.0.1")
	_client.bind(CLIENT_PORT, "127.0.0.1")
	_client.set_dest_address("127.0.0.1", SERVER_PORT)
	var move := {"cmd": "move", "pos": Vector2(10.5, -3), "id": 7}
	_send("a Variant", var_to_bytes(move))
	_send("another one", var_to_bytes({"cmd": "chat", "text": "Hello"}))
	var stream := StreamPeerBuffer.new()
	stream.put_var(move)
	_send("as a stream has it, its length before it", stream.data_array)
	_send("with bytes behind it", var_to_bytes(move) + PackedByteArray([1, 2, 3, 4]))
	_send("compressed", var_to_bytes([move, move, move]).compress(FileAccess.COMPRESSION_ZSTD))
	# {"cmd": "move", "pos": Vector3(1, 2, 3)} with the type ids of Godot 3.
	_send("of Godot 3", PackedByteArray([18, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 99, 109, 100, 0, 4, 0, 0, 0,
			4, 0, 0, 0, 109, 111, 118, 101, 4, 0, 0, 0, 3, 0, 0, 0, 112, 111, 115, 0, 7, 0, 0, 0,
			0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64]))


func _send(what: String, bytes: PackedByteArray) -> void:
	_expected.event("garbled", [what, bytes.hex_encode()])
	_client.put_packet(bytes)
	while _server.get_available_packet_count() == 0:
		OS.delay_msec(1)
	assert(_server.get_packet() == bytes)
