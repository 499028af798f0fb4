# SPDX-License-Identifier: MIT
extends "mp.gd"
## The server lets in who knows the password; client2 has a newer version of the
## game, with other methods; later it comes back with the same version.

const Shop := preload("mp/shop.gd")
const Shop2 := preload("mp/shop2.gd")
const World := preload("mp/world.gd")

const PASSWORDS := {"client": "open sesame", "client2": "open sesame", "client3": "let me in"}
const SHOP := "Main/Shop"

var _refused := false


func run(to_expected: Expected) -> void:
	await start(to_expected, 5032)
	open_server()
	await join("client")
	await join("client2")
	await join("client3") # in vain
	assert(_refused and apis.server.get_peers().size() == 2)
	await _checksums()
	await leave("client2")
	node("client2", SHOP).free()
	_add_shop(node("client2", "Main"), Shop)
	await join("client2")
	await _checksums()
	await leave("client2")
	await leave("client")


func build(name: String, branch: Node) -> void:
	var main := Node.new()
	main.name = "Main"
	branch.add_child(main)
	var world := World.new()
	world.name = "World"
	main.add_child(world)
	_add_shop(main, Shop2 if name == "client2" else Shop)


func _add_shop(main: Node, script: Script) -> void:
	var shop := Node.new()
	shop.name = "Shop"
	shop.set_script(script)
	main.add_child(shop)


func configure(name: String, api: SceneMultiplayer) -> void:
	api.auth_timeout = 5
	api.auth_callback = _on_auth.bind(name)
	api.peer_authenticating.connect(func(peer: int) -> void:
		expected.event("peer_authenticating", [api.get_unique_id(), peer])
		if name != "server":
			_send_auth(name, peer, PASSWORDS[name].to_utf8_buffer()))
	api.peer_authentication_failed.connect(func(peer: int) -> void:
		_refused = true
		expected.event("peer_authentication_failed", [api.get_unique_id(), peer]))


func _checksums() -> void:
	for i in 2:
		call_method("server", id("client"), SHOP, &"open")
		call_method("server", id("client2"), SHOP, &"open") # another method in client2's version
		await service()
		call_method("server", 0, "Main/World", &"announce", ["The shop is open", 1.5, false])
		await service()
		call_method("client2", 1, SHOP, &"buy", ["sword", 1])
		call_method("client2", id("client"), SHOP, &"buy", ["shield", 1])
		await service()


func _on_auth(from: int, data: PackedByteArray, name: String) -> void:
	var api: SceneMultiplayer = apis[name]
	expected.event("auth_received", [id(name), from, data.hex_encode()])
	if name != "server":
		_complete_auth(name, from)
	elif data.get_string_from_utf8() == "open sesame":
		_send_auth(name, from, var_to_bytes({"motd": "Welcome", "version": 3}))
		_complete_auth(name, from)
	else:
		_send_auth(name, from, "wrong password".to_utf8_buffer())
		await service(2)
		expected.event("disconnect_peer", [1, from])
		api.disconnect_peer(from)


func _send_auth(name: String, to: int, data: PackedByteArray) -> void:
	expected.event("auth", [id(name), to, data.hex_encode()])
	apis[name].send_auth(to, data)


func _complete_auth(name: String, to: int) -> void:
	expected.event("auth_complete", [id(name), to])
	apis[name].complete_auth(to)
