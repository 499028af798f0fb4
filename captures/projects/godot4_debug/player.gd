# SPDX-License-Identifier: MIT
extends Node2D

@export var health := 87
@export_range(0, 300) var speed := 120.5
var weapon: Resource


func hurt(points: int, by: String) -> int:
	var left := health - points
	health = left # a breakpoint here
	print("Hurt by ", by)
	return _grade(left)


func _grade(left: int) -> int:
	var grade := left / 10.0
	grade = ceilf(grade)
	return int(grade)


@rpc("any_peer")
func jump(height: float) -> void:
	position.y -= height
