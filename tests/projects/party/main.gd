# SPDX-License-Identifier: MIT
# What the spawners make is said in every way that games have; nothing of it is in the scenes' lists.
extends Node

const BOSS := preload("res://boss.tscn")
const Level = preload("res://level.tscn")

@export var mob_scene: PackedScene
@export var items: MultiplayerSpawner

@onready var mobs = $MobSpawner


func _ready() -> void:
	mobs.spawn_function = make_mob
	items.set_spawn_function(Callable(self, "make_item"))
	$Horn.rpc_config("honk", {"rpc_mode": MultiplayerAPI.RPC_MODE_ANY_PEER, "transfer_mode": MultiplayerPeer.TRANSFER_MODE_RELIABLE})
	$Horn.rpc_config(&"toot", {"rpc_mode": MultiplayerAPI.RPC_MODE_ANY_PEER})
	var level := Level.instantiate()
	add_child(level, true)
	var chest: Node = load("res://chest.tscn").instantiate()
	chest.name = "Chest7"
	add_child(chest)


func make_mob(data: Array) -> Node:
	return _boss(data) if data[1] > 1000 else _mob(data)


func _mob(data: Array) -> Node:
	var mob := mob_scene.instantiate()
	mob.name = data[0]
	mob.hp = data[1]
	return mob


func _boss(data: Array) -> Node:
	var boss := BOSS.instantiate()
	boss.name = data[0]
	boss.rage = data[1] / 4.0
	return boss


# Which scene it is, only the data say.
func make_item(data: Dictionary) -> Node:
	var item: Node = load("res://" + data.kind + ".tscn").instantiate()
	item.name = data.name
	item.weight = data.weight
	return item
