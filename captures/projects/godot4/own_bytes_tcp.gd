# SPDX-License-Identifier: MIT
extends RefCounted
## Bytes that a game packs by itself, as packets of a PacketPeerStream over TCP: each kind of own_bytes.gd in a connection
## of its own, from port 50100 on, then more compressed bytes than a segment holds, and compressed bytes from both ends.

const Expected := preload("expected.gd")
const TcpPair := preload("tcp_pair.gd")
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


## @param packets the sending side, the kind, the bytes
func _play(packets: Array) -> void:
	var streams := TcpPair.connect_at(_port)
	var peers: Array[PacketPeerStream] = []
	for stream in streams:
		peers.append(PacketPeerStream.new())
		peers[-1].stream_peer = stream
	for packet: Array in packets:
		_expected.event("bytes", [packet[1], _port, packet[2].hex_encode()])
		peers[packet[0]].put_packet(packet[2])
		var receiver := peers[1 - packet[0]]
		while receiver.get_available_packet_count() == 0:
			OS.delay_msec(1)
		assert(receiver.get_packet() == packet[2])
	TcpPair.close(streams)
	_port += 1
