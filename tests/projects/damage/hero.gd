# SPDX-License-Identifier: MIT
extends "fighter.gd"

enum Mood { CALM, ANGRY }


@rpc("any_peer", "reliable")
func heal(amount, from = {"who": "nobody, (really)"}):
	print("heal ", amount, " ", from)


@rpc("any_peer", "reliable")
func feel(
		mood: Mood,
		at: Vector2,
		friends: Array[Node] = [],
		...others) -> void:
	print("feel ", mood, " ", at, " ", friends, " ", others)
