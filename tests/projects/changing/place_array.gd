extends Node
@export var scenes: Array[PackedScene]


func start() -> void:
	for i in scenes.size():
		var node := scenes[i].instantiate()
		node.name = "Number%d" % i
		add_child(node)
