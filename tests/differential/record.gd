# SPDX-License-Identifier: MIT
# Asks a running Godot to decode serialized Variants, most of them damaged, and writes its results to a file.
# tests/differential_test.cpp reads the file and compares them with the dissector's decoder, without an engine.
#
# To record again, in the repository's root, with Godot 4.6 (a second or two):
#
#   godot --headless --script tests/differential/record.gd -- tests/differential/godot4.6.txt
#
# To see how the engine decodes one serialized Variant, such as the input of a failing test:
#
#   godot --headless --script tests/differential/record.gd -- explain 0200000005000000
#
# The lines of the file, where "#" begins a comment:
#
#     seed NUMBER PLAN HEX
#         An undamaged Variant. HEX is a list of chunks joined by "+"; "DIGITS*COUNT" is a repeated chunk. Its cases
#         follow, one per line; case 0 is the seed itself. PLAN says what the other cases are:
#         "fixed": there are none; "mutated": mutate() makes them; "wrapped": envelop() makes one for each of its
#         numbers, and mutate() the rest.
#     BYTES SIZE VALUE [oSIZE]
#         A case: the hash of its bytes, the result of decode_var_size(), and the hash of the value's canonical text.
#         "BYTES -" instead if has_encoded_var() rejects it. oSIZE (or o-) is the result if full objects are
#         allowed and the result differs.
#
# differential_test.cpp has its own copies of Random, mutate(), envelop(), hash_bytes() and the canonical text. Change
# both, then record again.
extends SceneTree

const CASES_PER_SEED := 42
const CASES_PER_DEEP_SEED := 6
const MASK := 0xffffffff
const TYPES := TYPE_MAX

# Numbers that are likely to break a decoder: small counts, type numbers, headers with flags, limits, unusual reals.
const NUMBERS: Array[int] = [
	0, 1, 2, 3, 4, 5, 8, 16, 21, 22, 24, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 63, 0xff, 0x100,
	0x10002, 0x10003, 0x10005, 0x18, 0x10018, 0x1001c, 0x2001c, 0x3001c, 0x1001b, 0x4001b, 0x5001b, 0x6001b, 0x8001b,
	0x10023, 0x100, 0x7fffffff, 0x80000000, 0x80000001, 0x80000002, 0xfffffffe, 0xffffffff, 0x3f800000, 0x7f800000,
	0x7fc00000,
]
const BYTES: Array[int] = [
	0, 1, 2, 3, 4, 5, 8, 12, 16, 20, 21, 22, 24, 26, 27, 28, 29, 34, 35, 38, 39, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc2,
	0xed, 0xef, 0xf4, 0xfe, 0xff,
]
# Well-formed UTF-8, byte order marks and zeros; over-long, surrogate, too large and truncated sequences.
const TEXTS: Array[String] = [
	"c3a9", "e282ac", "f09f9880", "efbfbf", "efbbbf", "00", "0041", "ed9fbf", "ee8080", "f48fbfbf", "f0908080",
	"c0af", "c1bf", "e08080", "e09fbf", "eda080", "edbfbf", "f0808080", "f48fbfc0", "f4908080", "f5808080", "f8888080",
	"80", "bf", "c3", "e282", "f09f98", "fe", "ff", "00ff", "00c3", "efbbbf00",
]

var scratch := PackedByteArray([0, 0, 0, 0, 0, 0, 0, 0])
var pieces: PackedStringArray = []
var seeds: Array[PackedByteArray] = []
var plans: PackedStringArray = []
var seed_texts: PackedStringArray = []
var state := 1


func _init() -> void:
	var arguments := OS.get_cmdline_user_args()
	if arguments.size() == 2 and arguments[0] == "explain":
		explain(arguments[1].hex_decode())
		quit()
	elif arguments.size() == 1:
		# The engine prints an error for each rejected Variant. Set this to true to see errors of this script after a change.
		Engine.print_error_messages = false
		quit(0 if record(arguments[0]) else 1)
	else:
		printerr("usage: godot --headless --script record.gd -- OUTPUT | explain HEX")
		quit(1)


func explain(bytes: PackedByteArray) -> void:
	print("without objects: ", outcome(bytes, false), ", with: ", outcome(bytes, true))
	if bytes.has_encoded_var(0):
		print(canonical(bytes.decode_var(0)))


