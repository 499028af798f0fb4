# SPDX-License-Identifier: MIT
# Prints Dictionaries and Arrays that are as long as a Transform3D or a Projection of Godot 4, in hex digits, one per
# line:
#
#     mkdir project; echo config_version=4 >project/project.godot; cp say.gd project
#     godot3-server --path project -s say.gd | grep -E "^1[23]0000" | head -n 100 >godot3_alone.txt
extends SceneTree
var texts = ["id", "pos", "hp", "name", "velocity", "x", "chat", "", "Player1", "Hello, world!", "player_joined", "Grüße"]
func real():
	match randi() % 6:
		0: return 0.0
		1: return 1.0
		2: return float(randi() % 200 - 100)
		3: return rand_range(-1000.0, 1000.0)
		4: return randf()
		_: return cos(PI / 2)
func vector(): return Vector3(real(), real(), real())
func basis():
	match randi() % 4:
		0: return Basis()
		1: return Basis(Vector3(), Vector3(), Vector3())
		2: return Basis(Vector3(0, 1, 0), randf() * TAU).scaled(Vector3(2, 2, 2))
		_: return Basis(vector(), vector(), vector())
func packed():
	var n = randi() % 5
	var all = [PoolByteArray(), PoolIntArray(), PoolRealArray(), PoolStringArray(), PoolVector2Array(), PoolVector3Array(), PoolColorArray()]
	var kind = randi() % 7
	var row = all[kind]
	if kind == 0 and randi() % 2 == 0: n = randi() % 50
	for i in n:
		match kind:
			0: row.append(0 if n > 20 else randi() % 256)
			1: row.append(randi() % 1000)
			2: row.append(real())
			3: row.append(texts[randi() % texts.size()])
			4: row.append(Vector2(real(), real()))
			5: row.append(vector())
			6: row.append(Color(randf(), randf(), randf()))
	return row
func value(depth):
	match randi() % 20:
		0: return null
		1, 2: return randi() % 2 == 0
		3, 4: return randi() % 50
		5: return randi() - 5
		6: return 1700000000000 + randi()
		7, 8: return real()
		9, 10: return texts[randi() % texts.size()]
		11: return Vector2(real(), real())
		12: return vector()
		13: return basis()
		14: return Transform(basis(), vector())
		15: return Color(randf(), randf(), randf())
		16: return [Rect2(1, 2, 3, 4), AABB(vector(), vector()), Quat(vector()), Plane(vector(), 1.0), Transform2D(randf(), Vector2(1, 2)), NodePath("Main/World:hp")][randi() % 6]
		17, 18: return packed()
		_:
			if depth > 2: return {}
			return container(depth + 1)
func container(depth):
	var n = randi() % 7 if randi() % 4 else randi() % 16
	if randi() % 2:
		var list = []
		var one = value(depth)
		var same = randi() % 4 == 0
		for i in n: list.append(one if same else value(depth))
		return list
	var map = {}
	for i in n:
		var key = texts[randi() % texts.size()] if randi() % 3 else randi() % 50
		if randi() % 12 == 0: key = value(2)
		map[key] = value(depth)
	return map
func _init():
	seed(4)
	for i in 20000:
		var bytes = var2bytes(container(0))
		if bytes.size() == 52 or bytes.size() == 68: print(bytes.hex_encode())
	quit()
