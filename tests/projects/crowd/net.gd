# SPDX-License-Identifier: MIT
extends Node
## Adds the guests: an autoload, to the scene that runs.

const GUEST = preload("uid://cguest1aaaaa")
const BALL = preload("uid://cball1aaaaaa")

var balls: Node


func welcome(id: int) -> void:
	var guest := GUEST.instantiate()
	guest.name = str(id)
	guest.set_multiplayer_authority(id)
	get_tree().current_scene.add_child(guest, true)


func throw_ball() -> void:
	balls.add_child(BALL.instantiate(), true)
