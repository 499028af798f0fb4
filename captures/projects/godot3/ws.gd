# SPDX-License-Identifier: MIT
extends Reference
# Packets over a WebSocket, from the HTTP upgrade to the closing handshake.

const PORT := 5011

var _expected
var _client := WebSocketClient.new()
var _server := WebSocketServer.new()
var _peers := {} # WebSocketPeer by name


func run(expected) -> void:
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
	_put_var("server", [1, 2.5, "three", NodePath("four"), Vector3(5, 6, 7)])
	_put_packet("client", "ping!".to_utf8())
	_put_packet("server", PoolByteArray([1, 2, 3, 4, 5]))
	_put_var("server", PoolIntArray(range(40))) # 16-bit length
	_put_var("client", PoolByteArray(range(3000))) # over several segments
	_put_var("client", {"cmd": "leave"})
	_close()


func _connect() -> void:
	_server.bind_ip = "127.0.0.1"
	_server.connect("client_connected", self, "_on_client_connected")
	_server.connect("client_disconnected", self, "_on_client_disconnected")
	if _server.listen(PORT) != OK:
		push_error("cannot use port %d" % PORT)
	_client.connect_to_url("ws://127.0.0.1:%d/game" % PORT)
	while not _peers.has("server") or _client.get_connection_status() != NetworkedMultiplayerPeer.CONNECTION_CONNECTED:
		_poll()
	_peers.client = _client.get_peer(1)


func _on_client_connected(id: int, _protocol: String) -> void:
	_peers.server = _server.get_peer(id)


func _on_client_disconnected(_id: int, _was_clean_close: bool) -> void:
	_peers.erase("server")


func _close() -> void:
	_client.disconnect_from_host(1000, "bye")
	while _peers.has("server") or _client.get_connection_status() != NetworkedMultiplayerPeer.CONNECTION_DISCONNECTED:
		_poll()


func _put_var(from: String, value) -> void:
	_expected.variant(from, value)
	_peers[from].put_var(value)
	_receive(from)


func _put_packet(from: String, bytes: PoolByteArray) -> void:
	_expected.raw(from, bytes)
	_peers[from].put_packet(bytes)
	_receive(from)


func _send_text(from: String, message: String) -> void:
	_expected.websocket_text(from, message)
	_peers[from].set_write_mode(WebSocketPeer.WRITE_MODE_TEXT)
	_peers[from].put_packet(message.to_utf8())
	_peers[from].set_write_mode(WebSocketPeer.WRITE_MODE_BINARY)
	_receive(from)


func _receive(from: String) -> void:
	var receiver: WebSocketPeer = _peers["server" if from == "client" else "client"]
	while receiver.get_available_packet_count() == 0:
		_poll()
	receiver.get_packet()


func _poll() -> void:
	_client.poll()
	_server.poll()
	OS.delay_msec(1)
