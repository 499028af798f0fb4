extends ConfParent


func _enter_tree() -> void:
	names.clear()
	names.append_array(["luck", "hp"])
