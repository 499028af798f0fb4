# SPDX-License-Identifier: MIT
extends Node
## What players inherit.

const Mp := preload("../mp.gd")


@rpc("any_peer")
func take_damage(amount: int, source: String) -> void:
	Mp.note_call(self, &"take_damage", [amount, source])


@rpc("any_peer")
func heal(amount: int) -> void:
	Mp.note_call(self, &"heal", [amount])