func record(path: String) -> bool:
	make_seeds()
	var lines: PackedStringArray = [
		"# SPDX-License-Identifier: MIT",
		"# Godot %s, recorded by record.gd, which explains these lines." % Engine.get_version_info()["string"],
	]
	var total := 0
	var accepted := 0
	for number in seeds.size():
		lines.append("seed %d %s %s" % [number, plans[number], seed_texts[number]])
		for case_number in case_count(number):
			var bytes := case_bytes(number, case_number)
			var line := "%08x " % hash_bytes(bytes)
			var size := outcome(bytes, false)
			var size_with_objects := outcome(bytes, true)
			if size == "-":
				line += "-"
			else:
				line += "%s %08x" % [size, hash_bytes(canonical(bytes.decode_var(0)).to_ascii_buffer())]
				accepted += 1
			if size_with_objects != size:
				line += " o" + size_with_objects
			lines.append(line)
			total += 1
	var file := FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		printerr("cannot write ", path)
		return false
	file.store_string("\n".join(lines) + "\n")
	print("%d seeds, %d cases, %d accepted" % [seeds.size(), total, accepted])
	return true


# Returns the size that the engine read, or "-" if it rejects the bytes.
func outcome(bytes: PackedByteArray, allow_objects: bool) -> String:
	var size := bytes.decode_var_size(0, allow_objects)
	var is_accepted := bytes.has_encoded_var(0, allow_objects)
	if (size > 0) != is_accepted:
		printerr("the engine contradicts itself about ", bytes.hex_encode())
	return str(size) if is_accepted else "-"


func case_count(number: int) -> int:
	match plans[number]:
		"fixed":
			return 1
		"wrapped":
			return 1 + 2 * (TYPES + 1) + CASES_PER_SEED
		_:
			return 1 + (CASES_PER_DEEP_SEED if seeds[number].size() > 2000 else CASES_PER_SEED)


func case_bytes(number: int, case_number: int) -> PackedByteArray:
	if case_number == 0:
		return seeds[number]
	if plans[number] == "wrapped" and case_number <= 2 * (TYPES + 1):
		return envelop(seeds[number], case_number - 1)
	return mutate(number, case_number)


# Returns the canonical text of a value. Equal texts mean equal values, to the last bit of a real; all NaNs are equal.

# Not recursive, because values can be nested deeper than a script may recurse.
func canonical(value: Variant) -> String:
	pieces.clear()
	var parts: Array = [Part.new(value)]  # still to be formatted, the last one first
	while not parts.is_empty():
		var part: Part = parts.pop_back()
		if part.is_text:
			pieces.append(part.value)
		elif part.value is Dictionary:
			var inside := describe_dictionary(part.value)
			inside.reverse()
			parts.append_array(inside)
		elif part.value is Array:
			var inside := describe_array(part.value)
			inside.reverse()
			parts.append_array(inside)
		else:
			describe(part.value)
	return "".join(pieces)


# A text, or a value that is still to be formatted.
class Part:
	var value: Variant
	var is_text: bool

	func _init(part_value: Variant, part_is_text := false) -> void:
		value = part_value
		is_text = part_is_text


func real64(value: float) -> String:
	if is_nan(value):
		return "nan"
	scratch.encode_double(0, value)
	return "%08x%08x" % [scratch.decode_u32(4), scratch.decode_u32(0)]


func real32(value: float) -> String:
	if is_nan(value):
		return "nan"
	scratch.encode_float(0, value)
	return "%08x" % scratch.decode_u32(0)


func text(value: String) -> String:
	return value.to_utf8_buffer().hex_encode()


func add(type: int, parts: Array) -> void:
	pieces.append("%s(%s)" % [type_string(type), ",".join(PackedStringArray(parts))])


func add_reals(type: int, reals: Array) -> void:
	add(type, reals.map(real32))


func vector2(value: Vector2) -> Array:
	return [value.x, value.y]


func vector3(value: Vector3) -> Array:
	return [value.x, value.y, value.z]


func vector4(value: Vector4) -> Array:
	return [value.x, value.y, value.z, value.w]


func color(value: Color) -> Array:
	return [value.r, value.g, value.b, value.a]


func basis(value: Basis) -> Array:
	return vector3(value.x) + vector3(value.y) + vector3(value.z)


func flat(values: Variant, components: Callable) -> Array:
	var all := []
	for value: Variant in values:
		all.append_array(components.call(value))
	return all


func node_path(path: NodePath) -> String:
	var result := "1" if path.is_absolute() else "0"
	for i in path.get_name_count():
		result += "/" + text(path.get_name(i))
	for i in path.get_subname_count():
		result += ":" + text(path.get_subname(i))
	return result


func container_type(type: int, name: StringName) -> String:
	return type_string(type) + ("" if name.is_empty() else "." + name)


