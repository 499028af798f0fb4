extends PatternBase


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	match name:
		&"Other":
			made.add_property(^".:hp")
			made.add_property(^".:mana")
		_:
			made.add_property(^".:luck")
			made.add_property(^".:mana")
	$Sync.replication_config = made
