extends PatternBase


func _ready() -> void:
	$Sync.replication_config.call("remove_property", ^".:hp")
	$Sync.replication_config.call("add_property", ^".:armor")
