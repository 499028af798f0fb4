# SPDX-License-Identifier: MIT
extends RefCounted
## StreamPeer.big_endian and put_var(): set at one end only, with answers and without; at both ends; and lengths that
## are lengths in either byte order.

const Expected := preload("expected.gd")
const PORT_OF_ONE_END := 5043
const PORT_WITHOUT_ANSWERS := 5044
const PORT_OF_BOTH_ENDS := 5045

var _expected: Expected
var _streams := {} # StreamPeerTCP by name


func run(expected: Expected) -> void:
	_expected = expected
	# Neither side can read anything: get_var() waits for packets of millions of bytes, or fails.
	_connect(PORT_OF_ONE_END, ["client"])
	for i in 4:
		_put_var("client", {"name": "Anna", "hp": 10 + i})
		_put_var("server", [i, {"pos": Vector2(1.5, i)}])
	_close()

	_connect(PORT_WITHOUT_ANSWERS, ["client"])
	for i in 3:
		_put_var("client", {"name": "Bo", "hp": i})
	_close()

	_connect(PORT_OF_BOTH_ENDS, ["client", "server"])
	for value: Variant in ["one", 2, {"three": 3.5}, "x".repeat(248), "y".repeat(2040), "z".repeat(504), null, "end"]:
		_put_var("client", value)
		_take("server", value)
		_put_var("server", {"got": value})
		_take("client", {"got": value})
	_close()


func _connect(port: int, big_endian: Array) -> void:
	var listener := TCPServer.new()
	var error := listener.listen(port, "127.0.0.1")
	assert(error == OK, error_string(error))
	_streams.client = StreamPeerTCP.new()
	_streams.client.connect_to_host("127.0.0.1", port)
	while not listener.is_connection_available() or _streams.client.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		_streams.client.poll()
		OS.delay_msec(1)
	_streams.server = listener.take_connection()
	listener.stop()
	for name: String in _streams:
		_streams[name].set_no_delay(true) # every write is a segment of its own
		_streams[name].big_endian = name in big_endian


func _close() -> void:
	# A side that has not read all data does not notice that the other side has disconnected.
	for name: String in _streams:
		_streams[name].get_data(_streams[name].get_available_bytes())
	_streams.client.disconnect_from_host()
	while _streams.server.get_status() == StreamPeerTCP.STATUS_CONNECTED:
		_streams.server.poll()
		OS.delay_msec(1)


## Waits until the whole value has arrived.
func _put_var(from: String, value: Variant) -> void:
	_expected.variant(from, value)
	var receiver: StreamPeerTCP = _streams["server" if from == "client" else "client"]
	var end: int = receiver.get_available_bytes() + 4 + var_to_bytes(value).size()
	_streams[from].put_var(value)
	while receiver.get_available_bytes() < end:
		OS.delay_msec(1)


func _take(by: String, value: Variant) -> void:
	var got: Variant = _streams[by].get_var()
	assert(var_to_bytes(got) == var_to_bytes(value), "%s got %s" % [by, got])
