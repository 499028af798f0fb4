# SPDX-License-Identifier: MIT
extends Node
## Connects peers: sends JSON texts over a WebSocket to a server, which forwards them.

signal met(id: int)
signal told(from: int, message: Dictionary)

const PORT := 9080

var server: TCPServer
var guests: Array[WebSocketPeer] = []
var names := {}  # guests, by id
var socket: WebSocketPeer
var own_id := 0
var has_joined := false


func serve() -> void:
	server = TCPServer.new()
	server.listen(PORT)


func join(id: int) -> void:
	own_id = id
	socket = WebSocketPeer.new()
	socket.connect_to_url("ws://127.0.0.1:%d" % PORT)


func send(to: int, message: Dictionary) -> void:
	message.merge({"from": own_id, "to": to})
	socket.send_text(JSON.stringify(message))


func _process(_delta: float) -> void:
	if server:
		_serve()
	if socket:
		_talk()


func _serve() -> void:
	if server.is_connection_available():
		var guest := WebSocketPeer.new()
		guest.accept_stream(server.take_connection())
		guests.append(guest)
	for guest in guests:
		guest.poll()
		while guest.get_available_packet_count():
			var message: Dictionary = JSON.parse_string(guest.get_packet().get_string_from_utf8())
			if message.to == 0:
				for id: int in names:
					guest.send_text(JSON.stringify({"from": id, "met": true}))
				names[int(message.from)] = guest
			else:
				names[int(message.to)].send_text(JSON.stringify(message))


func _talk() -> void:
	socket.poll()
	if socket.get_ready_state() != WebSocketPeer.STATE_OPEN:
		return
	if not has_joined:
		has_joined = true
		send(0, {})
	while socket.get_available_packet_count():
		var message: Dictionary = JSON.parse_string(socket.get_packet().get_string_from_utf8())
		if message.has("met"):
			met.emit(int(message.from))
		else:
			told.emit(int(message.from), message)
