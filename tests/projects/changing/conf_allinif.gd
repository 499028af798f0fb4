extends PatternBase


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:hp")
	made.add_property(^".:mana")
	if hp < 1:
		$Sync.replication_config = made
