# SPDX-License-Identifier: MIT
extends Node
# driver4.gd for Godot 3. Godot 3 sends names, so nothing is logged.

const NOT_PLAYED = "(?i)quit|exit|pause|menu|escape|cancel|leave|disconnect|back|full|mouse"

var clicks = []
var actions = ["ui_left", "ui_right", "ui_up", "ui_down", "ui_accept"]
var held = []
var life = 25.0
var wait = 0.0


func _enter_tree():
	pause_mode = PAUSE_MODE_PROCESS
	for text in OS.get_environment("PLAY_CLICKS").split(";", false):
		clicks.append(_regex("(?i)" + text))
	life = float(OS.get_environment("PLAY_SECONDS"))
	seed(hash(OS.get_environment("PLAY_LOG")))
	var not_played = _regex(NOT_PLAYED)
	for action in InputMap.get_actions():
		if not action.begins_with("ui_") and not not_played.search(action):
			actions.append(action)


func _regex(text):
	var regex = RegEx.new()
	regex.compile(text)
	return regex


func _process(delta):
	life -= delta
	if life < 0:
		get_tree().quit()
	wait -= delta
	if wait > 0:
		return
	wait = 0.5
	if clicks:
		_fill(get_tree().root)
		if not _click(get_tree().root, clicks[0]):
			print("play: no button ", clicks[0].get_pattern())
		return
	for action in held:
		_send(action, false)
	held = []
	for i in 3:
		held.append(actions[randi() % actions.size()])
	for action in held:
		_send(action, true)


func _send(action, is_pressed):
	var event = InputEventAction.new()
	event.action = action
	event.pressed = is_pressed
	Input.parse_input_event(event)


func _click(node, wanted):
	if node is BaseButton and node.is_visible_in_tree() and not node.disabled:
		if wanted.search("%s|%s" % [node.name, node.get("text")]):
			clicks.pop_front()
			node.emit_signal("button_down")
			node.emit_signal("pressed")
			return true
	for child in node.get_children():
		if _click(child, wanted):
			return true
	return false


func _fill(node):
	for child in node.get_children():
		_fill(child)
	if not node is LineEdit or node.text != "":
		return
	var words = (node.name + node.placeholder_text).to_lower()
	if "port" in words:
		return
	node.text = "Bob"
	for word in ["ip", "adr", "addr", "host", "server"]:
		if word in words:
			node.text = "127.0.0.1"
	node.emit_signal("text_changed", node.text)
