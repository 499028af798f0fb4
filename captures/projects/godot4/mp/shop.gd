# SPDX-License-Identifier: MIT
extends Node
## Two methods told by the script and three by rpc_config(), one of those with a
## name that the script has too.

const Mp := preload("../mp.gd")


func _init() -> void:
	var config := {
		"rpc_mode": MultiplayerAPI.RPC_MODE_ANY_PEER,
		"transfer_mode": MultiplayerPeer.TRANSFER_MODE_RELIABLE,
		"call_local": false,
		"channel": 0,
	}
	rpc_config(&"sell", config)
	rpc_config(&"buy", config)
	rpc_config(&"restock", config)
	config.transfer_mode = MultiplayerPeer.TRANSFER_MODE_UNRELIABLE
	rpc_config(&"browse", config)


@rpc("any_peer")
func buy(item: String, count: int) -> void:
	Mp.note_call(self, &"buy", [item, count])


@rpc("any_peer")
func open() -> void:
	Mp.note_call(self, &"open")


func sell(item: String, count: int) -> void:
	Mp.note_call(self, &"sell", [item, count])


func restock() -> void:
	Mp.note_call(self, &"restock")


func browse(page: int) -> void:
	Mp.note_call(self, &"browse", [page])
