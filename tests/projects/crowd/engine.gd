# SPDX-License-Identifier: MIT
extends Node
## Builds its synchronizer itself.

var steam := 0.0
var coal := 0


func _ready() -> void:
	var config := SceneReplicationConfig.new()
	config.add_property(^".:steam")
	config.property_set_replication_mode(^".:steam", SceneReplicationConfig.REPLICATION_MODE_ALWAYS)
	config.add_property(NodePath(".:coal"))
	config.property_set_replication_mode(NodePath(".:coal"), SceneReplicationConfig.REPLICATION_MODE_ON_CHANGE)
	var sync := MultiplayerSynchronizer.new()
	sync.name = "Sync"
	sync.replication_config = config
	add_child(sync)
