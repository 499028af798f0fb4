# SPDX-License-Identifier: MIT
extends Node
## A peer of a game in the browser, or natively the server of its signalling. Arguments, name=value:
##   play   signalling, star (WebRTCMultiplayerPeer, 1 is the server), mesh, or channels (of the game's own);
##          wsserver, wsclient (web_sockets.gd)
##   id     of the peer
##   peers  how many there are
##   relay  address and port of a TURN server (of user u, password p), by which all goes: turn:127.0.0.1:3478; or of
##          wsclient, of a proxy: wss://127.0.0.1:8443
##   nodes  1: with nodes that are spawned and synchronized, and bytes of the game's own
## What it sends and gets is printed as lines of JSON behind "T ".

const CHAT := 7  # a channel that both ends agree on beforehand

var play := ""
var relay := ""
var id := 0
var peers := 3
var nodes := 0
var connections := {}
var channels: Array[WebRTCDataChannel] = []
var steps: Array[Callable] = []
var is_planned := false
var frame := 0

@onready var signalling := $Signalling


func tell(what: Dictionary) -> void:
	what["me"] = id
	print("T ", JSON.stringify(what))


func _ready() -> void:
	for argument in OS.get_cmdline_user_args():
		var parts := argument.split("=", true, 1)
		if parts[0] in ["play", "relay"]:
			set(parts[0], parts[1])
		elif parts[0] in ["id", "peers", "nodes"]:
			set(parts[0], int(parts[1]))
	if play == "signalling":
		signalling.serve()
		return
	multiplayer.peer_connected.connect(_on_peer_connected)
	if play.begins_with("ws"):
		$WebSockets.start(play)
		return
	signalling.met.connect(func(other: int) -> void:
		if play != "star" or other == 1 or id == 1:
			connection_to(other).create_offer())
	signalling.told.connect(_on_told)
	signalling.join(id)
	if play == "channels":
		return
	var peer := WebRTCMultiplayerPeer.new()
	if play == "mesh":
		peer.create_mesh(id)
	elif id == 1:
		peer.create_server()
	else:
		peer.create_client(id)
	multiplayer.multiplayer_peer = peer
	if nodes == 1:
		_watch_nodes()


func _on_peer_connected(_other: int) -> void:
	if multiplayer.get_peers().size() == peers - 1 and not is_planned:
		id = multiplayer.get_unique_id()
		is_planned = true
		get_tree().create_timer(1.0).timeout.connect(_plan_game)


func connection_to(other: int) -> WebRTCPeerConnection:
	if connections.has(other):
		return connections[other]
	var connection := WebRTCPeerConnection.new()
	var servers := []
	if relay != "":
		servers.append({"urls": [relay], "username": "u", "credential": "p"})
	connection.initialize({"iceServers": servers, "iceTransportPolicy": "all" if relay == "" else "relay"})
	connection.session_description_created.connect(func(type: String, sdp: String) -> void:
		connection.set_local_description(type, sdp)
		signalling.send(other, {"type": type, "sdp": sdp}))
	connection.ice_candidate_created.connect(func(media: String, index: int, candidate: String) -> void:
		signalling.send(other, {"type": "candidate", "media": media, "index": index, "candidate": candidate}))
	connections[other] = connection
	if play == "channels":
		channels.append(connection.create_data_channel("chat", {"negotiated": true, "id": CHAT}))
		connection.data_channel_received.connect(func(channel: WebRTCDataChannel) -> void: channels.append(channel))
		if id == 1:
			var options := {"ordered": false, "maxRetransmits": 0, "protocol": "moves"}
			channels.append(connection.create_data_channel("state", options))
	else:
		multiplayer.multiplayer_peer.add_peer(connection, other)
	return connection


func _on_told(from: int, message: Dictionary) -> void:
	var connection := connection_to(from)
	if message.type == "candidate":
		connection.add_ice_candidate(message.media, int(message.index), message.candidate)
	else:
		connection.set_remote_description(message.type, message.sdp)


func _process(_delta: float) -> void:
	for connection: WebRTCPeerConnection in connections.values():
		connection.poll()
	for channel in channels:
		channel.poll()
		while channel.get_available_packet_count():
			var bytes := channel.get_packet()
			tell({"got": channel.get_label(), "is_text": channel.was_string_packet(), "bytes": bytes.hex_encode()})
	if play == "channels" and not is_planned and channels.size() == 2 and channels.all(_is_open):
		is_planned = true
		_plan_channels()
	frame += 1
	if frame % 3 == 0 and not steps.is_empty():
		steps.pop_front().call()
		if steps.is_empty():
			_be_still()
			tell({"done": true})


