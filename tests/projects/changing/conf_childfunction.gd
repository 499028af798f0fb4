extends "res://conf_ownfunction.gd"


func names() -> Array:
	return ["mana", "armor"]


func make() -> SceneReplicationConfig:
	var made := SceneReplicationConfig.new()
	made.add_property(^".:armor")
	made.add_property(^".:luck")
	return made
