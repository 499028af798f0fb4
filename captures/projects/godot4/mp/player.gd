# SPDX-License-Identifier: MIT
extends Node2D
## A player of mp_spawn, named by its peer's id as many games do it. Its state
## and gear are the server's, its input is its peer's.

const Mp := preload("../mp.gd")

@export var title := "":
	set(value):
		title = value
		Mp.note_set(self, "title", value)
@export var hp := 100:
	set(value):
		hp = value
		Mp.note_set(self, "hp", value)
@export var armour := 0.5:
	set(value):
		armour = value
		Mp.note_set(self, "armour", value)
@export var weapon := &"fists":
	set(value):
		weapon = value
		Mp.note_set(self, "weapon", value)
@export var direction := Vector2():
	set(value):
		direction = value
		Mp.note_set(self, "direction", value)
@export var firing := false:
	set(value):
		firing = value
		Mp.note_set(self, "firing", value)


func _enter_tree() -> void:
	set_notify_local_transform(true)
	$Input.set_multiplayer_authority(str(name).to_int())


func _notification(what: int) -> void:
	if what == NOTIFICATION_LOCAL_TRANSFORM_CHANGED:
		Mp.note_set(self, "position", position)
