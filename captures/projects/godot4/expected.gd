# SPDX-License-Identifier: MIT
@tool # for the editor's plugin of ../godot4_debug
extends RefCounted
## Records what is sent, as the engine sees it. The format is in ../../README.md.

var _file: FileAccess


func _init(path: String) -> void:
	_file = FileAccess.open(path, FileAccess.WRITE)


func close() -> void:
	_file.close()


func variant(from: String, value: Variant, full_objects := false) -> void:
	_line(["packet", from, "var", _type_name(value)])
	_leaves("", value, full_objects)


func raw(from: String, bytes: PackedByteArray) -> void:
	_line(["packet", from, "raw", bytes.hex_encode()])


func websocket_text(from: String, message: String) -> void:
	_line(["packet", from, "text", _escaped(message)])


## Called before a packet is sent through ENet.
func enet(from: String, channel: int, flags: String, size: int) -> void:
	_line(["enet", from, str(channel), flags, str(size)])


func received(by: String, channel: int, bytes: PackedByteArray) -> void:
	var md5 := HashingContext.new()
	md5.start(HashingContext.HASH_MD5)
	if not bytes.is_empty(): # which the engine would refuse
		md5.update(bytes)
	_line(["received", by, str(channel), str(bytes.size()), md5.finish().hex_encode()])


func rtt(from: String, to: String, milliseconds: float) -> void:
	_line(["rtt", from, str(int(milliseconds)), to])


## Records a call of a method over the network, in the high-level multiplayer.
func call_sent(from: int, to: int, path: String, method: String, method_id: int, arguments: Array, full_objects := false) -> void:
	event("rpc", [from, to, path, method, method_id, arguments.size()])
	for i in arguments.size():
		_leaves("/%d" % i, arguments[i], full_objects)


## The same as it arrives.
func called(by: int, from: int, path: String, method: String, argument_count: int) -> void:
	event("called", [by, from, path, method, argument_count])


## The values that reached the method.
func heard(by: int, arguments: Array) -> void:
	event("heard", [by] + arguments.map(_source))


func spawn(kind: String, by: int, path: String, spawner: String, scene: String, data: Variant = null) -> void:
	event(kind, [by, path, spawner, scene])
	if scene == "custom":
		_leaves("", data, false)


func synced(by: int, path: String, property: String, value: Variant) -> void:
	event("synced", [by, path, property, _text(value, false)])


## Records a message of the remote debugger. THREAD is a number, or "-" if it is unknown.
func message(from: String, name: String, thread: Variant, arguments: Array) -> void:
	_line([from, name, str(thread)] + arguments.map(_source))


func event(kind: String, columns: Array) -> void:
	_line([kind] + columns.map(func(column: Variant) -> String: return str(column)))


func _line(columns: Array) -> void:
	_file.store_line("\t".join(columns))


func _leaves(path: String, value: Variant, full_objects: bool) -> void:
	if value is Dictionary and not value.is_empty():
		for key in value:
			_leaves(path + "/" + _path_part(_text(key, full_objects)), value[key], full_objects)
	elif value is Array and not value.is_empty():
		for i in value.size():
			_leaves("%s/%d" % [path, i], value[i], full_objects)
	else:
		_line(["value", path, _type_name(value), _text(value, full_objects)])


func _path_part(key: String) -> String:
	return key.replace("~", "~0").replace("/", "~1")


## A freed object is sent as null.
func _type_name(value: Variant) -> String:
	var freed := typeof(value) == TYPE_OBJECT and not is_instance_valid(value)
	return "Nil" if freed else type_string(typeof(value))


