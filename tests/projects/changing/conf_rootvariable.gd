extends PatternBase


func _ready() -> void:
	var synchronizer := get_node("Sync")
	synchronizer.root_path = synchronizer.get_path_to($Inner)
