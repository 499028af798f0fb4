extends Node


func start() -> void:
	for factory in get_children():
		factory.start()
