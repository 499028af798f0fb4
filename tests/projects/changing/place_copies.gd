extends Node


func start() -> void:
	var node := $Template.duplicate()
	node.name = "Copy"
	add_child(node)
	var own := get_node("../OwnInit").duplicate()
	own.name = "Other"
	add_child(own)
