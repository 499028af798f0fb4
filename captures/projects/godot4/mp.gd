# SPDX-License-Identifier: MIT
extends RefCounted
## The high-level multiplayer. A server and its clients are branches of one
## scene tree (/root/Server, /root/Client …), each with a SceneMultiplayer and a
## socket of its own; what a branch holds is what the game's /root would.
##
## Nothing polls but service(), so a step is over before the next one begins.

const Expected := preload("expected.gd")

const CLIENT_PORTS := {"client": 50001, "client2": 50002, "client3": 50003}
const ROUNDS := 12 # of polling until all has arrived, been relayed and acknowledged

## For the scripts of nodes.
static var journal: Expected
static var receiving := 0 # the id of the peer that is being polled

var expected: Expected
var tree: SceneTree
var apis := {} # SceneMultiplayer by name: server, client, client2 …
var _port: int
var _web_socket := false
var _tls := false # around the WebSockets


func start(new_expected: Expected, port: int, web_socket := false) -> void:
	expected = new_expected
	journal = expected
	tree = Engine.get_main_loop()
	tree.multiplayer_poll = false
	_port = port
	_web_socket = web_socket
	await tree.process_frame # from now on nodes can be in the tree


## What a branch holds.
func build(_name: String, _branch: Node) -> void:
	pass


func _scripted_child(parent: Node, name: String, script: Script = null) -> Node:
	var child := Node.new()
	child.name = name
	child.set_script(script)
	parent.add_child(child)
	return child


## Before the peer is there.
func configure(_name: String, _api: SceneMultiplayer) -> void:
	pass


func open_server() -> void:
	_add_branch("server")
	var error: Error
	var peer: MultiplayerPeer
	if _web_socket:
		peer = WebSocketMultiplayerPeer.new()
		error = peer.create_server(_port, "127.0.0.1", _server_tls() if _tls else null)
	else:
		peer = ENetMultiplayerPeer.new()
		peer.set_bind_ip("127.0.0.1")
		error = peer.create_server(_port, 8)
	assert(error == OK, "port %d: %s" % [_port, error_string(error)])
	apis.server.multiplayer_peer = peer
	expected.event("peer", ["server", 1, _port])


func join(name: String) -> void:
	if not apis.has(name):
		_add_branch(name)
	var error: Error
	var peer: MultiplayerPeer
	if _web_socket:
		peer = WebSocketMultiplayerPeer.new()
		var scheme := "wss" if _tls else "ws"
		error = peer.create_client("%s://127.0.0.1:%d" % [scheme, _port], TLSOptions.client_unsafe() if _tls else null)
	else:
		peer = ENetMultiplayerPeer.new()
		error = peer.create_client("127.0.0.1", _port, 0, 0, 0, CLIENT_PORTS[name])
	assert(error == OK, error_string(error))
	apis[name].multiplayer_peer = peer
	if _web_socket: # the server says the id
		await until(func() -> bool: return peer.get_connection_status() == MultiplayerPeer.CONNECTION_CONNECTED)
	expected.event("peer", [name, id(name), 0 if _web_socket else CLIENT_PORTS[name]])
	await until(func() -> bool: return 1 in apis[name].get_peers() or _is_over(name))
	await service()


func leave(name: String) -> void:
	var id := id(name)
	expected.event("leave", [id])
	apis[name].multiplayer_peer.close()
	await until(func() -> bool: return id not in apis.server.get_peers())
	apis[name].multiplayer_peer = null
	await service()


func id(name: String) -> int:
	return apis[name].get_unique_id()


func node(name: String, path: String) -> Node:
	return tree.root.get_node("%s/%s" % [name.capitalize().replace(" ", ""), path])


## Calls a method of other peers.
func call_method(from: String, to: int, path: String, method: StringName, arguments := []) -> void:
	var caller := node(from, path)
	expected.call_sent(id(from), to, path, method, _method_id(caller, method), arguments, apis[from].allow_object_decoding)
	caller.rpc_id.callv([to, method] + arguments)


func send_raw(from: String, to: int, bytes: PackedByteArray, mode := MultiplayerPeer.TRANSFER_MODE_RELIABLE, channel := 0) -> void:
	expected.event("raw", [id(from), to, bytes.hex_encode()])
	apis[from].send_bytes(bytes, to, mode, channel)


func service(rounds := ROUNDS) -> void:
	for i in rounds:
		for api: SceneMultiplayer in apis.values():
			if api.multiplayer_peer and api.multiplayer_peer.get_connection_status() != MultiplayerPeer.CONNECTION_DISCONNECTED:
				receiving = api.get_unique_id()
				api.poll()
				receiving = 0
		OS.delay_msec(1)
		if i % 4 == 0:
			await tree.process_frame


func run_for(milliseconds: int) -> void:
	var end := Time.get_ticks_msec() + milliseconds
	while Time.get_ticks_msec() < end:
		await service(1)


func until(condition: Callable) -> void:
	var deadline := Time.get_ticks_msec() + 10000
	while not condition.call():
		assert(Time.get_ticks_msec() < deadline, "waited in vain")
		await service(1)


## Called by a method that another peer has called.
static func note_call(callee: Node, method: StringName, arguments := []) -> void:
	var api := callee.multiplayer
	journal.called(api.get_unique_id(), api.get_remote_sender_id(), path_of(callee), method, arguments.size())


## Called by a property's setter. Only changes by the network are recorded.
static func note_set(owner: Node, property: String, value: Variant) -> void:
	if receiving and owner.is_inside_tree():
		journal.synced(receiving, path_of(owner), property, value)


## Returns the path as the game would write it.
static func path_of(of: Node) -> String:
	return str(of.get_path()).trim_prefix(str(of.multiplayer.root_path) + "/")


func _add_branch(name: String) -> void:
	var branch := Node.new()
	branch.name = name.capitalize().replace(" ", "")
	tree.root.add_child(branch)
	var api := SceneMultiplayer.new()
	tree.set_multiplayer(api, branch.get_path())
	apis[name] = api
	api.peer_connected.connect(func(peer: int) -> void: expected.event("peer_connected", [api.get_unique_id(), peer]))
	api.peer_disconnected.connect(func(peer: int) -> void: expected.event("peer_disconnected", [api.get_unique_id(), peer]))
	api.server_disconnected.connect(func() -> void: expected.event("server_disconnected", [name]))
	api.peer_packet.connect(func(peer: int, bytes: PackedByteArray) -> void:
		expected.event("raw_received", [api.get_unique_id(), peer, bytes.hex_encode()]))
	configure(name, api)
	build(name, branch)


func _server_tls() -> TLSOptions:
	var crypto := Crypto.new()
	var key := crypto.generate_rsa(2048)
	return TLSOptions.server(key, crypto.generate_self_signed_certificate(key, "CN=localhost"))


func _is_over(name: String) -> bool:
	return apis[name].multiplayer_peer.get_connection_status() == MultiplayerPeer.CONNECTION_DISCONNECTED


## What stands for the method in a packet; the engine does not tell, but these
## are its two lists.
func _method_id(caller: Node, method: StringName) -> int:
	var in_script := _sorted_names(caller.get_script().get_rpc_config())
	if String(method) in in_script:
		return in_script.find(String(method))
	return 0x8000 + _sorted_names(caller.get_node_rpc_config()).find(String(method))


func _sorted_names(config: Variant) -> Array:
	var names := []
	if config is Dictionary:
		names = config.keys().map(func(key: Variant) -> String: return String(key))
		names.sort()
	return names
