extends PatternBase


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:luck")
	made.add_property(^".:armor")
	$Sync.set("replication_config", made)
