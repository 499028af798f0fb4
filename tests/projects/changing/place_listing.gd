extends Node


func _enter_tree() -> void:
	for kind in ["b", "a"]:
		$Spawner.add_spawnable_scene("res://%s.tscn" % kind)


func start() -> void:
	if multiplayer.is_server():
		var node: Node = load($Spawner.get_spawnable_scene(0)).instantiate()
		node.name = "Listed"
		add_child(node)
