extends PatternBase


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:hp")
	if hp > 1:
		made.add_property(^".:luck")
	else:
		made.add_property(^".:mana")
	$Sync.replication_config = made
