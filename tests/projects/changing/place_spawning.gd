extends Node


func _enter_tree() -> void:
	$Spawner.spawn_function = make


func make(kind: String) -> Node:
	var node: Node = load("res://" + kind + ".tscn").instantiate()
	node.name = "Made_" + kind
	return node


func start() -> void:
	if multiplayer.is_server():
		for kind in ["a", "b"]:
			$Spawner.spawn(kind)
