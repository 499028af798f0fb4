# SPDX-License-Identifier: MIT
extends Reference
# A stream of length-prefixed packets: one, several or a part of a packet in a TCP segment.

const Values := preload("values.gd")
const PORT := 5006

var _expected
var _streams := {} # StreamPeerTCP by name
var _packets := {} # PacketPeerStream by name


func run(expected) -> void:
	_expected = expected
	_connect()
	# This packet identifies the protocol of the stream.
	_put_var("client", {"scenario": "tcp_types"})
	var values := Values.new()
	for value in values.ambiguous():
		_put_var("client", value)
	var count := 0
	for value in values.all():
		_put_var("client", value)
		count += 1
		if count % 10 == 0:
			_put_var("server", {"received": count, "last": value})

	# Longer than a segment.
	for from in ["client", "server"]:
		_put_var(from, _repeat("Grüße! ", 700))
		_put_var(from, PoolIntArray(range(1300)))
		_put_var(from, range(400))
		_put_var(from, {"name": "after the long ones"})

	# Several packets in one segment, and several that begin and end within segments.
	_put_together("client", [1, "two", {"three": 3.5}, Vector2(10.5, -3), [], null])
	_put_together("server", [{"cmd": "welcome"}, {"cmd": "state", "players": {7: {"hp": 87}}}])
	_put_together("client", ["short", _repeat("x", 2000), {"between": true}, _repeat("y", 3001), Color(1, 0.5, 0.25)])

	# Splits after byte 1, 2, 3 of the length, after the length, in the Variant's header, and in a value.
	for length in [1, 2, 3, 4, 6, 17]:
		_put_in_pieces("client", {"cut_after": length}, [length])
		_put_in_pieces("server", {"cut_after": length}, [length])
	_put_in_pieces("client", Vector2(10.5, -3), range(1, 16))

	_streams.client.disconnect_from_host()
	while _streams.server.get_status() == StreamPeerTCP.STATUS_CONNECTED:
		OS.delay_msec(1)


func _connect() -> void:
	var listener := TCP_Server.new()
	if listener.listen(PORT, "127.0.0.1") != OK:
		push_error("cannot use port %d" % PORT)
	_streams.client = StreamPeerTCP.new()
	_streams.client.connect_to_host("127.0.0.1", PORT)
	while not listener.is_connection_available() or _streams.client.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		OS.delay_msec(1)
	_streams.server = listener.take_connection()
	for name in _streams:
		_streams[name].set_no_delay(true) # every write is a segment of its own
		_packets[name] = PacketPeerStream.new()
		_packets[name].stream_peer = _streams[name]


func _put_var(from: String, value) -> void:
	_expected.variant(from, value)
	_packets[from].put_var(value)
	_receive(from)


func _put_together(from: String, values: Array) -> void:
	for value in values:
		_expected.variant(from, value)
	_streams[from].put_data(_framed(values))
	for value in values:
		_receive(from)


# Splits at these offsets, and continues after the other side has received the previous part.
func _put_in_pieces(from: String, value, cuts: Array) -> void:
	_expected.variant(from, value)
	var bytes := _framed([value])
	var start := 0
	for end in cuts + [bytes.size()]:
		_streams[from].put_data(bytes.subarray(start, end - 1))
		while _streams[_other(from)].get_available_bytes() < end:
			OS.delay_msec(1)
		start = end
	_receive(from)


func _framed(values: Array) -> PoolByteArray:
	var buffer := StreamPeerBuffer.new()
	for value in values:
		buffer.put_var(value)
	return buffer.data_array


func _receive(from: String) -> void:
	var receiver: PacketPeerStream = _packets[_other(from)]
	while receiver.get_available_packet_count() == 0:
		OS.delay_msec(1)
	receiver.get_packet()


func _other(name: String) -> String:
	return "server" if name == "client" else "client"


func _repeat(text: String, times: int) -> String:
	var result := ""
	for i in times:
		result += text
	return result
