extends PatternBase


func _ready() -> void:
	if hp > 1: $Sync.root_path = ^"../Inner"
