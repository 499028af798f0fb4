# SPDX-License-Identifier: MIT
extends Node2D

@onready var sailor_scene := preload("res://sailor.tscn")
@onready var cask_scene := preload("res://cask.tscn")
@onready var crew: Crew = $Crew
@onready var hold: Node2D = %Hold


func _ready() -> void:
	crew.spawn_function = make_sailor
	Net.balls = %Balls


func make_sailor(title: String) -> Node:
	var sailor := sailor_scene.instantiate()
	sailor.name = title
	sailor.title = title
	return sailor


func load_cask() -> void:
	hold.add_child(cask_scene.instantiate(), true)
