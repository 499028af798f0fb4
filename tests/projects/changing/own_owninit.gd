extends MultiplayerSynchronizer


func _enter_tree() -> void:
	replication_config = SceneReplicationConfig.new()
	replication_config.add_property(^".:armor")
	replication_config.add_property(^".:mana")
