extends Node


func _enter_tree() -> void:
	get_node("../SetByOther").names = ["luck", "armor"]
	var node := get_node("../SetByGroup")
	node.set("names", ["armor", "hp"])


func start() -> void:
	pass
