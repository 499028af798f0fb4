extends MultiplayerSynchronizer


func _ready() -> void:
	self.replication_config.remove_property(^".:mana")
	self.replication_config.add_property(^".:luck")
