# SPDX-License-Identifier: MIT
extends Node2D

@export var rage := 0.0


@rpc("reliable")
func roar(how: String) -> void:
	print(how)
