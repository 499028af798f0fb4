# SPDX-License-Identifier: MIT
extends Node
## An autoload that play.py adds to a copy of a game for Godot 4: clicks the buttons in PLAY_CLICKS, then triggers
## random actions for PLAY_SECONDS; logs to PLAY_LOG each synchronizer's properties after every poll, and all calls.

const NOT_PLAYED := "(?i)quit|exit|pause|menu|escape|cancel|leave|disconnect|back|full|mouse"
const MOVES := ["ui_left", "ui_right", "ui_up", "ui_down", "ui_accept"]

var log_file: FileAccess
var synchronizers := {}  # by id
var written := {}
var clicks: Array = []
var actions: Array = []
var held: Array = []
var life := 25.0
var wait := 0.0


func _enter_tree() -> void:
	process_mode = PROCESS_MODE_ALWAYS
	log_file = FileAccess.open(OS.get_environment("PLAY_LOG"), FileAccess.WRITE)
	clicks = Array(OS.get_environment("PLAY_CLICKS").split(";", false)).map(func(text: String) -> RegEx:
		return RegEx.create_from_string("(?i)" + text))
	life = float(OS.get_environment("PLAY_SECONDS"))
	seed(hash(OS.get_environment("PLAY_LOG")))
	var not_played := RegEx.create_from_string(NOT_PLAYED)
	actions = InputMap.get_actions().filter(func(action: StringName) -> bool:
		return not action.begins_with("ui_") and not not_played.search(action)) + MOVES
	if OS.get_environment("PLAY_CALLS") == "1":
		var calls = load("res://calls4.gd").new()
		calls.called.connect(_write_call)
		get_tree().set_multiplayer(calls)
	get_tree().node_added.connect(_on_node_added)
	get_tree().process_frame.connect(func() -> void:
		for synchronizer in synchronizers.values():
			_write_values(synchronizer))


func _on_node_added(node: Node) -> void:
	if node is MultiplayerSynchronizer:
		synchronizers[node.get_instance_id()] = node
		node.ready.connect(_write_values.bind(node))
		node.tree_exiting.connect(func() -> void: synchronizers.erase(node.get_instance_id()))


func _path_of(node: Node) -> String:
	return str(get_tree().root.get_path_to(node))


func _write(kind: String, path: String, text: String) -> void:
	log_file.store_line("\t".join([kind, path, text.c_escape()]))
	log_file.flush()


func _write_values(synchronizer: MultiplayerSynchronizer) -> void:
	if not synchronizer.is_inside_tree() or not synchronizer.replication_config:
		return
	var root := synchronizer.get_node_or_null(synchronizer.root_path)
	if not root:
		return
	for property: NodePath in synchronizer.replication_config.get_properties():
		var names := str(property.get_concatenated_names())
		if names == ".":
			names = ""
		var node := root.get_node_or_null(NodePath(names)) if names else root
		if not node:
			continue
		var path := _path_of(root) + ("/" + names if names else "") + ":" + property.get_concatenated_subnames()
		var text := var_to_str(node.get_indexed(NodePath(":" + property.get_concatenated_subnames())))
		if written.get(path) != text:
			written[path] = text
			_write("value", path, text)


func _write_call(object: Object, method: StringName, arguments: Array) -> void:
	_write("call", "%s.%s" % [_path_of(object), method], ",".join(arguments.map(var_to_str)))


func _process(delta: float) -> void:
	life -= delta
	if life < 0:
		get_tree().quit()
	wait -= delta
	if wait > 0:
		return
	wait = 0.5
	if clicks:
		_click(clicks[0])
		return
	for action: String in held:
		_send(action, false)
	held = range(3).map(func(_i: int) -> String: return actions.pick_random())
	for action: String in held:
		_send(action, true)


func _send(action: String, is_pressed: bool) -> void:
	var event := InputEventAction.new()
	event.action = action
	event.pressed = is_pressed
	Input.parse_input_event(event)


func _click(wanted: RegEx) -> void:
	for line: LineEdit in get_tree().root.find_children("*", "LineEdit", true, false):
		if line.text == "":
			_fill(line)
	var seen := []
	for button: BaseButton in get_tree().root.find_children("*", "BaseButton", true, false):
		if not button.is_visible_in_tree() or button.disabled:
			continue
		var words := "%s|%s" % [button.name, button.get("text")]
		seen.append(words)
		if wanted.search(words):
			clicks.pop_front()
			if button.toggle_mode:
				button.button_pressed = not button.button_pressed
			button.button_down.emit()
			button.pressed.emit()
			return
	print("play: no button %s among %s" % [wanted.get_pattern(), seen])


func _fill(line: LineEdit) -> void:
	var words := (line.name + line.placeholder_text).to_lower()
	if words.contains("port"):
		return
	line.text = "Bob"
	for word in ["ip", "adr", "addr", "host", "server"]:
		if words.contains(word):
			line.text = "127.0.0.1"
	line.text_changed.emit(line.text)
