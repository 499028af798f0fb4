# SPDX-License-Identifier: MIT
extends "mp.gd"
## Calls with an argument that the receiver cannot read: which values the method receives, and what the engine reports.

const Hero := preload("hero.gd")
const Listener := preload("mp/listener.gd")

const EARS := "Main/Ears"
const METHOD := 0 # of `hear`, the only one


## Records the errors that the engine reports.
class Complaints extends Logger:
	var expected: Expected

	func _log_error(function: String, _file: String, _line: int, code: String, rationale: String, _editor: bool,
			_type: int, _backtraces: Array[ScriptBacktrace]) -> void:
		expected.event("complaint", [function, rationale if rationale else code])


func run(to_expected: Expected) -> void:
	var complaints := Complaints.new()
	complaints.expected = to_expected
	OS.add_logger(complaints)
	await start(to_expected, 5037)
	open_server()
	await join("client")
	for i in 2: # by path, by number
		await _hear([42, _freed(), 43])
	await _hear([1, 2, _freed()])
	await _hear([1, 2, 3])
	apis.client.allow_object_decoding = true
	await _hear([1, Hero.new(), 3])
	apis.client.allow_object_decoding = false
	await _hear_bytes("invalid UTF-8", PackedByteArray([4, 0, 0, 0, 3, 0, 0, 0, 0x61, 0xff, 0x62, 0]))
	await _hear_bytes("a type of no Variant", PackedByteArray([39, 0, 0, 0]))
	await _hear_bytes("a String longer than the message", PackedByteArray([4, 0, 0, 0, 255, 0, 0, 0]))
	await _hear_bytes("nothing", PackedByteArray(), PackedByteArray())
	await leave("client")
	OS.remove_logger(complaints)


func build(_name: String, branch: Node) -> void:
	_scripted_child(_scripted_child(branch, "Main"), "Ears", Listener)


func _freed() -> Variant:
	var object: Variant = Node.new()
	object.free()
	return object


func _hear(arguments: Array) -> void:
	call_method("client", 1, EARS, &"hear", arguments)
	await service()


## Calls hear(1, the value in the bytes, "third"), in a way that no engine does.
func _hear_bytes(what: String, second: PackedByteArray, third := var_to_bytes("third")) -> void:
	var path := EARS.to_utf8_buffer() + PackedByteArray([0])
	var arguments := PackedByteArray([3, 2, 1]) + second + third # a count, an int of 8 bits
	var path_at := 6 + arguments.size()
	var call := PackedByteArray([0x20, path_at, 0, 0, 0x80, METHOD]) + arguments + path
	expected.event("by_hand", [what, call.hex_encode()])
	var peer: MultiplayerPeer = apis.client.multiplayer_peer
	peer.set_target_peer(1)
	peer.transfer_channel = 0
	peer.transfer_mode = MultiplayerPeer.TRANSFER_MODE_RELIABLE
	peer.put_packet(call)
	await service()
