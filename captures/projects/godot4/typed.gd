# SPDX-License-Identifier: MIT
extends RefCounted
## Typed arrays and dictionaries, first with complete objects, then with ids.

const Expected := preload("expected.gd")
const Hero := preload("hero.gd")
const Udp := preload("udp.gd")


func run(expected: Expected) -> void:
	var udp := Udp.new(expected)
	udp.open("server", 5008)
	udp.open("client", 50001)

	var node := Node.new()
	node.name = "Player"
	for full_objects: bool in [true, false]:
		var values := arrays() + object_arrays(node) + dictionaries() + object_dictionaries(node) + nested()
		for value: Variant in values:
			udp.put_var("client", "server", value, full_objects)
		udp.put_var("server", "client", values[0], full_objects)
	node.free()


func arrays() -> Array:
	var ints: Array[int] = [1, 2, 3_000_000_000]
	var strings: Array[String] = ["a", "Grüße"]
	var positions: Array[Vector2] = [Vector2(1, 2), Vector2(10.5, -3)]
	var floats: Array[float] = [0.1, 1.0]
	var bools: Array[bool] = [true, false]
	var names: Array[StringName] = [&"jump"]
	var blobs: Array[PackedByteArray] = [PackedByteArray([1, 2, 3]), PackedByteArray()]
	var no_ints: Array[int] = []
	var no_strings: Array[String] = []
	var anything: Array[Variant] = [1, "a"]
	return [ints, strings, positions, floats, bools, names, blobs, no_ints, no_strings, anything]


func object_arrays(node: Node) -> Array:
	var nodes: Array[Node] = [node, null]
	var no_nodes: Array[Node] = []
	var resources: Array[Resource] = [Hero.new(), Resource.new()]
	var heroes: Array[Hero] = [Hero.new(), null]
	var no_heroes: Array[Hero] = []
	return [nodes, no_nodes, resources, heroes, no_heroes]


func dictionaries() -> Array:
	var scores: Dictionary[String, int] = {"Ada": 3, "Bo": 0}
	var no_scores: Dictionary[String, int] = {}
	var rows: Dictionary[int, Array] = {1: [1, "a"], 2: []}
	var cells: Dictionary[Vector2i, StringName] = {Vector2i(1, -2): &"water"}
	var key_only: Dictionary[String, Variant] = {"a": 1, "b": "two"}
	var value_only: Dictionary[Variant, int] = {"a": 1, 2: 2, Vector2(1, 2): 3}
	var no_keys: Dictionary[int, Variant] = {}
	return [scores, no_scores, rows, cells, key_only, value_only, no_keys]


func object_dictionaries(node: Node) -> Array:
	var nodes: Dictionary[String, Node] = {"Player": node, "Nobody": null}
	var no_nodes: Dictionary[String, Node] = {}
	var heroes: Dictionary[int, Hero] = {7: Hero.new()}
	var owners: Dictionary[Hero, Node] = {Hero.new(): node}
	return [nodes, no_nodes, heroes, owners]


func nested() -> Array:
	var ints: Array[int] = [1, 2]
	var scores: Dictionary[String, int] = {"Ada": 3}
	var rows: Array[Array] = [ints, [], ["mixed", 1]]
	var tables: Array[Dictionary] = [scores, {}, {1: 2}]
	var by_name: Dictionary[String, Dictionary] = {"scores": scores, "empty": {}}
	return [{"ints": ints, "scores": scores}, [ints, scores], rows, tables, by_name]
