extends PatternBase


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:hp")
	made.add_property(^".:mana")
	$Sync.replication_config = made
	change.call_deferred()


func change() -> void:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:luck")
	made.add_property(^".:armor")
	get_node("Sync").replication_config = made
