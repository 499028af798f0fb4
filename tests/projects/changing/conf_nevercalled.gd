extends PatternBase


func unused() -> void:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:luck")
	made.add_property(^".:armor")
	$Sync.replication_config = made
