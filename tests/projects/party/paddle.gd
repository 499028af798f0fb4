# SPDX-License-Identifier: MIT
# Its authority is a client: only he calls, as only he may.
extends Node


@rpc("unreliable")
func slide(to: float) -> void:
	print(to)


@rpc("any_peer", "reliable")
func mine() -> void:
	print("mine")