func describe(value: Variant) -> void:
	var type := typeof(value)
	match type:
		TYPE_NIL, TYPE_CALLABLE:
			add(type, [])
		TYPE_BOOL:
			add(type, ["1" if value else "0"])
		TYPE_INT:
			add(type, [str(value)])
		TYPE_FLOAT:
			add(type, [real64(value)])
		TYPE_STRING, TYPE_STRING_NAME:
			add(type, [text(value)])
		TYPE_VECTOR2:
			add_reals(type, vector2(value))
		TYPE_VECTOR2I:
			add(type, [str(value.x), str(value.y)])
		TYPE_RECT2:
			add_reals(type, vector2(value.position) + vector2(value.size))
		TYPE_RECT2I:
			add(type, [str(value.position.x), str(value.position.y), str(value.size.x), str(value.size.y)])
		TYPE_VECTOR3:
			add_reals(type, vector3(value))
		TYPE_VECTOR3I:
			add(type, [str(value.x), str(value.y), str(value.z)])
		TYPE_TRANSFORM2D:
			add_reals(type, vector2(value.x) + vector2(value.y) + vector2(value.origin))
		TYPE_VECTOR4, TYPE_QUATERNION:
			add_reals(type, [value.x, value.y, value.z, value.w])
		TYPE_VECTOR4I:
			add(type, [str(value.x), str(value.y), str(value.z), str(value.w)])
		TYPE_PLANE:
			add_reals(type, vector3(value.normal) + [value.d])
		TYPE_AABB:
			add_reals(type, vector3(value.position) + vector3(value.size))
		TYPE_BASIS:
			add_reals(type, basis(value))
		TYPE_TRANSFORM3D:
			add_reals(type, basis(value.basis) + vector3(value.origin))
		TYPE_PROJECTION:
			add_reals(type, vector4(value.x) + vector4(value.y) + vector4(value.z) + vector4(value.w))
		TYPE_COLOR:
			add_reals(type, color(value))
		TYPE_NODE_PATH:
			add(type, [node_path(value)])
		TYPE_RID:
			add(type, [str(value.get_id())])
		TYPE_OBJECT:
			add(type, ["null" if value == null else str(value.object_id)])
		TYPE_SIGNAL:
			add(type, [text(value.get_name()), str(value.get_object_id())])
		TYPE_PACKED_BYTE_ARRAY:
			add(type, [value.hex_encode()])
		TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_INT64_ARRAY:
			add(type, Array(value).map(func(each: int) -> String: return str(each)))
		TYPE_PACKED_FLOAT32_ARRAY:
			add(type, Array(value).map(real32))
		TYPE_PACKED_FLOAT64_ARRAY:
			add(type, Array(value).map(real64))
		TYPE_PACKED_STRING_ARRAY:
			add(type, Array(value).map(text))
		TYPE_PACKED_VECTOR2_ARRAY:
			add_reals(type, flat(value, vector2))
		TYPE_PACKED_VECTOR3_ARRAY:
			add_reals(type, flat(value, vector3))
		TYPE_PACKED_VECTOR4_ARRAY:
			add_reals(type, flat(value, vector4))
		TYPE_PACKED_COLOR_ARRAY:
			add_reals(type, flat(value, color))


func describe_dictionary(value: Dictionary) -> Array:
	var start := "Dictionary{"
	if value.is_typed():
		start = "Dictionary[%s,%s]{" % [
			container_type(value.get_typed_key_builtin(), value.get_typed_key_class_name()),
			container_type(value.get_typed_value_builtin(), value.get_typed_value_class_name()),
		]
	var parts := [Part.new(start, true)]
	for key: Variant in value:
		parts.append_array([Part.new(key), Part.new("=", true), Part.new(value[key]), Part.new(";", true)])
	return parts + [Part.new("}", true)]


func describe_array(value: Array) -> Array:
	var start := "Array{"
	if value.is_typed():
		start = "Array[%s]{" % container_type(value.get_typed_builtin(), value.get_typed_class_name())
	var parts := [Part.new(start, true)]
	for element: Variant in value:
		parts.append_array([Part.new(element), Part.new(";", true)])
	return parts + [Part.new("}", true)]


# --- Damage

# Fowler-Noll-Vo hash 1a.
func hash_bytes(bytes: PackedByteArray) -> int:
	var result := 0x811c9dc5
	for byte in bytes:
		result = ((result ^ byte) * 0x01000193) & MASK
	return result


func start_random(number: int, case_number: int) -> void:
	state = (number * 0x9e3779b1 + case_number * 0x85ebca6b + 0x6d2b79f5) & MASK
	if state == 0:
		state = 1
	for i in 4:
		next_random()


# Xorshift with 32 bits.
func next_random() -> int:
	state ^= (state << 13) & MASK
	state ^= state >> 17
	state ^= (state << 5) & MASK
	return state


