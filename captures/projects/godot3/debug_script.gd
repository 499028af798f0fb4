# SPDX-License-Identifier: MIT
extends Reference
# Plays the editor of Godot: a debugger that a game (../godot3_debug) connects
# to, and asks it for all that an editor can ask for.

const PORT := 6007
const GAME := "res://game.gd"
const PLAYER := "res://player.gd"

var _expected
var _stream: StreamPeerTCP
var _packets := PacketPeerStream.new()
var _parts := [] # of the message that is arriving: its name, how many follow, and those
var _heard := [] # what the game has said and _hear() has not taken yet


func run(expected) -> void:
	_expected = expected
	_accept()
	_begin()
	_output()
	_scene()
	_live_editing()
	_breakpoint()
	_error()
	_pause()
	_profiler()
	_network()
	_framing()
	_input()
	_call("quit")
	_until_closed()


func _accept() -> void:
	var listener := TCP_Server.new()
	if listener.listen(PORT, "127.0.0.1") != OK:
		push_error("cannot use port %d" % PORT)
	while not listener.is_connection_available():
		OS.delay_msec(1)
	_stream = listener.take_connection()
	_stream.set_no_delay(true)
	_packets.input_buffer_max_size = 1 << 20
	_packets.stream_peer = _stream


# Sets breakpoints, and sends what live editing needs to call the game.
func _begin() -> void:
	_tell("set_skip_breakpoints", [false])
	_tell("breakpoint", [PLAYER, _line_of("breakpoint here"), true])
	_tell("breakpoint", [GAME, 1, true])
	_tell("breakpoint", [GAME, 1, false])
	_tell("live_set_root", [NodePath("/root"), "res://game.tscn"])
	_tell("live_node_path", [NodePath("."), 1])
	_hear("performance") # so the game is running


func _output() -> void:
	_call("talk")
	_hear("output")
	_call("complain")
	for _i in 3:
		_hear("error")


func _scene() -> void:
	_tell("request_video_mem")
	_hear("message:video_mem")
	var ids := _node_ids()
	for node in ["Player", "Coin", "Start"]:
		_tell("inspect_object", [ids[node]])
		_hear("message:inspect_object")
	_tell("inspect_object", [12345]) # to which nothing is answered
	_tell("set_object_property", [ids.Player, "position", Vector2(8, 4)])
	_tell("set_object_property", [ids.Player, "Members/health", 99])
	_tell("override_camera_2D:set", [true])
	_tell("override_camera_2D:transform", [Transform2D(0, Vector2(3, 4))])
	_tell("override_camera_2D:set", [false])
	_tell("override_camera_3D:set", [true])
	_tell("override_camera_3D:transform", [Transform.IDENTITY, true, 75.0, 0.05, 4000.0])
	_tell("override_camera_3D:set", [false])
	_tell("reload_scripts")
	_tell("nobody:listens", ["to this", {"really": false}, 2.5])


func _live_editing() -> void:
	_tell("live_node_path", [NodePath("Player"), 2])
	_tell("live_res_path", ["res://coin.tscn", 3])
	_tell("live_node_prop", [2, "rotation", 0.5])
	_tell("live_node_prop_res", [2, "weapon", "res://coin.tscn"])
	_tell("live_res_prop", [3, "resource_name", "gold"])
	_tell("live_node_call", [2, "set_meta", "mood", {"happy": true}, null, null, null, null, null, null])
	_tell("live_res_call", [3, "set_name", "gold", null, null, null, null, null, null, null])
	_tell("live_create_node", [NodePath("."), "Node2D", "New"])
	_tell("live_instance_node", [NodePath("."), "res://coin.tscn", "Coin2"])
	_tell("live_duplicate_node", [NodePath("Coin"), "Coin3"])
	_tell("live_reparent_node", [NodePath("New"), NodePath("Player"), "Renamed", 0])
	_tell("live_remove_and_keep_node", [NodePath("Coin2"), 4711])
	_tell("live_restore_node", [4711, NodePath("Player"), 0])
	_tell("live_remove_node", [NodePath("Coin3")])
	_tell("request_scene_tree")
	_hear("message:scene_tree")


# Stops at the editor's breakpoint, reads variables and continues line by line.
func _breakpoint() -> void:
	_call("fight")
	_hear("debug_enter")
	_stack()
	for frame in 2:
		_variables(frame)
	var ids := _node_ids() # a stopped game answers too
	_tell("inspect_object", [ids.Coin])
	_hear("message:inspect_object")
	for command in ["next", "step", "step", "step", "next"]:
		_tell(command)
		_hear("debug_exit")
		_hear("debug_enter")
		_stack()
	_go_on()
	_tell("set_skip_breakpoints", [true])
	_call("fight") # is not stopped
	_hear("output")
	_tell("set_skip_breakpoints", [false])
	_tell("breakpoint", [PLAYER, _line_of("breakpoint here"), false])


