# SPDX-License-Identifier: MIT
extends Reference
# Records what is sent, as the engine sees it. The format is in ../../README.md.

# Indexed by type id, because this generation has no type_string().
const TYPE_NAMES := [
	"Nil", "bool", "int", "float", "String", "Vector2", "Rect2", "Vector3", "Transform2D", "Plane", "Quat", "AABB",
	"Basis", "Transform", "Color", "NodePath", "RID", "Object", "Dictionary", "Array", "PoolByteArray", "PoolIntArray",
	"PoolRealArray", "PoolStringArray", "PoolVector2Array", "PoolVector3Array", "PoolColorArray",
]

var _file := File.new()


func _init(path: String) -> void:
	if _file.open(path, File.WRITE) != OK:
		_fail("cannot write " + path)


func close() -> void:
	_file.close()


func variant(from: String, value, full_objects := false) -> void:
	_line(["packet", from, "var", TYPE_NAMES[typeof(value)]])
	_leaves("", value, full_objects)


func raw(from: String, bytes: PoolByteArray) -> void:
	_line(["packet", from, "raw", bytes.hex_encode()])


func websocket_text(from: String, message: String) -> void:
	_line(["packet", from, "text", _escaped(message)])


# Called before a packet is sent through ENet.
func enet(from: String, channel: int, flags: String, size: int) -> void:
	_line(["enet", from, str(channel), flags, str(size)])


func received(by: String, channel: int, bytes: PoolByteArray) -> void:
	var md5 := HashingContext.new()
	if md5.start(HashingContext.HASH_MD5) != OK or md5.update(bytes) != OK:
		_fail("no MD5")
	_line(["received", by, str(channel), str(bytes.size()), md5.finish().hex_encode()])


# Records a call of a method over the network, in the high-level multiplayer.
func call_sent(from: int, to: int, path: String, method: String, arguments: Array) -> void:
	event("rpc", [from, to, path, method, "-", arguments.size()])
	for i in arguments.size():
		_leaves("/%d" % i, arguments[i], false)


# The same as it arrives.
func called(by: int, from: int, path: String, method: String, argument_count: int) -> void:
	event("called", [by, from, path, method, argument_count])


# Records a property that is set over the network.
func set_sent(from: int, to: int, path: String, property: String, value) -> void:
	event("rset", [from, to, path, property])
	_leaves("", value, false)


# The same as it arrives.
func was_set(by: int, from: int, path: String, property: String, value) -> void:
	event("set", [by, from, path, property])
	_leaves("", value, false)


# Records a message of the remote debugger. In Godot 3, messages contain no threads.
func message(from: String, name: String, arguments: Array) -> void:
	var texts := [from, name, ""]
	for argument in arguments:
		texts.append(_source(argument))
	_line(texts)


func event(kind: String, columns: Array) -> void:
	var texts := [kind]
	for column in columns:
		texts.append(str(column))
	_line(texts)


func _line(columns: Array) -> void:
	_file.store_line(PoolStringArray(columns).join("\t"))


func _leaves(path: String, value, full_objects: bool) -> void:
	if value is Dictionary and not value.empty():
		for key in value:
			_leaves(path + "/" + _path_part(_text(key, full_objects)), value[key], full_objects)
	elif value is Array and not value.empty():
		for i in value.size():
			_leaves("%s/%d" % [path, i], value[i], full_objects)
	else:
		_line(["value", path, TYPE_NAMES[typeof(value)], _text(value, full_objects)])


func _path_part(key: String) -> String:
	return key.replace("~", "~0").replace("/", "~1")


