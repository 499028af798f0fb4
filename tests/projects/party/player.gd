# SPDX-License-Identifier: MIT
extends Node2D

@export var synced_position := Vector2()
@export var title := "nobody"


func _enter_tree() -> void:
	$Inputs/InputsSync.set_multiplayer_authority(str(name).to_int())


@rpc("call_local", "reliable")
func welcome(text: String) -> void:
	title = text
