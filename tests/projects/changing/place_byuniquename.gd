extends Node


func start() -> void:
	var world := get_node("../World")
	var node := preload("res://c.tscn").instantiate()
	node.name = "Guest"
	world.get_node("%Holder").add_child(node)
