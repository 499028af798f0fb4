extends Node
@export var scene: PackedScene


func start() -> void:
	var node := scene.instantiate()
	node.name = "Thing"
	add_child(node)
