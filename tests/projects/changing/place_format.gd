extends Node


func start() -> void:
	for kind in ["a", "b"]:
		var node: Node = load("res://{kind}.tscn".format({"kind": kind})).instantiate()
		node.name = "Kind_" + kind
		add_child(node)
