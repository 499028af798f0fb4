# SPDX-License-Identifier: MIT
extends Node
## Records each value that a call contains.

const Mp := preload("../mp.gd")


@rpc("any_peer")
func hear(first: Variant, second: Variant, third: Variant) -> void:
	Mp.journal.heard(multiplayer.get_unique_id(), [first, second, third])
