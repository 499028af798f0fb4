# SPDX-License-Identifier: MIT
extends RefCounted
## Plays the editor of Godot: a debugger that a game (../godot4_debug) connects
## to, and asks it for all that an editor can ask for.

const Expected := preload("expected.gd")
const PORT := 6007
const MAIN_THREAD := 1
const GAME := "res://game.gd"
const PLAYER := "res://player.gd"

var _expected: Expected
var _stream: StreamPeerTCP
var _packets := PacketPeerStream.new()
var _heard: Array[Array] = [] # what the game has said and heard() has not taken yet


func run(expected: Expected) -> void:
	_expected = expected
	_accept()
	_begin()
	_output()
	_messages()
	_monitors()
	_scene()
	_live_editing()
	_breakpoint()
	_error()
	_pause()
	_thread()
	_profilers()
	_multiplayer()
	_framing()
	_input()
	_tell("mygame:quit")
	_until_closed()


func _accept() -> void:
	var listener := TCPServer.new()
	var error := listener.listen(PORT, "127.0.0.1")
	assert(error == OK, error_string(error))
	while not listener.is_connection_available():
		OS.delay_msec(1)
	_stream = listener.take_connection()
	_stream.set_no_delay(true)
	_packets.input_buffer_max_size = 1 << 20
	_packets.stream_peer = _stream


## Before the game runs its first line.
func _begin() -> void:
	_hear("set_pid")
	_tell("set_skip_breakpoints", [false])
	_tell("set_ignore_error_breaks", [false])
	_tell("breakpoint", [PLAYER, _line_of("breakpoint here"), true])
	_tell("breakpoint", [GAME, 1, true])
	_tell("breakpoint", [GAME, 1, false])
	_hear("mygame:ready")


func _output() -> void:
	_tell("mygame:talk")
	_hear("mygame:talked")
	_hear("output")
	_tell("mygame:complain")
	_hear("mygame:complained")
	for i in 6:
		_hear("error")


func _messages() -> void:
	_tell("mygame:count")
	_hear("mygame:long")
	_tell("nobody:listens", ["to this", {"really": false}, 2.5])
	_tell("mygame:retitle", ["Debugged: Grüße! 👋"])
	_hear("window:title")


func _monitors() -> void:
	_hear("performance:profile_frame")
	_tell("profiler:performance", [false])
	_tell("servers:memory")
	_hear("servers:memory_usage")
	_tell("servers:draw")
	_hear("servers:drawn")
	_tell("servers:foreground")


func _scene() -> void:
	var ids := _node_ids()
	_tell("scene:inspect_objects", [[ids.Player], false])
	_hear("scene:inspect_objects")
	_tell("scene:inspect_objects", [[ids.Coin, ids.Player], false]) # more than are allowed
	_hear("scene:inspect_objects")
	_tell("scene:runtime_node_select_setup", [{"debugger/max_node_selection": 20}])
	_tell("scene:inspect_objects", [[ids.Coin, ids.Sync], false])
	_hear("scene:inspect_objects")
	_tell("scene:inspect_objects", [[ids.Coin], true])
	_hear("remote_objects_selected")
	_tell("scene:inspect_objects", [[12345], false])
	_hear("remote_nothing_selected")
	_tell("scene:inspect_object", [ids.Coin]) # as before 4.5
	_hear("scene:inspect_object")
	_tell("scene:clear_selection")
	_tell("scene:set_object_property", [ids.Player, "position", Vector2(8, 4)])
	_tell("scene:set_object_property", [ids.Player, "health", 99])
	_tell("scene:set_object_property_field", [ids.Player, "position", Vector2(1, 2), "x"])
	_tell("scene:suspend_changed", [true])
	_tell("scene:next_frame")
	OS.delay_msec(300) # for it to be over and the game to be suspended again
	_tell("scene:speed_changed", [2.0])
	_tell("scene:suspend_changed", [false])
	_tell("scene:speed_changed", [1.0])
	_tell("scene:debug_mute_audio", [false])
	_tell("scene:override_cameras", [true, true])
	_tell("scene:transform_camera_2d", [Transform2D(0, Vector2(3, 4))])
	_tell("scene:transform_camera_3d", [Transform3D.IDENTITY, true, 75.0, 0.05, 4000.0])
	_tell("scene:override_cameras", [false, true])
	_tell("scene:runtime_node_select_set_type", [0])
	_tell("scene:runtime_node_select_set_visible", [true])
	_tell("scene:reload_cached_files", [PackedStringArray(["res://coin.tscn"])])
	_tell("reload_scripts", [PLAYER])
	_tell("reload_all_scripts")
	_tell("scene:save_node", [ids.Coin, "user://coin.tscn"])
	_hear("filesystem:update_file")


