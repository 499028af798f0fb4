extends Node


func start() -> void:
	var node := preload("res://b.tscn").instantiate()
	node.set_script(preload("res://skin.gd"))
	node.name = "It"
	add_child(node)
