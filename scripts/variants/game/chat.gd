# SPDX-License-Identifier: MIT
extends Node


@rpc("any_peer", "call_remote", "reliable")
func say(_text: String) -> void:
	pass
