# SPDX-License-Identifier: MIT
extends RefCounted
## Bytes that a game writes into a StreamPeerTCP by itself, without PacketPeerStream: each way in a connection of its own,
## from port 50121 on, from the client to the server and back.

const Expected := preload("expected.gd")
const TcpPair := preload("tcp_pair.gd")

const FIRST_PORT := 50121

var _expected: Expected
var _port := FIRST_PORT


func run(expected: Expected) -> void:
	_expected = expected
	_play("json", func(stream: StreamPeer, i: int) -> void: stream.put_data(_json(i)))
	_play("lines", func(stream: StreamPeer, i: int) -> void: stream.put_data(_json(i) + "\n".to_utf8_buffer()))
	_play("short length", func(stream: StreamPeer, i: int) -> void:
		stream.put_data(_buffer(false, func(buffer: StreamPeer) -> void:
			buffer.put_u16(_json(i).size())
			buffer.put_data(_json(i)))))
	_play("big_endian length", func(stream: StreamPeer, i: int) -> void:
		stream.put_data(_buffer(true, func(buffer: StreamPeer) -> void:
			buffer.put_u32(_json(i).size())
			buffer.put_data(_json(i)))))
	_play("size and deflate", func(stream: StreamPeer, i: int) -> void:
		stream.put_data(_buffer(false, func(buffer: StreamPeer) -> void:
			buffer.put_u32(_long(i).size())
			buffer.put_data(_long(i).compress(FileAccess.COMPRESSION_DEFLATE)))))
	_play("size and fastlz", func(stream: StreamPeer, i: int) -> void:
		stream.put_data(_buffer(false, func(buffer: StreamPeer) -> void:
			buffer.put_u32(_long(i).size())
			buffer.put_data(_long(i).compress(FileAccess.COMPRESSION_FASTLZ)))))
	_play("kind and zstd", func(stream: StreamPeer, i: int) -> void:
		stream.put_data(_buffer(false, func(buffer: StreamPeer) -> void:
			buffer.put_u8(7)
			buffer.put_data(_long(i).compress(FileAccess.COMPRESSION_ZSTD)))))
	_play("records", func(stream: StreamPeer, i: int) -> void:
		stream.put_data(_buffer(false, func(buffer: StreamPeer) -> void:
			buffer.put_u8(i % 3)
			buffer.put_u32(7 * i)
			buffer.put_float(1.5 * i))))
	# Each call is a segment.
	_play("calls", func(stream: StreamPeer, i: int) -> void:
		stream.put_u8(i % 3)
		stream.put_u32(7 * i)
		stream.put_float(1.5 * i))
	_play("variants", func(stream: StreamPeer, i: int) -> void: stream.put_data(var_to_bytes({"cmd": "move", "id": i})))
	_play("utf8_string", func(stream: StreamPeer, i: int) -> void: stream.put_utf8_string("player %d moves" % i))


static func _json(i: int) -> PackedByteArray:
	return JSON.stringify({"cmd": "move", "id": i, "x": 1.5 * i}).to_utf8_buffer()


static func _long(i: int) -> PackedByteArray:
	var players := range(8).map(func(each: int) -> Dictionary: return {"id": each + i, "name": "Player %d" % each})
	return var_to_bytes({"players": players})


static func _buffer(big_endian: bool, write: Callable) -> PackedByteArray:
	var buffer := StreamPeerBuffer.new()
	buffer.big_endian = big_endian
	write.call(buffer)
	return buffer.data_array


func _play(way: String, write: Callable) -> void:
	var streams := TcpPair.connect_at(_port)
	for i in 6:
		write.call(streams[i % 2], i)
		var receiver := streams[1 - i % 2]
		while receiver.get_available_bytes() == 0:
			receiver.poll()
			OS.delay_msec(1)
		OS.delay_msec(2)
		var bytes: PackedByteArray = receiver.get_data(receiver.get_available_bytes())[1]
		_expected.event("bytes", [way, _port, bytes.hex_encode()])
	TcpPair.close(streams)
	_port += 1
