# SPDX-License-Identifier: MIT
extends MultiplayerSynchronizer

@export var direction := Vector2()
@export var firing := false


func _enter_tree() -> void:
	set_multiplayer_authority(str(get_parent().name).to_int())
