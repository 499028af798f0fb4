# SPDX-License-Identifier: MIT
extends RefCounted
## Bytes that a game packs by itself, as packets of a PacketPeerStream over TCP: each kind of own_bytes.gd in a connection
## of its own, from port 50100 on, then more compressed bytes than a segment holds, and compressed bytes from both ends.

const Expected := preload("expected.gd")
const OwnBytes := preload("own_bytes.gd")

const FIRST_PORT := 50100

var _expected: Expected
var _port := FIRST_PORT


func run(expected: Expected) -> void:
	_expected = expected
	var kinds := OwnBytes.kinds()
	for kind: String in kinds:
		_play([[0, kind, kinds[kind]], [0, kind, kinds[kind]], [0, kind, kinds[kind]]])
	var players := range(360).map(func(i: int) -> Dictionary: return {"id": i, "seed": hash(i), "name": "Player %d" % i})
	var large := var_to_bytes({"players": players}).compress(FileAccess.COMPRESSION_DEFLATE)
	assert(large.size() > 3000)
	_play([[0, "large", large], [0, "zstd", kinds.zstd], [0, "large", large]])
	_play([[0, "deflate", kinds.deflate], [1, "zstd", kinds.zstd], [0, "json", kinds.json], [1, "text", kinds.text]])


## @param packets the end that sends, the kind, the bytes
func _play(packets: Array) -> void:
	var listener := TCPServer.new()
	var error := listener.listen(_port, "127.0.0.1")
	assert(error == OK, error_string(error))
	var streams: Array[StreamPeerTCP] = [StreamPeerTCP.new(), null]
	streams[0].connect_to_host("127.0.0.1", _port)
	while not listener.is_connection_available() or streams[0].get_status() != StreamPeerTCP.STATUS_CONNECTED:
		streams[0].poll()
		OS.delay_msec(1)
	streams[1] = listener.take_connection()
	listener.stop()
	var peers: Array[PacketPeerStream] = []
	for stream in streams:
		stream.set_no_delay(true) # every packet is a segment of its own
		peers.append(PacketPeerStream.new())
		peers[-1].stream_peer = stream
	for packet: Array in packets:
		_expected.event("bytes", [packet[1], _port, packet[2].hex_encode()])
		peers[packet[0]].put_packet(packet[2])
		var receiver := peers[1 - packet[0]]
		while receiver.get_available_packet_count() == 0:
			OS.delay_msec(1)
		assert(receiver.get_packet() == packet[2])
	streams[0].disconnect_from_host()
	while streams[1].get_status() == StreamPeerTCP.STATUS_CONNECTED:
		streams[1].poll()
		OS.delay_msec(1)
	_port += 1
