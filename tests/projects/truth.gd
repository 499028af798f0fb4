# SPDX-License-Identifier: MIT
extends SceneTree
## Prints how the engine reads a project's scripts and scenes, line by line; see README.md.

const EMPTY := "d41d8cd98f00b204e9800998ecf8427e"

var _seen := {}


func _initialize() -> void:
	var paths := _files("res://")
	paths.sort()
	for path in paths:
		match path.get_extension():
			"gd":
				_script(load(path), path)
			"tscn":
				_scene(load(path), path)
	quit()


func _say(fields: Array) -> void:
	print("\t".join(fields))


func _files(folder: String) -> PackedStringArray:
	var paths := PackedStringArray()
	var dir := DirAccess.open(folder)
	for sub in dir.get_directories():
		var path := folder.path_join(sub)
		if not FileAccess.file_exists(path.path_join(".gdignore")) and not FileAccess.file_exists(path.path_join("project.godot")):
			paths.append_array(_files(path))
	for file in dir.get_files():
		if file != "truth.gd":
			paths.append(folder.path_join(file))
	return paths


func _sorted(config: Variant) -> PackedStringArray:
	var names := PackedStringArray(config.keys() if config is Dictionary else [])
	names.sort()
	return names


func _with_modes(config: Variant) -> Array:
	var texts := []
	for name in _sorted(config):
		var method: Dictionary = config[name]
		var mode: String = ["disabled", "any_peer", "authority"][method.rpc_mode]
		var transfer: String = ["unreliable", "unreliable_ordered", "reliable"][method.get("transfer_mode", 0)]
		texts.append("%s:%s,%s,%s,%d" % [name, mode, method.get("call_local", false), transfer, method.get("channel", 0)])
	return texts


func _script(script: Script, name: String) -> void:
	if script == null or _seen.has(script):
		return
	_seen[script] = true
	var config: Variant = script.get_rpc_config()
	_say(["script", name, "".join(_sorted(config)).md5_text() if config else EMPTY, "|".join(_with_modes(config))])
	var constants := script.get_script_constant_map()
	for constant: String in constants:
		var inner: Variant = constants[constant]
		if inner is Script and (inner.resource_path.is_empty() or "::" in inner.resource_path):
			_script(inner, "%s::%s" % [name, constant])


func _scene(scene: PackedScene, path: String) -> void:
	var holder := Node.new()
	root.add_child(holder)
	var top := scene.instantiate()
	holder.add_child(top)
	_node(top, top, path)
	holder.free()


func _node(top: Node, node: Node, scene: String) -> void:
	var path := str(top.get_path_to(node))
	var script: Script = node.get_script()
	_say(["node", scene, path, node.get_class(), script.resource_path if script else "-"])
	if script and "::" in script.resource_path:
		_script(script, script.resource_path)
	var config: Variant = node.get_node_rpc_config()
	if config:
		var names := "".join(_sorted(config)) + ("".join(_sorted(script.get_rpc_config())) if script else "")
		_say(["configured", scene, path, names.md5_text(), "|".join(_with_modes(config))])
	if node is MultiplayerSynchronizer:
		_synchronizer(top, node, ["sync", scene, path])
	if node is MultiplayerSpawner:
		_spawner(top, node, ["spawner", scene, path])
	for child in node.get_children():
		_node(top, child, scene)


func _target(top: Node, node: Node, path: NodePath) -> String:
	var target := node.get_node_or_null(path) if not path.is_empty() else null
	return str(top.get_path_to(target)) if target and (target == top or top.is_ancestor_of(target)) else "-"


func _synchronizer(top: Node, node: MultiplayerSynchronizer, fields: Array) -> void:
	fields.append(_target(top, node, node.root_path))
	var config := node.replication_config
	if config == null:
		config = SceneReplicationConfig.new()
	var lists := [[], [], []]
	for property in config.get_properties():
		if config.property_get_spawn(property):
			lists[0].append(str(property))
		if config.property_get_replication_mode(property) == SceneReplicationConfig.REPLICATION_MODE_ALWAYS:
			lists[1].append(str(property))
		if config.property_get_replication_mode(property) == SceneReplicationConfig.REPLICATION_MODE_ON_CHANGE:
			lists[2].append(str(property))
	for list: Array in lists:
		fields.append("|".join(list))
	_say(fields)
	var target := node.get_node_or_null(node.root_path)
	var types: Array = config.get_properties().map(func(property: NodePath) -> String:
		return "%s:%s" % [property, _types(target, property)])
	if not types.is_empty():
		_say(["types", fields[1], fields[2], "|".join(types)])


## Returns the types that a property has after values of different types are assigned to it.
func _types(target: Node, property: NodePath) -> String:
	var holder := target.get_node_or_null(NodePath(property.get_concatenated_names())) if target else null
	var path := NodePath(property.get_concatenated_subnames())
	if holder == null or holder.get_indexed(path) == null and str(path) not in holder:
		return "-"
	var types := {}
	for value: Variant in [holder.get_indexed(path), 1, 2.5, "text", &"name", true, null, Vector2(1, 2), [1], {}, holder]:
		holder.set_indexed(path, value)
		types[type_string(typeof(holder.get_indexed(path)))] = true
	return ",".join(types.keys())


func _spawner(top: Node, node: MultiplayerSpawner, fields: Array) -> void:
	fields.append(_target(top, node, node.spawn_path))
	var scenes := []
	for i in node.get_spawnable_scene_count():
		var path := node.get_spawnable_scene(i)
		scenes.append(ResourceUID.get_id_path(ResourceUID.text_to_id(path)) if path.begins_with("uid://") else path)
	fields.append("|".join(scenes))
	_say(fields)
