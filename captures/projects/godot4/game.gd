# SPDX-License-Identifier: MIT
extends RefCounted
## A short match of two players, as a small game would send it.

const Expected := preload("expected.gd")
const Udp := preload("udp.gd")

var _udp: Udp
var _ada := {"name": "Ada", "hp": 100, "pos": Vector2(8, 4), "inventory": ["sword", "map"]}
var _bo := {"name": "Bo", "hp": 100, "pos": Vector2(20, 4), "inventory": []}


func run(expected: Expected) -> void:
	_udp = Udp.new(expected)
	_udp.open("server", 5009)
	_udp.open("client", 50001)
	_udp.open("client2", 50002)

	# Ada is player 7, Bo player 8.
	_udp.put_var("client", "server", {"cmd": "join", "name": "Ada", "version": 3})
	_udp.put_var("server", "client", {"cmd": "welcome", "id": 7, "map": "res://maps/harbour.tscn", "player": _ada})
	_udp.put_var("client2", "server", {"cmd": "join", "name": "Bo", "version": 3})
	_udp.put_var("server", "client2", {"cmd": "welcome", "id": 8, "map": "res://maps/harbour.tscn", "player": _bo})
	_udp.put_var("server", "client", {"cmd": "joined", "id": 8, "name": "Bo"})
	_udp.put_raw("client", "server", "ping!".to_utf8_buffer())
	_udp.put_raw("server", "client", PackedByteArray([1, 2, 3, 4, 5]))

	_move("client", 7, _ada, Vector2(10.5, -3))
	_move("client2", 8, _bo, Vector2(18, 2.25))
	_state(1)
	_move("client", 7, _ada, Vector2(12, -1.5))
	_move("client2", 8, _bo, Vector2(16, 1))
	_state(2)
	_udp.put_var("client2", "server", {"cmd": "chat", "id": 8, "text": "Hello, Ada! 👋"})
	_udp.put_var("server", "client", {"cmd": "chat", "id": 8, "text": "Hello, Ada! 👋"})
	_udp.put_var("client2", "server", {"cmd": "input", "id": 8, "pressed": ["attack", "left"], "aim": 0.25, "seq": 41})
	_ada.hp = 87
	_udp.put_var("server", "client", {"cmd": "hit", "by": 8, "damage": 13, "player": _ada})
	_udp.put_var("server", "client2", {"cmd": "hit", "by": 8, "damage": 13, "player": _ada})
	_state(3)
	_udp.put_var("client", "server", {"cmd": "pick_up", "id": 7, "item": "potion", "slot": null})
	_ada.inventory.append("potion")
	_udp.put_var("server", "client", {"cmd": "inventory", "id": 7, "items": _ada.inventory})
	_udp.put_var("client", "server", {"cmd": "use", "id": 7, "item": "potion"})
	_ada.hp = 100
	_ada.inventory.erase("potion")
	_state(4)
	_move("client", 7, _ada, Vector2(14, 0))
	_move("client2", 8, _bo, Vector2(15, 0.5))
	_udp.put_var("client", "server", {"cmd": "chat", "id": 7, "text": "My turn now…"})
	_udp.put_var("server", "client2", {"cmd": "chat", "id": 7, "text": "My turn now…"})
	_udp.put_var("client", "server", {"cmd": "input", "id": 7, "pressed": ["attack"], "aim": -1.5, "seq": 42})
	_bo.hp = 0
	_udp.put_var("server", "client2", {"cmd": "died", "id": 8, "by": 7})
	_state(5)
	_udp.put_var("server", "client", ["score", {7: 1, 8: 0}])
	_udp.put_var("server", "client2", ["score", {7: 1, 8: 0}])
	_udp.put_var("client2", "server", {"cmd": "leave", "id": 8, "reason": "lost"})
	_udp.put_var("server", "client", {"cmd": "left", "id": 8})
	_udp.put_var("client", "server", {"cmd": "leave", "id": 7, "reason": "quit"})
	_udp.put_var("server", "client", "bye")


func _move(client: String, id: int, player: Dictionary, to: Vector2) -> void:
	player.pos = to
	_udp.put_var(client, "server", {"cmd": "move", "pos": to, "id": id})


func _state(tick: int) -> void:
	var snapshot := {"cmd": "state", "tick": tick, "time": tick * 0.25, "players": {7: _ada, 8: _bo}}
	_udp.put_var("server", "client", snapshot)
	_udp.put_var("server", "client2", snapshot)
