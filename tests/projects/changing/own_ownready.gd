extends MultiplayerSynchronizer


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	for each in ["luck", "armor"]:
		made.add_property(NodePath(".:%s" % each))
	replication_config = made
