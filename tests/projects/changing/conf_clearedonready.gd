extends PatternBase
@onready var synchronizer: MultiplayerSynchronizer = $Sync


func _ready() -> void:
	for each in synchronizer.replication_config.get_properties():
		synchronizer.replication_config.remove_property(each)
	for each in ["luck", "armor"]:
		synchronizer.replication_config.add_property(".:" + each)
