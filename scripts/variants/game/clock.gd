# SPDX-License-Identifier: MIT
extends Node

var seconds := 0.0


func _physics_process(delta: float) -> void:
	seconds += delta
