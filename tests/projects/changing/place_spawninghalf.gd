extends Node


func _enter_tree() -> void:
	$Spawner.spawn_function = make


func make(kind: String) -> Node:
	var scene: PackedScene = preload("res://a.tscn") if kind == "a" else Kinds.scenes[kind]
	var node := scene.instantiate()
	node.name = "Made_" + kind
	return node


func start() -> void:
	if multiplayer.is_server():
		for kind in ["a", "b"]:
			$Spawner.spawn(kind)