func _is_open(channel: WebRTCDataChannel) -> bool:
	return channel.get_ready_state() == WebRTCDataChannel.STATE_OPEN


func _call(to: int, method: String, arguments: Array) -> void:
	$World.callv("rpc_id", [to, method] + arguments)


func _plan_game() -> void:
	for to in multiplayer.get_peers():
		steps.append(_call.bind(to, "say", ["peer %d greets %d" % [id, to]]))
		for i in 4:
			steps.append(_call.bind(to, "move", [Vector2(i + 0.5, -i)]))
			steps.append(_call.bind(to, "look", [i * 0.25, i]))
		# More than a packet holds.
		var sizes := [1200, 5000, 20000 if id == 1 else 3000]
		# About as much data as a web build can send.
		if play == "mesh" and to == 1 and id == 20002:
			sizes.append(65500)
		for size: int in sizes:
			var bytes := PackedByteArray()
			bytes.resize(size)
			bytes.fill(size & 0x7f)
			steps.append(_call.bind(to, "load_map", [bytes]))
	if nodes == 1:
		_plan_nodes()


func tell_of(what: String, node: Node, from: int, values: Array) -> void:
	var path := str(get_tree().root.get_path_to(node))
	tell({what: path, "from": from, "values": var_to_bytes(values).hex_encode()})


func _watch_nodes() -> void:
	$Clock/Sync.public_visibility = true
	var game := multiplayer as SceneMultiplayer
	game.peer_packet.connect(func(from: int, bytes: PackedByteArray) -> void:
		tell({"bytes": bytes.hex_encode(), "from": from}))
	$Spawner.spawned.connect(func(node: Node2D) -> void:
		tell_of("spawned", node, 1, [node.position, node.hp, node.kind]))
	$Spawner.despawned.connect(func(node: Node) -> void:
		tell({"despawned": "Main/Players/%s" % node.name, "from": 1}))


# The first peer spawns a node for each peer. Each peer moves its node.
func _plan_nodes() -> void:
	if id == 1:
		for owner_id: int in [1] + Array(multiplayer.get_peers()):
			steps.append(func() -> void:
				var player: Node2D = load("res://player.tscn").instantiate()
				player.name = str(owner_id)
				player.position = Vector2(owner_id % 1000, 2.5)
				$Players.add_child(player))
	for to in multiplayer.get_peers():
		steps.append(func() -> void: multiplayer.send_bytes("own bytes".to_utf8_buffer(), to))
	for i in 24:
		for wait in 3:
			steps.append(func() -> void: pass)
		steps.append(func() -> void:
			var own := $Players.get_node_or_null(str(id))
			if own:
				own.position += Vector2(1, 0.5)
				if i % 8 == 3:
					own.hp -= 7
			if id == 1:
				$Clock.seconds += 0.5
				if i % 8 == 3:
					$Clock.phase = "phase %d" % i)
	if id == 1:
		steps.append(func() -> void: $Players.get_node("1").queue_free())
	for wait in 8:
		steps.append(func() -> void: pass)


# Stops synchronization, so that the values that peers report as received are the values that were sent.
func _be_still() -> void:
	for synchronizer: MultiplayerSynchronizer in find_children("*", "MultiplayerSynchronizer", true, false):
		synchronizer.replication_interval = 1e6
		synchronizer.delta_interval = 1e6


func _plan_channels() -> void:
	for channel in channels:
		var label := channel.get_label()
		for value: Variant in [{"cmd": "join", "name": "Ada"}, Vector3(1, 2.5, -3), 7, [true, null, "x"]]:
			steps.append(_send_variant.bind(channel, label, value))
		var bytes := PackedByteArray()
		bytes.resize(4000)
		steps.append(_send_variant.bind(channel, label, bytes))
		steps.append(_send.bind(channel, label, "hello as text".to_utf8_buffer(), true))
		steps.append(_send.bind(channel, label, ("long " + "text ".repeat(500)).to_utf8_buffer(), true))
		steps.append(_send.bind(channel, label, PackedByteArray([1, 2, 3]), false))


func _send_variant(channel: WebRTCDataChannel, label: String, value: Variant) -> void:
	_send(channel, label, var_to_bytes(value), false)


func _send(channel: WebRTCDataChannel, label: String, bytes: PackedByteArray, is_text: bool) -> void:
	channel.write_mode = WebRTCDataChannel.WRITE_MODE_TEXT if is_text else WebRTCDataChannel.WRITE_MODE_BINARY
	channel.put_packet(bytes)
	tell({"sent": label, "is_text": is_text, "bytes": bytes.hex_encode()})
