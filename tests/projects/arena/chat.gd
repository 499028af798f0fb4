# SPDX-License-Identifier: MIT
extends Node

signal said(peer: int, text: String)


@rpc("any_peer", "call_local", "reliable")
func say(text: String) -> void:
	said.emit(multiplayer.get_remote_sender_id(), text)