func _text(value: Variant, full_objects: bool) -> String:
	match typeof(value):
		TYPE_NIL:
			return "null"
		TYPE_FLOAT:
			return _float(value)
		TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
			return _escaped(str(value))
		TYPE_VECTOR2:
			return "Vector2(%s)" % _reals([value.x, value.y])
		TYPE_VECTOR2I:
			return "Vector2i(%d, %d)" % [value.x, value.y]
		TYPE_RECT2:
			return "Rect2(%s)" % _reals([value.position.x, value.position.y, value.size.x, value.size.y])
		TYPE_RECT2I:
			return "Rect2i(%d, %d, %d, %d)" % [value.position.x, value.position.y, value.size.x, value.size.y]
		TYPE_VECTOR3:
			return "Vector3(%s)" % _reals([value.x, value.y, value.z])
		TYPE_VECTOR3I:
			return "Vector3i(%d, %d, %d)" % [value.x, value.y, value.z]
		TYPE_TRANSFORM2D:
			return "Transform2D(%s)" % _texts([value.x, value.y, value.origin])
		TYPE_VECTOR4:
			return "Vector4(%s)" % _reals([value.x, value.y, value.z, value.w])
		TYPE_VECTOR4I:
			return "Vector4i(%d, %d, %d, %d)" % [value.x, value.y, value.z, value.w]
		TYPE_PLANE:
			return "Plane(%s)" % _reals([value.normal.x, value.normal.y, value.normal.z, value.d])
		TYPE_QUATERNION:
			return "Quaternion(%s)" % _reals([value.x, value.y, value.z, value.w])
		TYPE_AABB:
			return "AABB(%s)" % _texts([value.position, value.size])
		TYPE_BASIS:
			return "Basis(%s)" % _texts([value.x, value.y, value.z])
		TYPE_TRANSFORM3D:
			return "Transform3D(%s)" % _texts([value.basis.x, value.basis.y, value.basis.z, value.origin])
		TYPE_PROJECTION:
			return "Projection(%s)" % _texts([value.x, value.y, value.z, value.w])
		TYPE_COLOR:
			return "Color(%s)" % _reals([value.r, value.g, value.b, value.a])
		TYPE_RID:
			return "RID(%d)" % value.get_id()
		TYPE_OBJECT:
			if not is_instance_valid(value):
				return "null"
			return value.get_class() if full_objects else "<Object#%d>" % value.get_instance_id()
		TYPE_CALLABLE:
			return "Callable()" # whatever it calls: only the type is sent
		TYPE_SIGNAL:
			return "Signal(<Object#%d>, %s)" % [value.get_object_id(), _quoted(value.get_name())]
		TYPE_DICTIONARY:
			return "{}"
		TYPE_ARRAY:
			return "[]"
		TYPE_PACKED_BYTE_ARRAY, TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_INT64_ARRAY:
			return _packed(value, str)
		TYPE_PACKED_FLOAT32_ARRAY:
			return _packed(value, _real)
		TYPE_PACKED_FLOAT64_ARRAY:
			return _packed(value, func(x: float) -> String: return _float(x).trim_suffix(".0"))
		TYPE_PACKED_STRING_ARRAY:
			return _packed(value, _quoted)
		TYPE_PACKED_VECTOR2_ARRAY, TYPE_PACKED_VECTOR3_ARRAY, TYPE_PACKED_VECTOR4_ARRAY, TYPE_PACKED_COLOR_ARRAY:
			return _packed(value, _text.bind(false))
	return str(value) # bool, int


## Returns a value in one line: containers with their content, and strings in quotes.
func _source(value: Variant) -> String:
	match typeof(value):
		TYPE_STRING:
			return _quoted(value)
		TYPE_STRING_NAME:
			return "&" + _quoted(str(value))
		TYPE_NODE_PATH:
			return "^" + _quoted(str(value))
		TYPE_OBJECT:
			return "<Object#%d>" % value.object_id if value is EncodedObjectAsID else _text(value, false)
		TYPE_DICTIONARY:
			return "{%s}" % ", ".join(value.keys().map(func(key: Variant) -> String:
				return "%s: %s" % [_source(key), _source(value[key])]))
		TYPE_ARRAY:
			return ("Array[%s]([%s])" % [type_string(value.get_typed_builtin()), _sources(value)]) if value.is_typed() else "[%s]" % _sources(value)
	return _text(value, false)


func _sources(values: Array) -> String:
	return ", ".join(values.map(_source)) # of a typed array, map() makes an untyped one


func _texts(values: Array) -> String:
	return ", ".join(values.map(_text.bind(false)))


func _reals(components: Array) -> String:
	return ", ".join(components.map(_real))


func _packed(array: Variant, element_text: Callable) -> String:
	return "%s([%s])" % [_type_name(array), ", ".join(Array(array).map(element_text))]


## Returns the shortest decimal that reads back as the same 64-bit float.
func _float(x: float) -> String:
	if is_nan(x):
		return "nan"
	if is_inf(x):
		return "inf" if x > 0 else "-inf"
	if x == 0:
		return "-0.0" if atan2(x, -1) < 0 else "0.0" # < does not tell the two zeros apart
	return var_to_str(x)


## The same for 32 bits, the precision of components in a vector's text; without ".0".
func _real(x: float) -> String:
	if x == 0 or is_nan(x) or is_inf(x):
		return _float(x).trim_suffix(".0")
	return var_to_str(Vector2(x, 0)).trim_prefix("Vector2(").get_slice(",", 0)


func _quoted(text: String) -> String:
	return "\"%s\"" % _escaped(text.replace("\\", "\\\\").replace("\"", "\\\""))


func _escaped(text: String) -> String:
	var result := ""
	for character in text:
		var code := character.unicode_at(0)
		match character:
			"\n":
				result += "\\n"
			"\t":
				result += "\\t"
			"\r":
				result += "\\r"
			_:
				result += "\\u%04x" % code if code < 0x20 or (code >= 0x7f and code < 0xa0) else character
	return result
