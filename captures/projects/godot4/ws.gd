# SPDX-License-Identifier: MIT
extends RefCounted
## Packets over a WebSocket, from the HTTP upgrade to the closing handshake.

const Expected := preload("expected.gd")
const PORT := 5011

var _expected: Expected
var _peers := {"client": WebSocketPeer.new(), "server": WebSocketPeer.new()}


func run(expected: Expected) -> void:
	_expected = expected
	_connect()
	var player := {"name": "Ada", "hp": 87, "pos": Vector2(10.5, -3), "inventory": ["sword", "map"]}
	_put_var("client", {"cmd": "join", "name": "Ada"})
	_put_var("server", {"cmd": "welcome", "id": 7, "player": player})
	_send_text("client", "Hello from the client, Grüße!")
	_send_text("server", "{\"motd\": \"Hello from the server\"}")
	_put_var("client", {"cmd": "move", "pos": Vector2(12, -1.5), "id": 7})
	_put_var("server", {"cmd": "state", "tick": 1, "players": {7: player}})
	_put_var("client", Color(1, 0.5, 0.25))
	_put_var("client", null)
	_put_var("server", [1, 2.5, "three", &"four", Vector3i(5, 6, 7)])
	_put_packet("client", "ping!".to_utf8_buffer())
	_put_packet("server", PackedByteArray([1, 2, 3, 4, 5]))
	_put_var("server", PackedInt32Array(range(40))) # 16-bit length
	_put_var("client", "x".repeat(3000)) # over several segments
	_put_var("client", {"cmd": "leave"})
	_close()


func _connect() -> void:
	var listener := TCPServer.new()
	var error := listener.listen(PORT, "127.0.0.1")
	assert(error == OK, error_string(error))
	_peers.client.connect_to_url("ws://127.0.0.1:%d/game" % PORT)
	while not listener.is_connection_available():
		_poll()
	_peers.server.accept_stream(listener.take_connection())
	while _peers.client.get_ready_state() != WebSocketPeer.STATE_OPEN or _peers.server.get_ready_state() != WebSocketPeer.STATE_OPEN:
		_poll()


func _close() -> void:
	_peers.client.close(1000, "bye")
	while _peers.client.get_ready_state() != WebSocketPeer.STATE_CLOSED or _peers.server.get_ready_state() != WebSocketPeer.STATE_CLOSED:
		_poll()


func _put_var(from: String, value: Variant) -> void:
	_expected.variant(from, value)
	_peers[from].put_var(value)
	_receive(from)


func _put_packet(from: String, bytes: PackedByteArray) -> void:
	_expected.raw(from, bytes)
	_peers[from].put_packet(bytes)
	_receive(from)


func _send_text(from: String, message: String) -> void:
	_expected.websocket_text(from, message)
	_peers[from].send_text(message)
	_receive(from)


func _receive(from: String) -> void:
	var receiver: WebSocketPeer = _peers["server" if from == "client" else "client"]
	while receiver.get_available_packet_count() == 0:
		_poll()
	receiver.get_packet()


func _poll() -> void:
	for peer: WebSocketPeer in _peers.values():
		peer.poll()
	OS.delay_msec(1)
