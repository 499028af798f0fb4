# SPDX-License-Identifier: MIT
extends Node
# A player.

var mp

remote var hp := 100 setget set_hp


remote func take_damage(amount: int, source: String) -> void:
	mp.note_call(self, "take_damage", [amount, source])


remotesync func jump() -> void:
	mp.note_call(self, "jump")


func set_hp(value: int) -> void:
	hp = value
	mp.note_set(self, "hp", value)
