# SPDX-License-Identifier: MIT
@tool
extends EditorDebuggerPlugin
## Presses the editor's buttons, and tells the game what to do. What it knows goes
## to the file of expectations: the game's own messages, and what it sends itself.
## All else the editor sends by itself.

const GAME := "res://game.gd"
const PLAYER := "res://player.gd"

var _expected: RefCounted
var _session: EditorDebuggerSession
var _heard: Array[String] = [] # messages of the game
var _stopped := false # by the debugger


func _init(path: String) -> void:
	_expected = load("res://expected.gd").new(path) # record.sh puts it there
	print("The conductor is ready.") # which record.sh waits for


func _setup_session(id: int) -> void:
	_session = get_session(id)
	_session.breaked.connect(func(_can_debug: bool) -> void: _stopped = true)
	_session.continued.connect(func() -> void: _stopped = false)
	_session.started.connect(_conduct)


func _has_capture(prefix: String) -> bool:
	return prefix == "mygame"


func _capture(message: String, arguments: Array, _id: int) -> bool:
	_expected.message("game", message, "-", arguments)
	_heard.append(message)
	return true


func _conduct() -> void:
	await _hear("mygame:ready")
	for method: String in ["talk", "complain", "count"]:
		_tell("mygame:" + method)
		await _wait(0.3)
	await _look_around()
	await _break()
	await _profile()
	_tell("mygame:quit")
	await _session.stopped
	_expected.close()
	EditorInterface.get_base_control().get_tree().quit()


## Requests the tree of the running game, and one of its nodes.
func _look_around() -> void:
	_press("Remote")
	await _wait(1.5) # the editor asks for it once a second
	_tell("scene:inspect_objects", [[_id_of("Player")], false])
	await _wait(0.3)
	_press("Local")


func _break() -> void:
	_session.set_breakpoint(PLAYER, _line_of("breakpoint here"), true)
	_tell("mygame:fight")
	await _break_comes()
	_tell("evaluate", ["points + health", 0])
	await _wait(0.2)
	for button: String in ["Step Over", "Step Into", "Step Into", "Step Out"]:
		_press(button)
		await _wait(0.2)
	await _go_on()
	_session.set_breakpoint(PLAYER, _line_of("breakpoint here"), false)
	for method: String in ["pause", "fail", "work"]: # the last one in a thread of its own
		_tell("mygame:" + method)
		await _break_comes()
		await _go_on()
	_tell("mygame:join")
	await _hear("mygame:joined")


func _profile() -> void:
	_session.toggle_profiler("servers", true, [16, true])
	_session.toggle_profiler("visual", true)
	await _wait(0.5)
	_session.toggle_profiler("visual", false)
	_session.toggle_profiler("servers", false)


func _break_comes() -> void:
	while not _stopped:
		await _wait(0.05)
	await _wait(0.2) # for the stack and the variables


func _go_on() -> void:
	_press("Continue")
	while _stopped:
		await _wait(0.05)


func _tell(message: String, arguments := []) -> void:
	_expected.message("editor", message, 1, arguments)
	_session.send_message(message, arguments)


func _hear(message: String) -> void:
	while message not in _heard:
		await _wait(0.05)


func _wait(seconds: float) -> void:
	await EditorInterface.get_base_control().get_tree().create_timer(seconds).timeout


## Presses a button of the editor, found by its text or its tooltip.
func _press(name: String) -> void:
	for button: Button in EditorInterface.get_base_control().find_children("*", "Button", true, false):
		if name in [button.text, button.tooltip_text, button.tooltip_text.get_slice("\n", 0)]:
			button.pressed.emit()
			return
	push_error("no button ", name)


func _id_of(node: String) -> int:
	var tree: Tree = EditorInterface.get_base_control().find_children("*", "EditorDebuggerTree", true, false)[0]
	var item := tree.get_root()
	while item.get_text(0) != node:
		item = item.get_next_in_tree()
	return item.get_metadata(0)


func _line_of(comment: String) -> int:
	var lines := FileAccess.get_file_as_string(PLAYER).split("\n")
	for i in lines.size():
		if comment in lines[i]:
			return i + 1
	return 0
