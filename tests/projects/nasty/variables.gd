# SPDX-License-Identifier: MIT
extends "variables_base.gd"

enum Team { RED, BLUE }

const E1 := 2

var untyped = 3
var whole: int = 1
var part: float = 1
var flag: bool
@export var text: String
@export_range(0, 10, 0.5) var ranged: float = 3; var second := 4
@export_multiline
var annotated: String = "a: int"
var named: StringName = "x"
var path := ^"A/B"
var literal_name := &"var x: int"
var literal_text := "a" + "b"
var literal_only := 'x'
var negative := -3
var sum := 1 - 2 + 0x1F
var real_sum := 1 + 2.0
var dot := .5
var exponent := 1e3
var tiny := 1_000.5e-3
var hexadecimal := 0xE1
var of_constant := -E1
var of_choice := 1.5 if E1 > 1 else 2.5
var quotient := 7 / 2
var list: Array[int] = [1, 2]
var literal_list := [1, 2]
var element := PackedFloat32Array([1.5])[0]
var table: Dictionary[String, int] = {}
var literal_table := { "a": 1, "b": { "c": [2] } }
var team: Team = Team.RED
var mood: Mood = Mood.ANGRY
var axis: Vector2.Axis = Vector2.AXIS_Y
var node: Node2D
var anything: Object
var anything_at_all: Variant = 3
var zero := Vector2.ZERO
var number_of_axis := Vector3.AXIS_Z
var component := Vector2(1, 2).x
var vector := Vector2(
		1,
		2)
var colour := Color.RED
var made := Color.from_hsv(0.5, 1, 1)
var bytes: PackedByteArray = [1, 2]
var \
		continued \
		: int = 3
static var shared: int = 4
var with_setter: int = 5: set = _set_it
var only_setter: set = _set_any
var with_getter: int = 6: get = _get_it
var with_block: int = 7:
	get:
		return with_block
	set(value):
		with_block = value
var with_block_of_names: int = 8:
	set = _set_it,
	get = _get_it
var block_of_none:
	get:
		return 3.5

class Inner:
	extends Node
	var whole: String


func _set_it(_value: int) -> void:
	var whole: String = "local"
	whole += "x"


func _set_any(value: Variant) -> void:
	only_setter = value


func _get_it():
	return untyped
