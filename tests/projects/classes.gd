# SPDX-License-Identifier: MIT
extends SceneTree
## Prints codec/godot-codec/project/builtin_classes.inc: the engine's node classes, and the types of those of their
## properties that games often synchronize; see README.md. If a new node's value has another type than the engine
## declares, prints an error instead of the line.

const NAMES := [
	"active", "angular_velocity", "animation", "basis", "button_pressed", "collision_layer", "collision_mask", "color",
	"current_animation", "disabled", "emitting", "enabled", "energy", "flip_h", "flip_v", "frame", "frame_coords",
	"frame_progress", "freeze", "global_basis", "global_position", "global_rotation", "global_rotation_degrees",
	"global_scale", "global_skew", "global_transform", "gravity_scale", "light_color", "light_energy", "linear_velocity",
	"mass", "max_value", "min_value", "modulate", "monitorable", "monitoring", "name", "paused", "pitch_scale", "playing",
	"position", "process_mode", "progress", "progress_ratio", "quaternion", "rotation", "rotation_degrees", "scale",
	"self_modulate", "size", "skew", "sleeping", "speed_scale", "target_position", "text", "top_level", "transform",
	"value", "velocity", "visible", "volume_db", "wait_time", "z_index", "zoom",
]


func _initialize() -> void:
	print("// SPDX-License-Identifier: MIT")
	print("// Written by tests/projects/classes.gd in Godot ", Engine.get_version_info().string, ".")
	var classes := Array(ClassDB.get_class_list()).filter(func(each: StringName) -> bool:
		var is_node := each == &"Node" or ClassDB.is_parent_class(each, &"Node")
		return is_node and ClassDB.class_get_api_type(each) == ClassDB.API_CORE)
	classes.sort_custom(func(a: StringName, b: StringName) -> bool: return String(a) < String(b))
	var rows := {}
	for each: StringName in classes:
		rows.get_or_add(_declaring(each), []).append(each)
	for declaring: StringName in rows:
		var names: Array = rows[declaring]
		for i in range(5, names.size(), 5):
			names[i] = "\"\n \"" + names[i]
		var base := _declaring(ClassDB.get_parent_class(declaring)) if declaring != &"Node" else &""
		print("{\"%s\", \"%s\", \"%s\"}," % [" ".join(names), base, " ".join(_properties(declaring))])
	quit()


## Returns the class, or its nearest base class, that declares any of the properties.
func _declaring(each: StringName) -> StringName:
	return each if _properties(each) else _declaring(ClassDB.get_parent_class(each))


func _properties(of: StringName) -> PackedStringArray:
	var texts := PackedStringArray()
	var node: Node = ClassDB.instantiate(of) if ClassDB.can_instantiate(of) else null
	for property in ClassDB.class_get_property_list(of, true):
		if property.name not in NAMES:
			continue
		texts.append("%s:%s" % [property.name, type_string(property.type)])
		# Global properties can only be read in the tree.
		if node and not property.name.begins_with("global_") and typeof(node.get(property.name)) != property.type:
			push_error("%s.%s is a %s" % [of, property.name, type_string(typeof(node.get(property.name)))])
	if node:
		node.free()
	texts.sort()
	return texts
