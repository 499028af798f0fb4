extends PatternBase


@rpc("any_peer", "reliable")
func skin() -> void:
	pass


func _ready() -> void:
	if multiplayer.is_server():
		while true:
			await get_tree().create_timer(1.0).timeout
			skin.rpc()
