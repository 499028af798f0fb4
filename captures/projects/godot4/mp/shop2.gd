# SPDX-License-Identifier: MIT
extends "shop.gd"
## The shop of a newer version of the game. It has one additional method.


@rpc("any_peer")
func haggle(price: int) -> void:
	Mp.note_call(self, &"haggle", [price])
