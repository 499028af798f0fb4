extends Node


func start() -> void:
	for kind in Kinds.scenes:
		var node: Node = Kinds.scenes[kind].instantiate()
		node.name = "Kind_" + kind
		add_child(node)
