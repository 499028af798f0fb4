# SPDX-License-Identifier: MIT
extends Reference
# Values of every Variant type. All have a text of few digits, see expected.gd.

const SHORT_BASIS := Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))


func all() -> Array:
	return scalars() + texts() + math() + references() + containers() + pools()


# As Godot 4 would read the same bytes: a Plane, a Transform2D, and a Vector3i with four bytes left over.
func ambiguous() -> Array:
	return [Color(1, 0.5, 0.25), AABB(Vector3(1, 2, 3), Vector3(4.5, 5.5, 6.5)), Quat(0.5, -0.5, 0.5, 0.5)]


func scalars() -> Array:
	var zero := 0.0 # a -0.0 in the list itself might become its 0.0
	return [
		null, false, true,
		0, 1, -1, 255, 65536, 2147483647, -2147483648, 2147483648, -2147483649,
		9223372036854775807, -9223372036854775807 - 1,
		0.0, 1.0, 1.5, -0.25, 0.1, 100000.0, 123456789.0, 1e15, 1e30, 1e-7, 3.14159265358979,
		INF, -INF, NAN, -zero,
	]


func texts() -> Array:
	return [
		"", "a", "ab", "abc", "abcd", "Grüße 日本 🎮", "say \"hi\"", "C:\\new", "two\nlines", "a\ttab", "bell\u0007",
		"a/b~c", "%s {0} <b>&amp;",
		NodePath(""), NodePath("."), NodePath("Player"), NodePath("../Enemies/Boss"), NodePath("/root/World/Player"),
		NodePath("/root/A:x"), NodePath("Player:position:x"), NodePath(":modulate:a"), NodePath("/"),
	]


func math() -> Array:
	return [
		Vector2(), Vector2(10.5, -3), Vector2(0.1, -0.0), Vector2(1e20, 1e-7), Vector2(INF, NAN),
		Rect2(1, 2, 3.5, 4),
		Vector3(), Vector3(1, 2.5, -3),
		Transform2D(), Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6.5)),
		Plane(0, 0, 0, 0), Plane(0, 1, 0, 5), Plane(0.6, 0, 0.8, -2.5),
		Quat(), Quat(0.5, -0.5, 0.5, 0.5), Quat(0.1, 0.2, 0.3, 0.4),
		AABB(), AABB(Vector3(1, 2, 3), Vector3(4.5, 5.5, 6.5)),
		Basis(), SHORT_BASIS,
		Transform(), Transform(SHORT_BASIS, Vector3(10, 11, 12.5)),
		Color(0, 0, 0, 1), Color(1, 0.5, 0.25), Color(0.1, 0.2, 0.3, 0.4), Color(2, -1, 0, 0),
	]


func references() -> Array:
	return [RID(), Gradient.new().get_rid(), self]


func containers() -> Array:
	return [
		{}, {"a": 1}, {"a": {"b": {"c": {"d": "deep"}}}}, {"hp": 87, "name": "Ada", "pos": Vector2(1, 2), "inventory": ["sword", 3, null]},
		{1: "one", -2: "minus two"}, {Vector2(1, 2): "cell"}, {0.5: "half", 1.0: "one"}, {null: "nothing"}, {true: 1, false: 0},
		{NodePath("/root/A:x"): 1}, {"a/b": 1, "~": 2, "~1": 3, "": 4, "two\nlines": 5, "Grüße": 6}, {"empty": {}, "list": []},
		[], [1, 2, 3], [[]], [[1, [2, [3, [4]]]]], [null, true, -1, 0.5, "text", NodePath("a/b"), Vector2(1, 2), {}, []],
		[{"id": 1}, {"id": 2}],
	]


func pools() -> Array:
	return [
		PoolByteArray(), PoolByteArray([1]), PoolByteArray([1, 2, 3, 255]), PoolByteArray([1, 2, 3, 4, 5]),
		PoolIntArray(), PoolIntArray([1, -2, 2147483647]),
		PoolRealArray(), PoolRealArray([0, 0.1, -1.5, INF]),
		PoolStringArray(), PoolStringArray(["a", "bcd"]), PoolStringArray(["", "Grüße", "say \"hi\"", "C:\\new\n"]),
		PoolVector2Array(), PoolVector2Array([Vector2(1, 2), Vector2(0.1, -3)]),
		PoolVector3Array(), PoolVector3Array([Vector3(1, 2, 3), Vector3(0.1, -3, 0)]),
		PoolColorArray(), PoolColorArray([Color(1, 0.5, 0.25), Color(0, 0, 0, 0)]),
	]
