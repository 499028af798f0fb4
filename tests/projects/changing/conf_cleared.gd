extends PatternBase


func _ready() -> void:
	var list: SceneReplicationConfig = $Sync.replication_config
	for each in list.get_properties():
		list.remove_property(each)
	list.add_property(^".:armor")
	list.add_property(^".:luck")
