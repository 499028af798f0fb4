# SPDX-License-Identifier: MIT
extends RefCounted
## Values of every Variant type.

signal hit(damage: int)

const SHORT_BASIS := Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))


func all() -> Array:
	return scalars() + texts() + math() + references() + containers() + packed()


func scalars() -> Array:
	var zero := 0.0 # a -0.0 in the list itself would become its 0.0
	return [
		null, false, true,
		0, 1, -1, 255, 65536, 2147483647, -2147483648, 2147483648, -2147483649,
		9223372036854775807, -9223372036854775807 - 1,
		0.0, 1.0, 1.5, -0.25, 0.1, 100000.0, 123456789.0, 1e15, 1e100, 1e-7, 3.14159265358979,
		0.30000000000000004, INF, -INF, NAN, -zero,
	]


func texts() -> Array:
	return [
		"", "a", "ab", "abc", "abcd", "Grüße 日本 🎮", "say \"hi\"", "C:\\new", "two\nlines", "a\ttab", "bell\u0007",
		"a/b~c", "%s {0} <b>&amp;",
		&"", &"jump", &"Grüße", ^"", ^".", ^"Player", ^"../Enemies/Boss", ^"/root/World/Player",
		^"/root/A:x", ^"Player:position:x", ^":modulate:a", ^"/",
	]


func math() -> Array:
	return [
		Vector2(), Vector2(10.5, -3), Vector2(0.1, -0.0), Vector2(1e20, 1e-7), Vector2(INF, NAN), Vector2(1 / 3.0, 16777216),
		Vector2i(), Vector2i(1, -2), Vector2i(2147483647, -2147483648),
		Rect2(1, 2, 3.5, 4), Rect2i(-1, 2, 640, 480),
		Vector3(), Vector3(1, 2.5, -3), Vector3i(1, -2, 3),
		Transform2D(), Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)), Transform2D(PI / 6, Vector2(100, 50)),
		Vector4(1, 2.5, -3, 0.1), Vector4i(1, -2, 3, -4),
		Plane(), Plane(0, 1, 0, 5), Plane(0.6, 0, 0.8, -2.5),
		Quaternion(), Quaternion(0.5, -0.5, 0.5, 0.5), Quaternion(Vector3.UP, PI / 3),
		AABB(), AABB(Vector3(1, 2, 3), Vector3(4.5, 5.5, 6.5)),
		Basis(), SHORT_BASIS, Basis(Vector3.RIGHT, PI / 6),
		Transform3D(), Transform3D(SHORT_BASIS, Vector3(10, 11, 12.5)),
		Projection(), Projection(Vector4(1, 2, 3, 4), Vector4(5, 6, 7, 8), Vector4(9, 10, 11, 12), Vector4(13, 14, 15, 16)),
		Color(), Color(1, 0.5, 0.25), Color(0.1, 0.2, 0.3, 0.4), Color(2, -1, 0, 0), Color.REBECCA_PURPLE,
	]


func references() -> Array:
	var freed := Object.new()
	freed.free()
	return [
		RID(), rid_from_int64(77), rid_from_int64(0x123456789abcdef),
		self, freed, Callable(), all, Signal(), hit,
	]


func containers() -> Array:
	return [
		{}, {"a": 1}, {"a": {"b": {"c": {"d": "deep"}}}}, {"hp": 87, "name": "Ada", "pos": Vector2(1, 2), "inventory": ["sword", 3, null]},
		{1: "one", -2: "minus two"}, {Vector2(1, 2): "cell"}, {0.5: "half", 1.0: "one"}, {null: "nothing"}, {true: 1, false: 0},
		{&"string_name": 1}, {^"/root/A:x": 1}, {"a/b": 1, "~": 2, "~1": 3, "": 4, "two\nlines": 5, "Grüße": 6}, {"empty": {}, "list": []},
		[], [1, 2, 3], [[]], [[1, [2, [3, [4]]]]], [null, true, -1, 0.5, "text", &"name", ^"a/b", Vector2i(1, 2), {}, []],
		[{"id": 1}, {"id": 2}],
	]


func packed() -> Array:
	return [
		PackedByteArray(), PackedByteArray([1]), PackedByteArray([1, 2, 3, 255]), PackedByteArray([1, 2, 3, 4, 5]),
		PackedInt32Array(), PackedInt32Array([1, -2, 2147483647]), PackedInt64Array(), PackedInt64Array([1, -2, 9223372036854775807]),
		PackedFloat32Array(), PackedFloat32Array([0, 0.1, -1.5, INF]), PackedFloat64Array(), PackedFloat64Array([0, 0.1, -1.5, 1e100, NAN]),
		PackedStringArray(), PackedStringArray(["a", "bcd"]), PackedStringArray(["", "Grüße", "say \"hi\"", "C:\\new\n"]),
		PackedVector2Array(), PackedVector2Array([Vector2(1, 2), Vector2(0.1, -3)]),
		PackedVector3Array(), PackedVector3Array([Vector3(1, 2, 3), Vector3(0.1, -3, 0)]),
		PackedColorArray(), PackedColorArray([Color(1, 0.5, 0.25), Color(0, 0, 0, 0)]),
		PackedVector4Array(), PackedVector4Array([Vector4(1, 2, 3, 4), Vector4(0.1, -3, 0, 1)]),
	]
