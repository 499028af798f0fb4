extends PatternBase


func _ready() -> void:
	$Sync.replication_config = make()


func make() -> SceneReplicationConfig:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:luck")
	made.add_property(^".:mana")
	return made
