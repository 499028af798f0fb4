# SPDX-License-Identifier: MIT
# What scripts add to nodes that they know by names, and what is called and synchronized in unusual ways.
extends Node2D

@onready var rudder := $Rudder


func _ready() -> void:
	%Birds.spawn_function = func(at: Vector2) -> Node:
		var bird := preload("res://bird.tscn").instantiate()
		bird.position = at
		return bird


func lay_egg() -> void:
	var nest := get_tree().get_first_node_in_group("nests")
	nest.add_child(preload("res://egg.tscn").instantiate(), true)


func find_nut() -> void:
	rudder.add_sibling(preload("res://nut.tscn").instantiate(), true)
