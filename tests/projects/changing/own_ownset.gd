extends MultiplayerSynchronizer


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:luck")
	made.add_property(^".:hp")
	set("replication_config", made)
