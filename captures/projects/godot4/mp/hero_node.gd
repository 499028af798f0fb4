# SPDX-License-Identifier: MIT
extends "character.gd"
## A player of mp_rpc with three declared methods and two inherited methods.


@rpc("any_peer")
func equip(item: String) -> void:
	Mp.note_call(self, &"equip", [item])


@rpc("any_peer", "call_local")
func jump() -> void:
	Mp.note_call(self, &"jump")


@rpc("any_peer")
func shoot(target: Vector3, power: int) -> void:
	Mp.note_call(self, &"shoot", [target, power])
