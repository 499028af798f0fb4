# SPDX-License-Identifier: MIT
extends Node2D
## A game that does what the debugger's other end tells it: "mygame:NAME" calls
## the method of that name.

const MirrorPeer := preload("mirror_peer.gd")
const LIVES := 3
const TITLES := ["Rookie", "Hero"]

@export var difficulty := 0.75
var score := 1200
var inventory := {"sword": 1, "gold": 12.5, 7: [true, null, Vector2(1, 2)]}
var _thread: Thread


func _ready() -> void:
	Engine.max_fps = 10 # which is also how often the profilers report
	Performance.add_custom_monitor("game/score", func() -> int: return score)
	Performance.add_custom_monitor("game/difficulty", func() -> float: return difficulty)
	EngineDebugger.register_message_capture("mygame", _told)
	EngineDebugger.send_message("mygame:ready", [])


func _told(message: String, arguments: Array) -> bool:
	# Deferred, because the debugger may have stopped the game.
	callv.call_deferred(message, arguments)
	return true


## Sends the output of print() and similar functions.
func talk() -> void:
	print("Hello, debugger!")
	print("Second line, same frame: ", 7, " ", Vector2(10.5, -3))
	print("Grüße! 👋 日本語")
	print_rich("[color=red]Red[/color] and [b]bold[/b]")
	print("After the rich line")
	printerr("This is an error line")
	print("After the error line")
	printt("tab", "separated")
	print("")
	EngineDebugger.send_message("mygame:talked", [])


## Errors and warnings that do not stop the game.
func complain() -> void:
	push_warning("The door is ", "open")
	push_error("The key is lost 🔑")
	_complain_deeper(2)
	get_node("Nobody")
	load("res://missing.tres")
	EngineDebugger.send_message("mygame:complained", [])


func _complain_deeper(levels: int) -> void:
	if levels > 0:
		_complain_deeper(levels - 1)
	else:
		push_error("From deep below")


## Sends a custom message with many types.
func count() -> void:
	var typed: Array[int] = [1, 2]
	EngineDebugger.send_message("mygame:score", [score, "Ada", &"hero", ^"Player:position", 0.1, true, null])
	EngineDebugger.send_message("mygame:math", [Vector2(10.5, -3), Vector3i(1, 2, 3), Color(1, 0.5, 0.25), Transform2D.IDENTITY, Quaternion.IDENTITY])
	EngineDebugger.send_message("mygame:containers", [inventory, [1, "two", [3.5]], typed, PackedByteArray([1, 2, 255]), PackedStringArray(["a", "say \"hi\""])])
	EngineDebugger.send_message("mygame:objects", [self, $Player, null, RID(), _ready, ready])
	EngineDebugger.send_message("mygame:none", [])
	EngineDebugger.send_message("no_prefix", ["is sent as it is"])
	EngineDebugger.send_message("mygame:long", ["Grüße! ".repeat(700)])


func fight() -> void:
	var enemy := "dragon"
	var grade: int = $Player.hurt(5, enemy)
	print("Grade ", grade)
	EngineDebugger.send_message("mygame:fought", [grade])


func pause() -> void:
	var reason := "because the script says so"
	breakpoint
	EngineDebugger.send_message("mygame:went_on", [reason])


func fail() -> void:
	var nobody: Node = null
	var names: Array[String] = ["Ada", "Bo"]
	print(nobody.name, names)


## Runs in another thread, which the debugger also stops.
func work() -> void:
	_thread = Thread.new()
	_thread.start(_work.bind(3))


func _work(pieces: int) -> void:
	EngineDebugger.send_message("mygame:from_thread", [OS.get_thread_caller_id(), pieces])
	print("printed by a thread")
	push_warning("warned by a thread")
	var done := pieces * 2
	breakpoint
	EngineDebugger.send_message("mygame:worked", [done])


func join() -> void:
	_thread.wait_to_finish()
	EngineDebugger.send_message("mygame:joined", [])


func connect_peer() -> void:
	multiplayer.multiplayer_peer = MirrorPeer.new()
	multiplayer.multiplayer_peer.peer_connected.emit(2)


## Something for the multiplayer's profilers.
func call_peer(height: float) -> void:
	$Player.jump.rpc(height)


func retitle(title: String) -> void:
	get_window().title = title


func click() -> void:
	var event := InputEventMouseButton.new()
	event.button_index = MOUSE_BUTTON_LEFT
	event.position = Vector2(20, 20)
	event.pressed = true
	Input.parse_input_event(event)
	var released: InputEventMouseButton = event.duplicate()
	released.pressed = false
	Input.parse_input_event(released)


func press_f8() -> void:
	var event := InputEventKey.new()
	event.keycode = KEY_F8
	event.pressed = true
	Input.parse_input_event(event)


func quit() -> void:
	print("Bye")
	get_tree().quit()
