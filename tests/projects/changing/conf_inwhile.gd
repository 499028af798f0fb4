extends PatternBase


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	var left := ["luck", "armor"]
	while left.size() > 0:
		made.add_property(NodePath(".:" + left.pop_back()))
	$Sync.replication_config = made
