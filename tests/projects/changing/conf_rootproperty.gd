extends PatternBase


func _ready() -> void:
	$Sync.root_path = ^"../Inner"
