# SPDX-License-Identifier: MIT
extends Node

var points


func _enter_tree() -> void:
	set_multiplayer_authority(str(name).to_int())
