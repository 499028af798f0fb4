# SPDX-License-Identifier: MIT
extends Node
## Methods that the peers call on one another. Prints each call that arrives.


@rpc("any_peer", "call_remote", "reliable")
func say(text: String) -> void:
	tell("say", [text])


@rpc("any_peer", "call_remote", "unreliable_ordered")
func move(at: Vector2) -> void:
	tell("move", [at])


@rpc("any_peer", "call_remote", "unreliable")
func look(angle: float, tick: int) -> void:
	tell("look", [angle, tick])


@rpc("any_peer", "call_remote", "reliable")
func load_map(bytes: PackedByteArray) -> void:
	tell("load_map", [bytes])


func tell(method: String, arguments: Array) -> void:
	get_parent().tell({
		"got": method, "from": multiplayer.get_remote_sender_id(), "arguments": var_to_bytes(arguments).hex_encode(),
	})
