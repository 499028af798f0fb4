# SPDX-License-Identifier: MIT
extends Node
## Games over WebSocket: the multiplayer's server (native) and clients, each of which has messages of its own, too, that
## come back.

const PORT := 9081
var proxy := "ws://127.0.0.1:9083"  # captures/deflate.js

var socket: WebSocketPeer
var steps: Array[Callable] = []
var frame := 0


func start(play: String) -> void:
	var peer := WebSocketMultiplayerPeer.new()
	if play == "wsserver":
		peer.create_server(PORT)
	else:
		if get_parent().relay:
			proxy = get_parent().relay
		peer.create_client(proxy + "/game")
		socket = WebSocketPeer.new()
		socket.connect_to_url(proxy + "/echo")
		_plan()
	multiplayer.multiplayer_peer = peer


func _plan() -> void:
	for value: Variant in [{"cmd": "join", "name": "Ada"}, Vector3(1, 2.5, -3), 7, [true, null, "x"]]:
		steps.append(_send.bind(var_to_bytes(value), false))
	steps.append(_send.bind("hello as text".to_utf8_buffer(), true))
	steps.append(_send.bind("bytes that read as text".to_utf8_buffer(), false))
	steps.append(_send.bind(('{"op": "state", "names": "%s"}' % "Ada, Bo, ".repeat(200)).to_utf8_buffer(), true))
	steps.append(_send.bind(PackedByteArray([1, 2, 3]), false))
	var bytes := PackedByteArray()
	bytes.resize(4000)
	steps.append(_send.bind(var_to_bytes(bytes), false))


func _process(_delta: float) -> void:
	if not socket:
		return
	socket.poll()
	while socket.get_available_packet_count():
		var bytes := socket.get_packet()
		get_parent().tell({"got": "echo", "is_text": socket.was_string_packet(), "bytes": bytes.hex_encode()})
	frame += 1
	if socket.get_ready_state() != WebSocketPeer.STATE_OPEN or frame % 3 or steps.is_empty():
		return
	steps.pop_front().call()
	if steps.is_empty():
		get_parent().tell({"done": true})


func _send(bytes: PackedByteArray, is_text: bool) -> void:
	socket.send(bytes, WebSocketPeer.WRITE_MODE_TEXT if is_text else WebSocketPeer.WRITE_MODE_BINARY)
	get_parent().tell({"sent": "echo", "is_text": is_text, "bytes": bytes.hex_encode()})
