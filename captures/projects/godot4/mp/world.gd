# SPDX-License-Identifier: MIT
extends Node
## A game's methods that are called over the network, one of each kind.

const Mp := preload("../mp.gd")


@rpc("any_peer")
func ready_up() -> void:
	Mp.note_call(self, &"ready_up")


@rpc("any_peer", "call_local")
func chat(text: String) -> void:
	Mp.note_call(self, &"chat", [text])


@rpc
func announce(title: String, seconds: float, urgent: bool) -> void:
	Mp.note_call(self, &"announce", [title, seconds, urgent])


@rpc("any_peer")
func everything(...values: Array) -> void:
	Mp.note_call(self, &"everything", values)


@rpc("any_peer")
func blob(bytes: PackedByteArray) -> void:
	Mp.note_call(self, &"blob", [bytes])


@rpc("any_peer", "unreliable")
func move(pos: Vector2, velocity: Vector2) -> void:
	Mp.note_call(self, &"move", [pos, velocity])


@rpc("any_peer", "unreliable_ordered")
func aim(angle: float) -> void:
	Mp.note_call(self, &"aim", [angle])


@rpc("any_peer", "call_remote", "reliable", 1)
func trade(offer: Dictionary, price: int) -> void:
	Mp.note_call(self, &"trade", [offer, price])


@rpc("any_peer", "call_remote", "unreliable", 2)
func voice(samples: PackedByteArray) -> void:
	Mp.note_call(self, &"voice", [samples])


@rpc("any_peer", "call_remote", "unreliable_ordered", 3)
func look(direction: Vector3) -> void:
	Mp.note_call(self, &"look", [direction])
