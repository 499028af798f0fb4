# SPDX-License-Identifier: MIT
extends RefCounted
## Bytes that a game packs by itself. At 5013 a format that only the game knows, written with a StreamPeerBuffer, whose
## description is own_bytes_layouts.txt; at 5014 Variants, and in between bytes of all kinds that hold something else;
## at 5015 and further up each kind alone.

const Expected := preload("expected.gd")

const FORMAT_PORT := 5013
const MIXED_PORT := 5014
const ALONE_PORT := 5015
const CLIENT_PORT := 50001

var _expected: Expected


func run(expected: Expected) -> void:
	_expected = expected
	_play_own_format()
	_play_mixed()
	_play_alone()


# ---- a custom format of the game

func _play_own_format() -> void:
	var ends := _open(FORMAT_PORT, CLIENT_PORT)
	for tick in 4:
		_send(ends, "own", _state(700 + tick, [[1, Vector3(1.5, -2, 0.25 * tick), "Ann"], [2, Vector3(tick, 64, 0), "Bób"],
				[255, Vector3.ZERO, ""]].slice(0, tick), {"round": tick}))
		_send(ends, "own", _command(1 + tick % 2, "Ann", 12.5 * tick, tick))


func _state(tick: int, players: Array, rest: Variant) -> PackedByteArray:
	var buffer := StreamPeerBuffer.new()
	var fields := ["kind=1", "tick=%d" % tick, "count=%d" % players.size()]
	buffer.big_endian = true
	buffer.put_u8(1)
	buffer.put_u16(tick)
	buffer.put_u8(players.size())
	for player: Array in players:
		buffer.put_u8(player[0])
		fields.append("players.slot=%d" % player[0])
		for i in 3:
			buffer.put_half(player[1][i])
			fields.append("players.pos=%s" % str(player[1][i]).trim_suffix(".0"))
		if player[0] != 255:
			buffer.put_utf8_string(player[2])
			fields.append("players.name=%s" % player[2])
	buffer.put_var(rest)
	fields.append("/rest/round:%d" % rest.round)
	_expected.event("own", fields)
	return buffer.data_array


func _command(action: int, target: String, amount: float, flags: int) -> PackedByteArray:
	var buffer := StreamPeerBuffer.new()
	buffer.put_u8(2)
	buffer.put_u8(action)
	buffer.put_string(target)
	buffer.put_double(amount)
	buffer.put_8(flags - 2)
	buffer.put_u8(flags | 0x40)
	_expected.event("own", ["kind=2", "action=%d" % action, "target=%s" % target, "amount=%s" % str(amount).trim_suffix(".0"),
			"delta=%d" % (flags - 2), "flags=%d" % (flags | 0x40), "flags.running=%d" % (flags & 1)])
	return buffer.data_array


# ---- bytes that hold something else

static func kinds() -> Dictionary:
	var state := {"hp": 87, "inv": ["sword", "bow"], "pos": Vector2(10.5, -3)}
	var large := {"players": range(12).map(func(i: int) -> Dictionary: return {"id": i, "name": "Player %d" % i, "hp": 100 - i})}
	var variant := var_to_bytes(state)
	var repeated := var_to_bytes(large)
	var little := StreamPeerBuffer.new()
	little.put_var(state)
	var big := StreamPeerBuffer.new()
	big.big_endian = true
	big.put_var(state)
	var text := StreamPeerBuffer.new()
	text.put_string("hello there")
	var aes := AESContext.new()
	aes.start(AESContext.MODE_ECB_ENCRYPT, "0123456789abcdef".to_utf8_buffer())
	var padded := variant.duplicate()
	padded.resize((padded.size() + 15) / 16 * 16)
	var encrypted := aes.update(padded)
	aes.finish()
	var image := Image.create(4, 3, false, Image.FORMAT_RGBA8)
	image.fill(Color.CORNFLOWER_BLUE)
	return {
		"json": JSON.stringify(state).to_utf8_buffer(),
		"text": "The match begins in 10 s".to_utf8_buffer(),
		"encrypted": encrypted,
		"length": little.data_array,
		"big_endian length": big.data_array,
		"two": variant + var_to_bytes(["second", 2]),
		"prefix": PackedByteArray([7]) + variant,
		"prefix of 3": PackedByteArray([1, 255, 7]) + variant,
		"put_string": text.data_array,
		"deflate": repeated.compress(FileAccess.COMPRESSION_DEFLATE),
		"fastlz": repeated.compress(FileAccess.COMPRESSION_FASTLZ),
		"gzip": repeated.compress(FileAccess.COMPRESSION_GZIP),
		"zstd": repeated.compress(FileAccess.COMPRESSION_ZSTD),
		"png": image.save_png_to_buffer(),
		"jpeg": image.save_jpg_to_buffer(),
		"webp": image.save_webp_to_buffer(),
		"in a Dictionary": var_to_bytes({"blob": variant, "seq": 7}),
		"compressed in a Dictionary": var_to_bytes({"blob": repeated.compress(FileAccess.COMPRESSION_ZSTD), "size": repeated.size()}),
		"JSON in a Dictionary": var_to_bytes({"blob": JSON.stringify(state).to_utf8_buffer()}),
	}


func _play_mixed() -> void:
	var ends := _open(MIXED_PORT, CLIENT_PORT)
	var all := kinds()
	for i in 3:
		_send(ends, "variant", var_to_bytes({"cmd": "move", "pos": Vector2(i, -3), "id": i}))
	for kind: String in all:
		_send(ends, kind, all[kind])
		_send(ends, "variant", var_to_bytes({"cmd": "move", "pos": Vector2(1, 2), "id": 7}))


func _play_alone() -> void:
	var all := kinds()
	var port := ALONE_PORT
	for kind: String in all:
		var ends := _open(port, CLIENT_PORT + 1)
		for i in 3:
			_send(ends, kind, all[kind])
		port += 1


# ---- sockets

func _open(port: int, client_port: int) -> Array[PacketPeerUDP]:
	var ends: Array[PacketPeerUDP] = [PacketPeerUDP.new(), PacketPeerUDP.new()]
	ends[0].bind(client_port, "127.0.0.1")
	ends[1].bind(port, "127.0.0.1")
	ends[0].set_dest_address("127.0.0.1", port)
	return ends


func _send(ends: Array[PacketPeerUDP], kind: String, bytes: PackedByteArray) -> void:
	if kind != "own":
		_expected.event("bytes", [kind, ends[1].get_local_port(), bytes.hex_encode()])
	ends[0].put_packet(bytes)
	while ends[1].get_available_packet_count() == 0:
		OS.delay_msec(1)
	assert(ends[1].get_packet() == bytes)
