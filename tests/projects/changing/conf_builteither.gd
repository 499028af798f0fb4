extends PatternBase


func _ready() -> void:
	if hp < 1:
		var synchronizer := MultiplayerSynchronizer.new()
		synchronizer.name = "Sync"
		var made := SceneReplicationConfig.new()
		made.add_property(^".:hp")
		made.add_property(^".:mana")
		synchronizer.replication_config = made
		add_child(synchronizer)
	else:
		var synchronizer := MultiplayerSynchronizer.new()
		synchronizer.name = "Sync"
		var made := SceneReplicationConfig.new()
		made.add_property(^".:luck")
		made.add_property(^".:armor")
		synchronizer.replication_config = made
		add_child(synchronizer)
