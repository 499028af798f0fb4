# SPDX-License-Identifier: MIT
extends Node
# A game's methods and properties that are called and set over the network, one of each kind.

var mp

remote var target := 0 setget set_target
remotesync var score := {} setget set_score
puppet var weather := "sunny" setget set_weather
var speed := 1.0 setget set_speed # by rset_config()


func _init() -> void:
	rpc_config("configured", MultiplayerAPI.RPC_MODE_REMOTE)
	rset_config("speed", MultiplayerAPI.RPC_MODE_REMOTE)


remote func ready_up() -> void:
	mp.note_call(self, "ready_up")


remotesync func chat(text: String) -> void:
	mp.note_call(self, "chat", [text])


puppet func announce(title: String, seconds: float, urgent: bool) -> void:
	mp.note_call(self, "announce", [title, seconds, urgent])


master func ask(question: String) -> void:
	mp.note_call(self, "ask", [question])


remote func everything(a = null, b = null, c = null, d = null, e = null) -> void:
	mp.note_call(self, "everything", [a, b, c, d, e])


remote func blob(bytes: PoolByteArray) -> void:
	mp.note_call(self, "blob", [bytes])


remote func move(pos: Vector2, velocity: Vector2) -> void:
	mp.note_call(self, "move", [pos, velocity])


func configured(count: int) -> void:
	mp.note_call(self, "configured", [count])


func set_target(value: int) -> void:
	target = value
	mp.note_set(self, "target", value)


func set_score(value: Dictionary) -> void:
	score = value
	mp.note_set(self, "score", value)


func set_weather(value: String) -> void:
	weather = value
	mp.note_set(self, "weather", value)


func set_speed(value: float) -> void:
	speed = value
	mp.note_set(self, "speed", value)