# Returns a random number below the limit.
func random(limit: int) -> int:
	return next_random() % limit


func put_u32(bytes: PackedByteArray, value: int) -> PackedByteArray:
	var start := bytes.size()
	bytes.resize(start + 4)
	bytes.encode_u32(start, value)
	return bytes


func u32s(values: Array[int]) -> PackedByteArray:
	var bytes := PackedByteArray()
	for value in values:
		bytes = put_u32(bytes, value)
	return bytes


# Puts the bytes into a typed Array twice as an element, or into a Dictionary with typed keys twice as a key. `which`
# selects the element type; the last number is a type that does not exist.
func envelop(bytes: PackedByteArray, which: int) -> PackedByteArray:
	var type := which >> 1
	if which & 1 == 0:
		return u32s([0x1001c, type, 2]) + bytes + bytes
	return u32s([0x1001b, type, 2]) + bytes + u32s([2, 1]) + bytes + u32s([2, 2])


func mutate(number: int, case_number: int) -> PackedByteArray:
	start_random(number, case_number)
	var bytes := seeds[number].duplicate()
	var rolled := random(8)
	var count := 1 if rolled < 5 else 2 if rolled < 7 else 3
	for i in count:
		bytes = mutate_once(bytes)
	return bytes


func overwrite(bytes: PackedByteArray, start: int, by: PackedByteArray) -> PackedByteArray:
	for i in by.size():
		if start + i < bytes.size():
			bytes[start + i] = by[i]
	return bytes


func mutate_once(bytes: PackedByteArray) -> PackedByteArray:
	var words := bytes.size() >> 2
	var kind := random(32)
	if words == 0:
		return put_u32(bytes, NUMBERS[random(NUMBERS.size())])
	if kind < 6:  # flip a bit
		var at := random(bytes.size())
		bytes[at] = bytes[at] ^ (1 << random(8))
	elif kind < 9:  # replace a byte
		var at := random(bytes.size())
		bytes[at] = BYTES[random(BYTES.size())]
	elif kind < 12:  # replace a number
		var at := random(words) * 4
		bytes.encode_u32(at, NUMBERS[random(NUMBERS.size())])
	elif kind < 13:  # replace a number of bytes or elements
		var at := random(words) * 4
		bytes.encode_u32(at, (bytes.size() - at - 4) >> random(5))
	elif kind < 16:  # change a number by one
		var at := random(words) * 4
		var by := random(9) - 4
		bytes.encode_u32(at, (bytes.decode_u32(at) + by) & MASK)
	elif kind < 18:  # set a flag
		var at := random(words) * 4
		var bit := 8 + random(24)
		bytes.encode_u32(at, bytes.decode_u32(at) ^ (1 << bit))
	elif kind < 19:  # truncate
		bytes = bytes.slice(0, random(bytes.size()))
	elif kind < 21:  # repeat a range
		var from := random(words)
		var length := 1 + random(mini(words - from, 16))
		bytes = bytes.slice(0, (from + length) * 4) + bytes.slice(from * 4)
	elif kind < 22:  # remove a range
		var from := random(words)
		var length := 1 + random(mini(words - from, 4))
		bytes = bytes.slice(0, from * 4) + bytes.slice((from + length) * 4)
	elif kind < 23:  # append bytes
		for i in 1 + random(9):
			bytes.append(BYTES[random(BYTES.size())])
	elif kind < 25:  # take the end of another seed
		var from := random(words)
		var other := seeds[random(seeds.size())]
		var other_from := random((other.size() >> 2) + 1)
		bytes = bytes.slice(0, from * 4) + other.slice(other_from * 4, other_from * 4 + 256)
	elif kind < 29:  # replace a text
		var at := random(bytes.size())
		bytes = overwrite(bytes, at, TEXTS[random(TEXTS.size())].hex_decode())
	elif kind < 30:  # put the Variant into an Array or a Dictionary
		match random(4):
			0:
				bytes = u32s([0x1c, 1]) + bytes
			1:
				bytes = u32s([0x1001c, random(TYPES + 1), 1]) + bytes
			2:
				bytes = u32s([0x4001b, random(TYPES + 1), 1, 0]) + bytes
			3:
				bytes = u32s([0x1b, 1]) + bytes + u32s([0])
	elif kind < 31:  # swap two numbers
		var first := random(words) * 4
		var second := random(words) * 4
		var number := bytes.decode_u32(first)
		bytes.encode_u32(first, bytes.decode_u32(second))
		bytes.encode_u32(second, number)
	else:  # remove or extend the padding at the end
		bytes = bytes.slice(0, bytes.size() - 1 - random(4))
	return bytes


# --- Seeds

