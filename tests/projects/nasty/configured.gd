# SPDX-License-Identifier: MIT
extends Node
## Methods of the script, and of the node by rpc_config().

const CONFIG = {"rpc_mode": MultiplayerAPI.RPC_MODE_ANY_PEER, "call_local": true}


func _init() -> void:
	rpc_config("sell", CONFIG)
	rpc_config(&"buy", {
		"rpc_mode": MultiplayerAPI.RPC_MODE_ANY_PEER,
		"transfer_mode": MultiplayerPeer.TRANSFER_MODE_RELIABLE,
		"call_local": false, # rpc_config("in_comment", {})
		"channel": 0,
	})
	self.rpc_config('Zoom', {"rpc_mode": MultiplayerAPI.RPC_MODE_AUTHORITY})
	rpc_config(&"gone", CONFIG)
	rpc_config("gone", null)
	rpc_config("off", {"rpc_mode": MultiplayerAPI.RPC_MODE_DISABLED})
	print("rpc_config('in_string', {})")


@rpc("any_peer") func buy(): pass
@rpc func open(): pass
func sell(): pass
