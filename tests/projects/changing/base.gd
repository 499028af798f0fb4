class_name PatternBase
extends Node2D
var hp := 100
var mana := 1050
var armor := 2007
var luck := 3007


func _process(_delta: float) -> void:
	if multiplayer.multiplayer_peer is OfflineMultiplayerPeer or not multiplayer.is_server() or Engine.get_process_frames() % 40 > 0:
		return
	hp = randi() % 1000
	mana = randi() % 1000 + 1000
	armor = randi() % 1000 + 2000
	luck = randi() % 1000 + 3000
