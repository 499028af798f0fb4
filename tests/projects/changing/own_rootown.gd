extends MultiplayerSynchronizer


func _enter_tree() -> void:
	root_path = ^"../Inner"
