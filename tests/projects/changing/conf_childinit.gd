extends ConfParent


func _init() -> void:
	names = ["armor", "luck"]
