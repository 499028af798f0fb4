# SPDX-License-Identifier: MIT
extends Reference
# The high-level multiplayer. A server and its clients are branches of one
# scene tree (/root/Server, /root/Client ...), each with a MultiplayerAPI and a
# socket of its own; what a branch holds is what the game's /root would.
#
# Nothing polls but service(), so a step is over before the next one begins.

const CLIENT_PORTS := {"client": 50001, "client2": 50002}
const ROUNDS := 12 # of polling until all has arrived, been relayed and acknowledged

var expected
var apis := {} # MultiplayerAPI by name: server, client, client2
var receiving := 0 # the id of the peer that is being polled
var _branches := {}
var _port: int
var _web_socket := false


func start(new_expected, port: int, web_socket := false) -> void:
	expected = new_expected
	_port = port
	_web_socket = web_socket


# What a branch holds.
func build(_name: String, _branch: Node) -> void:
	pass


func open_server() -> void:
	_add_branch("server")
	var peer
	var error: int
	if _web_socket:
		peer = WebSocketServer.new()
		peer.bind_ip = "127.0.0.1"
		error = peer.listen(_port, PoolStringArray(), true)
	else:
		peer = NetworkedMultiplayerENet.new()
		peer.set_bind_ip("127.0.0.1")
		error = peer.create_server(_port, 8)
	if error != OK:
		push_error("port %d: %d" % [_port, error])
	apis.server.network_peer = peer
	expected.event("peer", ["server", 1, _port])


func join(name: String) -> void:
	if not apis.has(name):
		_add_branch(name)
	var peer
	var error: int
	if _web_socket:
		peer = WebSocketClient.new()
		error = peer.connect_to_url("ws://127.0.0.1:%d" % _port, PoolStringArray(), true)
	else:
		peer = NetworkedMultiplayerENet.new()
		error = peer.create_client("127.0.0.1", _port, 0, 0, CLIENT_PORTS[name])
	if error != OK:
		push_error("%s: %d" % [name, error])
	apis[name].network_peer = peer
	var deadline := OS.get_ticks_msec() + 10000
	while not 1 in apis[name].get_network_connected_peers():
		assert(OS.get_ticks_msec() < deadline, "waited in vain")
		service(1)
	expected.event("peer", [name, id(name), 0 if _web_socket else CLIENT_PORTS[name]])
	service()


func leave(name: String) -> void:
	var id := id(name)
	expected.event("leave", [id])
	if _web_socket:
		apis[name].network_peer.disconnect_from_host()
	else:
		apis[name].network_peer.close_connection()
	_wait_until_gone(id)
	apis[name].network_peer = null
	service()


func throw_out(name: String) -> void:
	var id := id(name)
	expected.event("disconnect_peer", [1, id])
	apis.server.network_peer.disconnect_peer(id)
	_wait_until_gone(id)
	service()
	apis[name].network_peer = null


func id(name: String) -> int:
	return apis[name].get_network_unique_id()


func node(name: String, path: String) -> Node:
	return _branches[name].get_node(path) as Node


# Calls a method of other peers; how is rpc, rpc_id, rpc_unreliable or rpc_unreliable_id.
func call_method(how: String, from: String, to: int, path: String, method: String, arguments := []) -> void:
	expected.call_sent(id(from), to, path, method, arguments)
	node(from, path).callv(how, ([to, method] if how.ends_with("id") else [method]) + arguments)


# Sets a property of other peers; how is rset, rset_id, rset_unreliable or rset_unreliable_id.
func set_property(how: String, from: String, to: int, path: String, property: String, value) -> void:
	expected.set_sent(id(from), to, path, property, value)
	node(from, path).callv(how, ([to, property] if how.ends_with("id") else [property]) + [value])


func send_raw(from: String, to: int, bytes: PoolByteArray, mode := NetworkedMultiplayerPeer.TRANSFER_MODE_RELIABLE) -> void:
	expected.event("raw", [id(from), to, bytes.hex_encode()])
	if apis[from].send_bytes(bytes, to, mode) != OK:
		push_error("send_bytes")


func service(rounds := ROUNDS) -> void:
	for i in rounds:
		for api in apis.values():
			if api.network_peer and api.network_peer.get_connection_status() != NetworkedMultiplayerPeer.CONNECTION_DISCONNECTED:
				receiving = api.get_network_unique_id()
				api.poll()
				receiving = 0
		OS.delay_msec(1)


# Called by a method that another peer has called.
func note_call(callee: Node, method: String, arguments := []) -> void:
	var api := callee.get_multiplayer()
	var from := api.get_rpc_sender_id()
	expected.called(api.get_network_unique_id(), from if receiving else id_of(callee), path_of(callee), method, arguments.size())


# Called by a property's setter. Only changes by the network are recorded.
func note_set(owner: Node, property: String, value) -> void:
	if receiving:
		expected.was_set(receiving, owner.get_multiplayer().get_rpc_sender_id(), path_of(owner), property, value)


func id_of(node: Node) -> int:
	return node.get_multiplayer().get_network_unique_id()


# Returns the path as the game would write it.
func path_of(node: Node) -> String:
	return str(node.get_path()).split("/", true, 3)[3] # after /root/Server/


# Must be called for every node, because nodes do not inherit the API.
func adopt(node: Node, api: MultiplayerAPI) -> void:
	node.custom_multiplayer = api
	if "mp" in node:
		node.mp = self
	for child in node.get_children():
		adopt(child, api)


func _add_branch(name: String) -> void:
	var branch := Node.new()
	branch.name = name.capitalize().replace(" ", "")
	Engine.get_main_loop().root.add_child(branch)
	_branches[name] = branch
	build(name, branch)
	var api := MultiplayerAPI.new()
	api.set_root_node(branch)
	apis[name] = api
	adopt(branch, api)
	for signal_name in ["network_peer_connected", "network_peer_disconnected", "network_peer_packet", "server_disconnected"]:
		if api.connect(signal_name, self, "_on_" + signal_name, [name]) != OK:
			push_error(signal_name)


func _on_network_peer_connected(peer: int, name: String) -> void:
	expected.event("peer_connected", [id(name), peer])


func _on_network_peer_disconnected(peer: int, name: String) -> void:
	expected.event("peer_disconnected", [id(name), peer])


func _on_network_peer_packet(peer: int, bytes: PoolByteArray, name: String) -> void:
	expected.event("raw_received", [id(name), peer, bytes.hex_encode()])


func _on_server_disconnected(name: String) -> void:
	expected.event("server_disconnected", [name])


func _wait_until_gone(id: int) -> void:
	var deadline := OS.get_ticks_msec() + 10000
	while id in apis.server.get_network_connected_peers():
		assert(OS.get_ticks_msec() < deadline, "waited in vain")
		service(1)
