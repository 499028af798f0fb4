# SPDX-License-Identifier: MIT
extends "configured.gd"
@rpc func close(): pass
func _init():
	super()
	rpc_config(&"extra", CONFIG)
