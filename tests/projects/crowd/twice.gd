# SPDX-License-Identifier: MIT
extends "res://base.gd"


func _init() -> void:
	rpc_config(&"hush", {
		"rpc_mode": MultiplayerAPI.RPC_MODE_ANY_PEER,
		"transfer_mode": MultiplayerPeer.TRANSFER_MODE_RELIABLE,
		"call_local": false,
		"channel": 0,
	})
	for method: String in ["loop_a", "loop_b"]:
		print(method)


@rpc("any_peer") func zig(
		at: Vector2) -> void:
	print(at)


func hush(seconds: float) -> void:
	print(seconds)
