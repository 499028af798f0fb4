extends PatternBase


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:armor")
	made.add_property(^".:hp")
	($Sync as MultiplayerSynchronizer).set_replication_config(made)
