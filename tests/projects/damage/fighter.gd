# SPDX-License-Identifier: MIT
extends Node


@rpc("any_peer", "reliable")
func take_damage(amount: int, by: String, critical := false) -> void:
	print("take_damage ", amount, " ", by, " ", critical)


@rpc("any_peer", "reliable")
func heal(_amount):
	print("Fighter.heal")
