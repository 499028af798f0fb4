extends MultiplayerSynchronizer


func _ready() -> void:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:mana")
	made.add_property(^".:hp")
	set_replication_config(made)
