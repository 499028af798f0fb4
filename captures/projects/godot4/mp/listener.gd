# SPDX-License-Identifier: MIT
extends Node
## Writes down each value that a call brings.

const Mp := preload("../mp.gd")


@rpc("any_peer")
func hear(first: Variant, second: Variant, third: Variant) -> void:
	Mp.journal.heard(multiplayer.get_unique_id(), [first, second, third])
