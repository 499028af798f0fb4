# SPDX-License-Identifier: MIT
extends Node

@export var weight := 0.0


@rpc("reliable")
func drink(by: int) -> void:
	print(by)
