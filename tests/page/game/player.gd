# SPDX-License-Identifier: MIT
extends Node2D
## A player that walks at random, moved by the peer with authority over it.

var hp := 100
var title := ""


func _physics_process(_delta: float) -> void:
	if not is_multiplayer_authority():
		return
	position += Vector2(randi_range(-8, 8), randi_range(-8, 8)) / 4
	if randf() < 0.02:
		hp = randi_range(0, 100)
	if randf() < 0.005:
		title = "No. %d" % randi_range(0, 999)
