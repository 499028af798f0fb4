extends PatternBase


func _ready() -> void:
	var names := ["hp", "mana"] if hp < 1 else ["luck", "armor"]
	var synchronizer := MultiplayerSynchronizer.new()
	synchronizer.name = "Sync"
	var made := SceneReplicationConfig.new()
	for each in names:
		made.add_property(NodePath(".:" + each))
	synchronizer.replication_config = made
	add_child(synchronizer)
