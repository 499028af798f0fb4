extends PatternBase


func _ready() -> void:
	if name == "SharedOne":
		$Sync.replication_config.remove_property(^".:hp")
		$Sync.replication_config.add_property(^".:armor")