func plant(plan: String, bytes: PackedByteArray) -> void:
	seeds.append(bytes)
	plans.append(plan)
	seed_texts.append(bytes.hex_encode())


# Adds a seed of repeated chunks: [bytes, count, bytes, count, ...]
func plant_repeated(plan: String, parts: Array) -> void:
	var bytes := PackedByteArray()
	var texts: PackedStringArray = []
	for i in range(0, parts.size(), 2):
		for j: int in parts[i + 1]:
			bytes.append_array(parts[i])
		texts.append(parts[i].hex_encode() + ("" if parts[i + 1] == 1 else "*%d" % parts[i + 1]))
	seeds.append(bytes)
	plans.append(plan)
	seed_texts.append("+".join(texts))


# Converts a list to bytes: an int is a u32, a float has 64 bits, a String has a length and padding, bytes stay as is.
func raw(parts: Array) -> PackedByteArray:
	var bytes := PackedByteArray()
	for part: Variant in parts:
		match typeof(part):
			TYPE_INT:
				bytes = put_u32(bytes, part)
			TYPE_FLOAT:
				bytes.resize(bytes.size() + 8)
				bytes.encode_double(bytes.size() - 8, part)
			TYPE_STRING:
				bytes.append_array(var_to_bytes(part).slice(4))
			_:
				bytes.append_array(part)
	return bytes


# Returns a serialized string with the given bytes.
func raw_text(hex: String) -> PackedByteArray:
	var bytes := u32s([hex.length() >> 1]) + hex.hex_decode()
	while bytes.size() % 4 != 0:
		bytes.append(0)
	return bytes


func reals(count: int) -> Array:
	return range(count).map(func(i: int) -> float: return (i + 1) * 1.375 if i % 3 > 0 else -(i + 1) / 3.0)


