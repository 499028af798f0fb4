# SPDX-License-Identifier: MIT
extends RefCounted
## Sends objects, first complete, then as ids.

const Expected := preload("expected.gd")
const Hero := preload("hero.gd")
const Udp := preload("udp.gd")


func run(expected: Expected) -> void:
	var udp := Udp.new(expected)
	udp.open("server", 5007)
	udp.open("client", 50001)

	var plain := Resource.new()
	plain.resource_name = "plain"
	var gradient := Gradient.new()
	gradient.add_point(0.5, Color(1, 0.5, 0.25))
	var node := Node.new()
	node.name = "Player"
	node.process_priority = 3
	var sprite := Node2D.new()
	sprite.name = "Sprite"
	sprite.position = Vector2(10.5, -3)
	sprite.set_meta("tag", "flagship")
	var hero := Hero.new()
	hero.hp = 42
	var friends := Hero.new()
	friends.title = "Captain"
	friends.friend = hero
	var freed := Node.new()
	freed.free()

	var values := [
		plain, gradient, node, sprite, hero, friends, RefCounted.new(), null, freed,
		{"resource": plain, "node": node, "nothing": null, "freed": freed, "hp": 87},
		{"team": {"captain": friends, "crew": [hero, null]}},
		[plain, node, hero], [hero, 1, "text", [sprite]], [null],
		{hero: "an object as the key"},
	]
	for full_objects: bool in [true, false]:
		for value: Variant in values:
			udp.put_var("client", "server", value, full_objects)
		udp.put_var("server", "client", {"answer": hero}, full_objects)

	# An object that is sent as an id arrives as an EncodedObjectAsID, a separate object with another id.
	var stand_in: Variant = bytes_to_var(var_to_bytes(hero))
	udp.put_var("server", "client", [stand_in, stand_in.object_id])
	udp.put_var("server", "client", stand_in, true)

	node.free()
	sprite.free()
