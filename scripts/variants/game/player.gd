# SPDX-License-Identifier: MIT
extends Node2D

var hp := 100


@rpc("any_peer", "call_remote", "reliable")
func heal(amount: int) -> void:
	hp += amount
