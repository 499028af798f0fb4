extends Node


func start() -> void:
	var node: Node = load("res://%s.tscn" % "b").instantiate()
	node.name = "Zone"
	get_parent().add_child(node)
