# SPDX-License-Identifier: MIT
extends Node2D

@export var hp := 100
var direction := Vector2.RIGHT
var clock := 0.0

func _enter_tree():
	$InputSync.set_multiplayer_authority(name.to_int())

func _physics_process(delta):
	clock += delta
	if $InputSync.is_multiplayer_authority():
		direction = Vector2.RIGHT.rotated(clock)
		if clock > 0.8:
			clock = 0.0
			fire.rpc_id(1, direction)
	if is_multiplayer_authority():
		position += direction * 60 * delta

@rpc("any_peer", "call_remote", "reliable")
func fire(dir):
	if multiplayer.get_remote_sender_id() != name.to_int():
		return
	get_tree().current_scene.add_bullet(position, dir)
	hp -= 1
	hit.rpc(1)

@rpc("authority", "call_remote", "reliable")
func hit(amount):
	hits += amount
var hits := 0
