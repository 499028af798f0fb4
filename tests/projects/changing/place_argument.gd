extends Node


func start() -> void:
	put(preload("res://b.tscn"), "First")
	Kinds.put(self, preload("res://c.tscn"), "Second")


func put(scene: PackedScene, new_name: String) -> void:
	var node := scene.instantiate()
	node.name = new_name
	add_child(node)