func make_seeds() -> void:
	var object_id := raw([0x10018, 0x12345678, 0x80000012])
	var null_object := raw([0x10018, 0, 0])
	var strange_basis := Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))
	var strange_transform := Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6))

	# One value of each type.
	for value: Variant in [
		null, true, 305419896, -1.5, "héllo", Vector2(1.5, -2.25), Vector2i(1, -2), Rect2(1.5, 2, -3.75, 4),
		Rect2i(1, 2, -3, 4), Vector3(1.5, 2, -3), Vector3i(1, 2, -3), strange_transform, Vector4(1, 2.5, 3, -4),
		Vector4i(1, 2, 3, -4), Plane(0.5, -2, 3, 4), Quaternion(0.5, 0.5, -0.5, 0.5), AABB(Vector3(1, 2, 3),
		Vector3(4, 5, -6.5)), strange_basis, Transform3D(strange_basis, Vector3(10, 11, 12.5)),
		Projection(Vector4(1, 2, 3, 4), Vector4(5, 6, 7, 8), Vector4(9, 10, 11, 12), Vector4(13, 14, 15, -16)),
		Color(0.1, 0.2, 0.3, 0.4), &"name", ^"/root/A:x", rid_from_int64(0x123456789), Callable(),
		Signal(self, &"idle"), {"a": 1, 2: [3.5]}, [1, "two", null], PackedByteArray([1, 2, 3, 4, 5]),
		PackedInt32Array([1, -2, 3]), PackedInt64Array([1, -2]), PackedFloat32Array([0.1, -2.5, 3]),
		PackedFloat64Array([0.1, -2.5]), PackedStringArray(["a", "bcd", "", "é€😀"]),
		PackedVector2Array([Vector2(1, 2), Vector2(3, -4)]), PackedVector3Array([Vector3(1, 2, 3), Vector3(4, 5, -6)]),
		PackedColorArray([Color(0.1, 0.2, 0.3), Color.RED]), PackedVector4Array([Vector4(1, 2, 3, 4), Vector4.ONE]),
	]:
		var bytes := var_to_bytes(value)
		if value is Signal:
			bytes = raw([26, "idle", 0x12345678, 0x80000012])  # not an instance id, which would differ in each run
		plant("wrapped", bytes)
	plant("wrapped", object_id)
	plant("wrapped", null_object)

	# Numbers of both widths, and unusual numbers.
	for value: Variant in [
		0, -1, 0x7fffffff, 0x80000000, -0x80000000, 0x123456789abcdef, -0x7fffffffffffffff - 1, 0.0, -0.0, 0.1, INF,
		-INF, NAN, 1e300, 5e-324, 9.3e18, -1.9, false,
	]:
		plant("mutated", var_to_bytes(value))
	plant("mutated", raw([1, 0x100]))
	plant("mutated", raw([1, 0x80000000]))
	plant("mutated", raw([3, 0xffc00001]))
	plant("mutated", raw([3, 0x7f800001]))

	# Reals of 64 bits, as double-precision builds send them, also in types where the flag has no meaning.
	for type: int in [
		TYPE_VECTOR2, TYPE_RECT2, TYPE_VECTOR3, TYPE_TRANSFORM2D, TYPE_VECTOR4, TYPE_PLANE, TYPE_QUATERNION, TYPE_AABB,
		TYPE_BASIS, TYPE_TRANSFORM3D, TYPE_PROJECTION,
	]:
		plant("mutated", raw([0x10000 | type] + reals(16)))
	plant("mutated", raw([0x10000 | TYPE_VECTOR4, 1e300, NAN, -INF, 1e-40]))
	plant("mutated", raw([0x10000 | TYPE_PACKED_VECTOR2_ARRAY, 2] + reals(4)))
	plant("mutated", raw([0x10000 | TYPE_PACKED_VECTOR3_ARRAY, 2] + reals(6)))
	plant("mutated", raw([0x10000 | TYPE_PACKED_VECTOR4_ARRAY, 2] + reals(8)))
	for value: Variant in [Color.AQUA, PackedColorArray([Color.AQUA]), PackedFloat32Array([1, 2]), "text", Vector3i.ONE]:
		var bytes := var_to_bytes(value)
		plant("mutated", u32s([0x10000 | typeof(value)]) + bytes.slice(4))

	# Texts.
	for value: Variant in [
		"", "a", "ab", "abc", "abcd", &"", "e\u0301€😀\u00ff\u0100\u07ff\u0800\uffff\U010000\U10ffff", "tab\tline\n",
		"0123456789abcdef0123456789abcdef", ^"", ^"/", ^"a", ^"a/b/c", ^"../x:y:z", ^":position:x", ^"/root/é/€:😀",
	]:
		plant("mutated", var_to_bytes(value))
	for hex in TEXTS:
		plant("mutated", raw([4, raw_text("61" + hex)]))
		plant("fixed", raw([4, raw_text(hex + "61")]))
		plant("fixed", raw([21, raw_text(hex)]))
		plant("fixed", raw([34, 1, raw_text(hex)]))
		plant("fixed", raw([34, 1, raw_text(hex + "00")]))
		plant("fixed", raw([22, 0x80000001, 1, 1, raw_text("61" + hex), raw_text(hex)]))
		plant("fixed", raw([26, raw_text(hex), 5, 6]))
		plant("fixed", raw([0x2001c, raw_text(hex), 0]))
		plant("fixed", raw([24, raw_text(hex), 0]))
	plant("mutated", raw([22, 0x80000002, 1, 1, "root", "A", "x"]))
	plant("mutated", raw([22, 0x80000001, 1, 3, "root", "x", "y"]))
	plant("mutated", raw([22, 0x80000000, 0, 2, "y"]))
	plant("mutated", raw([22, 0x80000000, 0, 1]))
	plant("mutated", raw([22, "root/A:x"]))  # the obsolete form
	# The sum of these counts of names exceeds 32 bits.
	plant("mutated", raw([22, 0x80000000, 0xffffffff, 2, "a", "b"]))
	plant("mutated", raw([22, 0xffffffff, 0x80000001, 0, "a", "b"]))
	plant("mutated", raw([22, 0xffffffff, 0x80000003, 1, "a", "b"]))
	plant("mutated", raw([22, 0x80000001, 0xffffffff, 2, "a", "b"]))
	plant("mutated", raw([22, 0x80000002, 0xffffffff, 0, "a", "b"]))

	# Packed arrays: empty, and byte arrays with each length of padding.
	for type in range(TYPE_PACKED_BYTE_ARRAY, TYPES):
		plant("mutated", raw([type, 0]))
	for count in range(1, 8):
		var bytes := PackedByteArray()
		bytes.resize(count)
		bytes.fill(count)
		plant("mutated", var_to_bytes(bytes))
		plant("mutated", var_to_bytes(bytes).slice(0, 8 + count))
		plant("mutated", var_to_bytes([bytes]).slice(0, 16 + count))
		plant("fixed", var_to_bytes({1: bytes}).slice(0, 24 + count))
		plant("fixed", raw([28, 2, 29, count, bytes]))
		plant("fixed", raw([28, 2, 29, count, bytes, 0]))
		plant("fixed", raw([27, 1, 29, count, bytes, 0]))
	plant("mutated", raw([34, 0xffffffff]))
	plant("mutated", raw([28, 2, 34, 0x80000000, 2, 7]))
	plant("mutated", raw([34, 3, "a", raw_text("6200"), raw_text("630064")]))
	plant("mutated", raw([34, 2, raw_text("00"), raw_text("0000")]))
	for number in [0x7fffffff, 0x80000000, 0xffffffff, 0x20000000, 0x40000001, 0x15555556]:
		for type in range(TYPE_PACKED_BYTE_ARRAY, TYPES):
			for header in [type, 0x10000 | type]:
				plant_repeated("fixed", [raw([header, number]), 1, raw([1]), 24])
		plant("fixed", raw([27, number, 2, 1, 2, 1]))
		plant("fixed", raw([28, number, 2, 1]))
		plant("fixed", raw([4, number, 2, 1]))

	# Containers.
	for value: Variant in [
		{}, [], {"a": {"b": {"c": []}}}, [[], [[]], {}], {1: "int", 1.0: "float", "1": "text", true: "bool"},
		["text", &"name", ^"path", 1, 2.5, true, null, Vector2.ONE], {Vector2i(1, 2): Color.RED, [1]: {2: 3}},
		[PackedByteArray([1]), PackedStringArray(["a"])], [RID(), Callable(), Plane(), Basis()],
		{"position": Vector3(1, 2, 3), "velocity": Vector3.ZERO, "name": "player", "id": 12345678901},
	]:
		plant("mutated", var_to_bytes(value))
	for value: Variant in [
		[1, 2] as Array[int], ["a", "b"] as Array[String], [1.5, 2.5] as Array[float], [&"a"] as Array[StringName],
		[Vector2.ONE, Vector2.ZERO] as Array[Vector2], [[1], ["a"]] as Array[Array], [{}] as Array[Dictionary],
		[^"a/b"] as Array[NodePath], [true] as Array[bool], [Color.RED] as Array[Color], [] as Array[Object],
		{"a": 1} as Dictionary[String, int], {1: "a", 2: "b"} as Dictionary[int, String],
		{&"a": 1} as Dictionary[StringName, Variant], {1: 2} as Dictionary[Variant, int], {} as Dictionary[Vector2, Color],
		{1: [1] as Array[int]} as Dictionary[int, Array], [[1] as Array[int], [2] as Array[int]],
	]:
		plant("mutated", var_to_bytes(value))
	plant("mutated", raw([0x1001c, 2, 5, 2, 1, 3, 0x3fc00000, 4, "x", 1, 1, 0]))  # Array[int] of all kinds
	plant("mutated", raw([0x1001c, 3, 4, 2, 0x7fffffff, 0x10002, 0x89abcdef, 0x1234567, 1, 0, 4, "x"]))
	plant("mutated", raw([0x1001c, 4, 4, 21, "name", 22, 0x80000001, 1, 1, "root", "x", 4, "text", 2, 1]))
	plant("mutated", raw([0x1001c, 6, 2, 5, 0x40300000, 0xc0300000, 6, 1, 2]))
	plant("mutated", raw([0x1001c, 24, 4, object_id, null_object, 0, 2, 1]))
	plant("mutated", raw([0x1001c, 28, 2, 30, 2, 1, 2, 34, 1, "a"]))
	plant("mutated", raw([0x1001c, 0, 2, 2, 1, 4, "x"]))
	plant("fixed", raw([0x1001c, 0xffffffff, 0]))
	plant("mutated", raw([0x2001c, "EncodedObjectAsID", 2, object_id, 2, 1]))
	plant("mutated", raw([0x2001c, "Node", 1, null_object]))
	plant("mutated", raw([0x2001c, "", 1, 0]))
	plant("mutated", raw([0x3001c, "res://no.gd", 1, object_id]))
	plant("mutated", raw([0x5001b, 4, 2, 3, 4, "a", 2, 1, 2, 5, 2, 2, 21, "a", 4, "value"]))
	plant("mutated", raw([0x6001b, "Node", 2, 1, object_id, 2, 1]))
	plant("mutated", raw([0x9001b, 2, "Node", 2, 2, 1, object_id, 3, 0x3f800000, null_object]))
	plant("mutated", raw([0xf001b, "res://a.gd", "res://b.gd", 1, null_object, null_object]))
	plant("mutated", raw([0x4001b, 2, 1, 4, "key", 4, "not an int"]))
	plant("mutated", raw([28, 0x80000002, 2, 1, 2, 2]))
	plant("mutated", raw([27, 0x80000001, 2, 1, 2, 2]))
	plant("mutated", raw([0xfff0ff1c, 1, 0xff02, 1]))
	plant("mutated", raw([28, 3, object_id, null_object, object_id]))
	plant("mutated", raw([27, 2, object_id, 0, object_id, 0]))
	plant("mutated", raw([27, 2, null_object, 2, 1, null_object, 2, 2]))

	# Keys that are equal, or nearly equal.
	var nan_key := raw([3, 0x7fc00000])
	for keys: Array in [
		[var_to_bytes("a"), var_to_bytes(&"a")], [var_to_bytes(&"a"), var_to_bytes("a")],
		[var_to_bytes(0.0), var_to_bytes(-0.0)], [nan_key, raw([3, 0xffc00001])], [var_to_bytes(1), var_to_bytes(1.0)],
		[var_to_bytes(["a"]), var_to_bytes([&"a"])], [var_to_bytes({"a": 1}), var_to_bytes({&"a": 1})],
		[raw([28, 1, nan_key]), raw([28, 1, nan_key])], [raw([27, 1, nan_key, 0]), raw([27, 1, nan_key, 0])],
		[raw([27, 1, 0, nan_key]), raw([27, 1, 0, nan_key])], [var_to_bytes([0.0]), var_to_bytes([-0.0])],
		[var_to_bytes({1: 2, 3: 4}), var_to_bytes({3: 4, 1: 2})], [var_to_bytes([]), var_to_bytes([] as Array[int])],
		[var_to_bytes(Vector2(0.0, NAN)), var_to_bytes(Vector2(-0.0, NAN))], [var_to_bytes(^"a"), var_to_bytes("a")],
		[raw([28, 1, 5, 0, 0x7fc00000]), raw([28, 1, 5, 0, 0xffc00000])],
		[raw([32, 1, 0x7fc00000]), raw([32, 1, 0xffc00000])], [raw([29, 0]), raw([30, 0])],
		[var_to_bytes(true), var_to_bytes(1)], [raw([28, 1, object_id]), raw([28, 1, object_id])],
		[raw([23, 1, 2]), raw([23, 1, 2])], [raw([26, "a", 1, 2]), raw([26, "a", 1, 2])],
	]:
		plant("mutated", raw([27, 4, keys[0], 2, 1, 2, 5, 2, 2, keys[1], 2, 3, keys[0], 2, 4]))

	# Objects in full.
	plant("mutated", raw([24, ""]))
	plant("mutated", raw([24, "", 0, 0]))
	plant("mutated", raw([24, "RefCounted", 0]))
	plant("mutated", raw([24, "Resource", 2, "resource_name", 4, "name", "script", 0]))
	plant("mutated", raw([24, "Resource", 1, "resource_local_to_scene", 1, 1]))
	plant("mutated", raw([24, "Resource", 0xffffffff]))
	plant("fixed", raw([24, "Resource", 0x7fffffff]))
	plant("fixed", raw([24, "NoSuchClass", 0]))
	plant("fixed", raw([24, "Resource", 1, "script", 4, "res://no.gd"]))
	plant("fixed", raw([24, "Resource", 1, "script", 2, 1]))
	plant("mutated", raw([28, 2, 24, "RefCounted", 0, 2, 7]))
	plant("mutated", raw([28, 2, 24, "", 2, 7]))

	# Nesting: 1024 levels around a value are allowed.
	var array_level := raw([28, 1])
	var dictionary_level := raw([27, 1, 0])
	for levels: int in [1023, 1024, 1025, 1026, 3000, 4095, 4096, 5000]:
		plant_repeated("fixed", [array_level, levels, raw([0]), 1])
		plant_repeated("fixed", [dictionary_level, levels, raw([0]), 1])
		plant_repeated("fixed", [raw([0x1001c, 28, 1]), levels, raw([28, 0]), 1])
	plant_repeated("mutated", [array_level, 1022, raw([28, 2, 2, 7, 29, 1, 0]), 1])
	plant_repeated("mutated", [dictionary_level, 1020, raw([2, 7]), 1])
	plant_repeated("fixed", [raw([27, 1]), 1024, raw([2, 7]), 1, raw([0]), 1024])
	plant_repeated("fixed", [raw([27, 1]), 1025, raw([2, 7]), 1, raw([0]), 1025])
	plant_repeated("fixed", [array_level, 1024, raw([34, 1, "a"]), 1])

	# Headers of other types, and packets that are shorter than a header.
	for type in range(TYPES - 1, 64):
		plant_repeated("fixed", [raw([type]), 1, raw([0]), 7])
	plant("mutated", raw([0xff]))
	for count in 4:
		plant("fixed", raw([0]).slice(0, count))
	for type in TYPES:
		plant("fixed", raw([type]))
		plant_repeated("fixed", [raw([0xfff0ff00 | type]), 1, raw([0]), 16])
		for kinds in 16:
			plant_repeated("fixed", [raw([kinds << 16 | type]), 1, raw([1]), 2, raw([0]), 9])