func _live_editing() -> void:
	_tell("scene:live_set_root", [^"/root", "res://game.tscn"])
	_tell("scene:live_node_path", [^"Player", 1])
	_tell("scene:live_res_path", ["res://coin.tscn", 2])
	_tell("scene:live_node_prop", [1, &"rotation", 0.5])
	_tell("scene:live_node_prop_res", [1, &"weapon", "res://coin.tscn"])
	_tell("scene:live_res_prop", [2, &"resource_name", "gold"])
	_tell("scene:live_node_call", [1, &"set_meta", "mood", {"happy": true}])
	_tell("scene:live_res_call", [2, &"set_name", "gold"])
	_tell("scene:live_create_node", [^".", "Node2D", "New"])
	_tell("scene:live_instantiate_node", [^".", "res://coin.tscn", "Coin2"])
	_tell("scene:live_duplicate_node", [^"Coin", "Coin3"])
	_tell("scene:live_reparent_node", [^"New", ^"Player", "Renamed", 0])
	_tell("scene:live_remove_and_keep_node", [^"Coin2", 4711])
	_tell("scene:live_restore_node", [4711, ^"Player", 0])
	_tell("scene:live_remove_node", [^"Coin3"])
	_tell("scene:request_scene_tree")
	_hear("scene:scene_tree")


## Stops at the editor's breakpoint, reads variables and continues line by line.
func _breakpoint() -> void:
	_tell("mygame:fight")
	_hear("debug_enter")
	_tell("get_stack_dump")
	_hear("stack_dump")
	for frame in 2:
		_variables(frame)
	for expression: String in ["points + 1", "by", "self", "position * 2", "{by: [left, speed]}", "Engine.get_version_info().major", "no such thing"]:
		_evaluate(expression, 0)
	_evaluate("inventory", 1)
	_tell("scene:request_scene_tree") # which a stopped game answers too
	_hear("scene:scene_tree")
	for command: String in ["next", "step", "step", "step", "out", "next"]:
		_tell(command)
		_hear("debug_exit")
		_hear("debug_enter")
		_tell("get_stack_dump")
		_hear("stack_dump")
	_tell("breakpoint", [PLAYER, _line_of("breakpoint here"), false])
	_go_on()
	_hear("mygame:fought")


func _error() -> void:
	_tell("mygame:fail")
	_hear("debug_enter")
	_hear("error")
	_tell("get_stack_dump")
	_hear("stack_dump")
	_variables(0)
	_go_on()


func _pause() -> void:
	_tell("mygame:pause")
	_hear("debug_enter")
	_variables(0)
	_go_on()
	_hear("mygame:went_on")
	_tell("set_ignore_error_breaks", [true])
	_tell("mygame:fail") # does not stop it any more
	_hear("error")
	_tell("break") # wherever the game may be
	_hear("debug_enter")
	_tell("get_stack_dump")
	_hear("stack_dump")
	_tell("set_ignore_error_breaks", [false])
	_go_on()


func _thread() -> void:
	_tell("mygame:work")
	var thread: int = _hear("debug_enter")[1]
	_tell("get_stack_dump", [], thread)
	_hear("stack_dump")
	_variables(0, thread)
	_tell("scene:request_scene_tree") # the main thread has not stopped
	_hear("scene:scene_tree")
	_tell("continue", [], thread)
	_hear("mygame:worked")
	_tell("mygame:join")
	_hear("mygame:joined")


func _profilers() -> void:
	_tell("profiler:visual", [true])
	_hear("visual:hardware_info")
	_tell("profiler:visual", [false])
	_hear("visual:hardware_info")
	_tell("profiler:servers", [true, [16, true]])
	_tell("mygame:talk")
	for i in 5:
		_hear("servers:profile_frame")
	_tell("profiler:servers", [false])
	_hear("servers:profile_total")


