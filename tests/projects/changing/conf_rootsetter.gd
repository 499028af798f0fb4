extends PatternBase


func _ready() -> void:
	$Sync.set_root_path($Sync.get_path_to($Inner))
