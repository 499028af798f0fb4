extends Node


func start() -> void:
	for kind in ["a", "b"]:
		var path := "res://%s.tscn" % kind
		var scene := ResourceLoader.load(path) as PackedScene
		var node := scene.instantiate()
		node.name = "Kind_" + kind
		add_child(node)
