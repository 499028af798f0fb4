# SPDX-License-Identifier: MIT
extends Node
## A node of the level. The server has authority over it.

var seconds := 1000.0
var phase := "dawn"


func _ready() -> void:
	$Sync.synchronized.connect(func() -> void: tell("sync", [seconds]))
	$Sync.delta_synchronized.connect(func() -> void: tell("delta", [phase]))


func tell(what: String, values: Array) -> void:
	get_parent().tell_of(what, self, get_multiplayer_authority(), values)
