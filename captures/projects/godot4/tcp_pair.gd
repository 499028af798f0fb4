# SPDX-License-Identifier: MIT
extends RefCounted
## The client's and the server's side of a TCP connection on loopback.


static func connect_at(port: int) -> Array[StreamPeerTCP]:
	var listener := TCPServer.new()
	var error := listener.listen(port, "127.0.0.1")
	assert(error == OK, error_string(error))
	var streams: Array[StreamPeerTCP] = [StreamPeerTCP.new(), null]
	streams[0].connect_to_host("127.0.0.1", port)
	while not listener.is_connection_available() or streams[0].get_status() != StreamPeerTCP.STATUS_CONNECTED:
		streams[0].poll()
		OS.delay_msec(1)
	streams[1] = listener.take_connection()
	listener.stop()
	for stream in streams:
		stream.set_no_delay(true) # what is put is a segment of its own
	return streams


static func close(streams: Array[StreamPeerTCP]) -> void:
	streams[0].disconnect_from_host()
	while streams[1].get_status() == StreamPeerTCP.STATUS_CONNECTED:
		streams[1].poll()
		OS.delay_msec(1)
