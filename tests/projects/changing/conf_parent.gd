class_name ConfParent
extends PatternBase
var names := ["hp", "mana"]


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	for each in names:
		made.add_property(NodePath(".:" + each))
	$Sync.replication_config = made
