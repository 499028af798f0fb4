extends Node
var scenes := {"a": preload("res://a.tscn"), "b": preload("res://b.tscn")}


static func put(parent: Node, scene: PackedScene, new_name: String) -> void:
	var node := scene.instantiate()
	node.name = new_name
	parent.add_child(node)
