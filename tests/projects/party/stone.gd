# SPDX-License-Identifier: MIT
extends Node

@export var weight := 0.0


@rpc("reliable")
func throw(by: int) -> void:
	print(by)