func _error() -> void:
	_call("fail")
	_hear("debug_enter")
	_stack()
	_variables(0)
	_go_on()


func _pause() -> void:
	_call("pause")
	_hear("debug_enter")
	_stack()
	_variables(0)
	_go_on()
	_tell("break") # wherever the game may be
	_hear("debug_enter")
	_stack()
	_go_on()


func _profiler() -> void:
	_tell("start_profiling", [16])
	_hear("profile_frame")
	_call("talk")
	for _i in 4:
		_hear("profile_frame")
	_tell("stop_profiling")
	_hear("profile_total")


func _network() -> void:
	_call("connect_peer")
	_tell("start_network_profiling")
	for _i in 4:
		_hear("network_bandwidth")
		_call("call_peer")
	_tell("stop_network_profiling")


# Several messages in a segment, and messages that are split at every byte.
func _framing() -> void:
	_put([_calling("talk"), ["request_scene_tree"], _calling("talk")])
	_hear("message:scene_tree")
	_hear("output")
	for cut in [2, 4, 30]:
		_put([["request_scene_tree"] if cut < 30 else _calling("talk")], cut)
		_hear("message:scene_tree" if cut < 30 else "output")
	var long := ""
	for _i in 400:
		long += "Grüße! "
	_tell("live_node_prop", [2, "name", long])
	_tell("live_node_prop", [2, "name", "Player"])


func _input() -> void:
	_call("click")
	_hear("message:click_ctrl")
	_call("press_f8")
	_hear("kill_me")


func _stack() -> void:
	_tell("get_stack_dump")
	_hear("stack_dump")


func _variables(frame: int) -> void:
	_tell("get_stack_frame_vars", [frame])
	_hear("stack_frame_vars")


func _go_on() -> void:
	_tell("continue")
	_hear("debug_exit")


# Returns node ids by name, from the scene tree, which has four columns per node.
func _node_ids() -> Dictionary:
	_tell("request_scene_tree")
	var tree := _hear("message:scene_tree")
	var ids := {}
	for i in range(2, tree.size(), 4):
		ids[tree[i + 1]] = tree[i + 3]
	return ids


func _line_of(comment: String) -> int:
	var file := File.new()
	if file.open(ProjectSettings.globalize_path("res://").plus_file("../godot3_debug/player.gd"), File.READ) != OK:
		push_error("no player.gd")
	var lines := file.get_as_text().split("\n")
	for i in lines.size():
		if comment in lines[i]:
			return i + 1
	return 0


# Calls a method of the game after the debugger has processed its messages.
func _call(method: String) -> void:
	_put([_calling(method)])


func _calling(method: String) -> Array:
	return ["live_node_call", 1, "call_deferred", method, null, null, null, null, null, null, null]


func _tell(command: String, arguments := []) -> void:
	_put([[command] + arguments])


# Sends all messages at once. If `cut` is set, pauses after that many bytes.
func _put(commands: Array, cut := 0) -> void:
	_receive()
	var buffer := StreamPeerBuffer.new()
	for command in commands:
		_expected.message("editor", command[0], command.slice(1, command.size() - 1) if command.size() > 1 else [])
		buffer.put_var(command)
	var bytes := buffer.data_array
	if cut:
		_stream.put_data(bytes.subarray(0, cut - 1))
		OS.delay_msec(50)
	_stream.put_data(bytes.subarray(cut, bytes.size() - 1))


# Waits for a message of this name.
func _hear(message: String) -> Array:
	var deadline := OS.get_ticks_msec() + 8000
	while OS.get_ticks_msec() < deadline:
		while not _heard.empty():
			var heard: Array = _heard.pop_front()
			if heard[0] == message:
				return heard
		_receive()
		OS.delay_msec(1)
	printerr("waited in vain for " + message)
	OS.exit_code = 1
	return []


func _receive() -> void:
	while _packets.get_available_packet_count() > 0:
		_parts.append(_packets.get_var())
		if _parts.size() >= 2 and _parts.size() == 2 + _parts[1]:
			_expected.message("game", _parts[0], _parts.slice(2, _parts.size() - 1) if _parts[1] > 0 else [])
			_heard.append(_parts)
			_parts = []


func _until_closed() -> void:
	while _stream.get_status() == StreamPeerTCP.STATUS_CONNECTED:
		_receive()
		OS.delay_msec(1)