func _text(value, full_objects: bool) -> String:
	match typeof(value):
		TYPE_NIL:
			return "null"
		TYPE_BOOL:
			return "true" if value else "false"
		TYPE_REAL:
			return _float(value)
		TYPE_STRING, TYPE_NODE_PATH:
			return _escaped(str(value))
		TYPE_VECTOR2:
			return "Vector2(%s)" % _reals([value.x, value.y])
		TYPE_RECT2:
			return "Rect2(%s)" % _reals([value.position.x, value.position.y, value.size.x, value.size.y])
		TYPE_VECTOR3:
			return "Vector3(%s)" % _reals([value.x, value.y, value.z])
		TYPE_TRANSFORM2D:
			return "Transform2D(%s)" % _texts([value.x, value.y, value.origin])
		TYPE_PLANE:
			return "Plane(%s)" % _reals([value.normal.x, value.normal.y, value.normal.z, value.d])
		TYPE_QUAT:
			return "Quat(%s)" % _reals([value.x, value.y, value.z, value.w])
		TYPE_AABB:
			return "AABB(%s)" % _texts([value.position, value.size])
		TYPE_BASIS:
			return "Basis(%s)" % _texts([value.x, value.y, value.z])
		TYPE_TRANSFORM:
			return "Transform(%s)" % _texts([value.basis.x, value.basis.y, value.basis.z, value.origin])
		TYPE_COLOR:
			return "Color(%s)" % _reals([value.r, value.g, value.b, value.a])
		TYPE_RID:
			return "RID()" # whatever it names: only the type is sent
		TYPE_OBJECT:
			return value.get_class() if full_objects else "<Object#%d>" % value.get_instance_id()
		TYPE_DICTIONARY:
			return "{}"
		TYPE_ARRAY:
			return "[]"
		TYPE_REAL_ARRAY:
			return "PoolRealArray([%s])" % _reals(Array(value))
		TYPE_STRING_ARRAY:
			return "PoolStringArray([%s])" % _quoted(Array(value))
		TYPE_RAW_ARRAY, TYPE_INT_ARRAY, TYPE_VECTOR2_ARRAY, TYPE_VECTOR3_ARRAY, TYPE_COLOR_ARRAY:
			return "%s([%s])" % [TYPE_NAMES[typeof(value)], _texts(Array(value))]
	return str(value) # int


# Returns a value in one line: containers with their content, and strings in quotes.
func _source(value) -> String:
	match typeof(value):
		TYPE_REAL:
			var text := _exact_float(value)
			return text if text else _bits(value)
		TYPE_STRING:
			return _quoted([value])
		TYPE_NODE_PATH:
			return "NodePath(%s)" % _quoted([str(value)])
		TYPE_OBJECT:
			return "<Object#%d>" % value.object_id if value is EncodedObjectAsID else "null"
		TYPE_DICTIONARY:
			var entries := PoolStringArray()
			for key in value:
				entries.append("%s: %s" % [_source(key), _source(value[key])])
			return "{%s}" % entries.join(", ")
		TYPE_ARRAY:
			var elements := PoolStringArray()
			for element in value:
				elements.append(_source(element))
			return "[%s]" % elements.join(", ")
	return _text(value, false)


func _bits(x: float) -> String:
	var buffer := StreamPeerBuffer.new()
	buffer.big_endian = true
	buffer.put_double(x)
	return "float(0x%s)" % buffer.data_array.hex_encode()


func _texts(values: Array) -> String:
	var texts := PoolStringArray()
	for value in values:
		texts.append(_text(value, false))
	return texts.join(", ")


func _reals(components: Array) -> String:
	var texts := PoolStringArray()
	for x in components:
		texts.append(_real(x))
	return texts.join(", ")


func _quoted(strings: Array) -> String:
	var texts := PoolStringArray()
	for string in strings:
		texts.append("\"%s\"" % _escaped(string.replace("\\", "\\\\").replace("\"", "\\\"")))
	return texts.join(", ")


# The shortest decimal that reads back the same 64-bit float. This generation
# prints none: var2str() stops at 6 digits, a format at 14 decimals.
func _float(x: float) -> String:
	var text := _exact_float(x)
	if not text:
		_fail("no exact text for %f" % x)
	return text


# Or nothing.
func _exact_float(x: float) -> String:
	if is_nan(x):
		return "nan"
	if is_inf(x):
		return "inf" if x > 0 else "-inf"
	if x == 0:
		return "-0.0" if atan2(x, -1) < 0 else "0.0" # < does not tell the two zeros apart
	for text in [var2str(x), "%d.0" % x, ("%.14f" % x).rstrip("0")]:
		if str2var(text) == x: # float() of a string is single precision in 3.2
			return text
	return ""


# The same for 32 bits, without ".0".
func _real(x: float) -> String:
	if x == 0 or is_nan(x) or is_inf(x):
		return _float(x).trim_suffix(".0")
	var text := var2str(Vector2(x, 0)).trim_prefix("Vector2( ").split(",")[0]
	if Vector2(str2var(text), 0).x != x:
		_fail("no exact text for %f" % x)
	return text


func _escaped(text: String) -> String:
	var result := ""
	for i in text.length():
		var code := text.ord_at(i)
		match text[i]:
			"\n":
				result += "\\n"
			"\t":
				result += "\\t"
			"\r":
				result += "\\r"
			_:
				result += "\\u%04x" % code if code < 0x20 or (code >= 0x7f and code < 0xa0) else text[i]
	return result


func _fail(message: String) -> void:
	printerr(message)
	OS.exit_code = 1
