extends PatternBase


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	var add := func(each: String) -> void: made.add_property(NodePath(".:" + each))
	made.add_property(^".:luck")
	if hp < 1:
		add.call("mana")
	add.call("armor")
	$Sync.replication_config = made
