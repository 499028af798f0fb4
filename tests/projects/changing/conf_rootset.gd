extends PatternBase


func _ready() -> void:
	$Sync.set("root_path", NodePath("../Inner"))