func _multiplayer() -> void:
	var profilers: Array[String] = ["multiplayer:bandwidth", "multiplayer:rpc", "multiplayer:replication"]
	_tell("mygame:connect_peer")
	for profiler in profilers:
		_tell("profiler:" + profiler, [true])
	for height: float in [1.5, 2.5]:
		_tell("mygame:call_peer", [height])
		_hear("multiplayer:bandwidth")
	while true:
		var counts: Array = _hear("multiplayer:syncs")[2]
		if counts[0] > 0:
			_tell("multiplayer:cache", counts.slice(1, 4))
			_hear("multiplayer:cache")
			break
	for profiler in profilers:
		_tell("profiler:" + profiler, [false])


## Several messages in a segment, and messages that are split at every byte.
func _framing() -> void:
	_put([["mygame:retitle", MAIN_THREAD, ["One"]], ["scene:request_scene_tree", MAIN_THREAD, []], ["mygame:retitle", MAIN_THREAD, ["Two"]]])
	for i in 2:
		_hear("window:title")
	for cut: int in [2, 3, 30]: # not after the length: the game would hang up
		_put([["mygame:retitle", MAIN_THREAD, ["Cut after %d" % cut]]], cut)
		_hear("window:title")
	_put([["mygame:retitle", MAIN_THREAD, ["Grüße! ".repeat(400)]]])
	_hear("window:title")


func _input() -> void:
	_tell("scene:setup_scene", [false, KEY_F8])
	_tell("mygame:press_f8")
	_hear("request_quit")
	_tell("mygame:click")
	_hear("scene:click_ctrl")


func _variables(frame: int, thread := MAIN_THREAD) -> void:
	_tell("get_stack_frame_vars", [frame], thread)
	var count: int = _hear("stack_frame_vars")[2][0]
	for i in count:
		_hear("stack_frame_var")


func _evaluate(expression: String, frame: int) -> void:
	_tell("evaluate", [expression, frame])
	_hear("evaluation_return")


func _go_on() -> void:
	_tell("continue")
	_tell("servers:foreground") # as the editor does
	_hear("debug_exit")


## Returns node ids by name, from the scene tree, which has six columns per node.
func _node_ids() -> Dictionary:
	_tell("scene:request_scene_tree")
	var tree: Array = _hear("scene:scene_tree")[2]
	var ids := {}
	for i in range(0, tree.size(), 6):
		ids[tree[i + 1]] = tree[i + 3]
	return ids


func _line_of(comment: String) -> int:
	var path := ProjectSettings.globalize_path("res://").path_join("../godot4_debug/player.gd")
	var lines := FileAccess.get_file_as_string(path).split("\n")
	for i in lines.size():
		if comment in lines[i]:
			return i + 1
	return 0


func _tell(message: String, arguments := [], thread := MAIN_THREAD) -> void:
	_put([[message, thread, arguments]])


## Sends all messages at once. If `cut` is set, pauses after that many bytes.
func _put(messages: Array, cut := 0) -> void:
	_receive()
	var buffer := StreamPeerBuffer.new()
	for message: Array in messages:
		_expected.message("editor", message[0], message[1], message[2])
		buffer.put_var(message)
	if cut:
		_stream.put_data(buffer.data_array.slice(0, cut))
		OS.delay_msec(50)
	_stream.put_data(buffer.data_array.slice(cut))


## Waits for a message of this name.
func _hear(message: String) -> Array:
	var deadline := Time.get_ticks_msec() + 8000
	while true:
		while not _heard.is_empty():
			var heard: Array = _heard.pop_front()
			if heard[0] == message:
				return heard
		if Time.get_ticks_msec() > deadline:
			break
		_receive()
		OS.delay_msec(1)
	assert(false, "waited in vain for " + message)
	return []


func _receive() -> void:
	_stream.poll()
	while _packets.get_available_packet_count() > 0:
		var message: Array = _packets.get_var()
		_expected.message("game", message[0], message[1], message[2])
		_heard.append(message)


func _until_closed() -> void:
	while _stream.get_status() == StreamPeerTCP.STATUS_CONNECTED:
		_receive()
		OS.delay_msec(1)
