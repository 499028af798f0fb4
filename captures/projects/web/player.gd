# SPDX-License-Identifier: MIT
extends Node2D
## The node of a peer, named by the peer's id. `position` is sent always, `hp` when it changes.

var hp := 100
var kind := "knight"


func _enter_tree() -> void:
	set_multiplayer_authority(name.to_int())


func _ready() -> void:
	$Sync.synchronized.connect(func() -> void: tell("sync", [position]))
	$Sync.delta_synchronized.connect(func() -> void: tell("delta", [hp]))


func tell(what: String, values: Array) -> void:
	get_node("/root/Main").tell_of(what, self, get_multiplayer_authority(), values)
