# SPDX-License-Identifier: MIT
class_name Crew
extends Node
## Adds what its owner makes: not a MultiplayerSpawner, but with a spawn_function, too.

@export var container: Node

var spawn_function: Callable


func hire(title: String) -> void:
	var sailor: Node = spawn_function.call(title)
	container.add_child(sailor, true)
