# SPDX-License-Identifier: MIT
extends Node2D
# A game that does what the debugger tells it: Godot 3 knows no messages of the
# game's own, so the methods are called by live editing.

const LIVES := 3
const TITLES := ["Rookie", "Hero"]
const PORT := 5041

export(float) var difficulty := 0.75
var score := 1200
var inventory := {"sword": 1, "gold": 12.5, 7: [true, null, Vector2(1, 2)]}
var place := ["Player:position", NodePath("Player:position"), Color(1, 0.5, 0.25)]
var _client: MultiplayerAPI


func _ready() -> void:
	Engine.target_fps = 10 # which is also how often the profiler reports


func _process(_delta: float) -> void:
	if _client:
		_client.poll()


# Sends the output of print() and similar functions.
func talk() -> void:
	print("Hello, debugger!")
	print("Second line, same frame: ", 7, " ", Vector2(10.5, -3))
	print("Grüße! 👋 日本語")
	printerr("This is an error line")
	print("After the error line")
	printt("tab", "separated")
	print("")


# Errors and warnings that do not stop the game.
func complain() -> void:
	push_warning("The door is open")
	push_error("The key is lost")
	_complain_deeper(2)
	print(get_node("Nobody"))
	print(load("res://missing.tres"))


func _complain_deeper(levels: int) -> void:
	if levels > 0:
		_complain_deeper(levels - 1)
	else:
		push_error("From deep below: Grüße!")


func fight() -> void:
	var enemy := "dragon"
	var grade: int = $Player.hurt(5, enemy)
	print("Grade ", grade)


func pause() -> void:
	var reason := "because the script says so"
	breakpoint
	print("Went on ", reason)


func fail() -> void:
	var nobody: Node = null
	var names := ["Ada", "Bo"]
	print(nobody.name, names)


# Gives the network profiler data: a server and a client in this process.
func connect_peer() -> void:
	var server := NetworkedMultiplayerENet.new()
	server.set_bind_ip("127.0.0.1")
	var client := NetworkedMultiplayerENet.new()
	if server.create_server(PORT, 2) != OK or client.create_client("127.0.0.1", PORT) != OK:
		push_error("no network")
	get_tree().network_peer = server
	_client = MultiplayerAPI.new()
	_client.set_root_node(get_tree().root)
	_client.network_peer = client
	$Rival.custom_multiplayer = _client


func call_peer() -> void:
	$Player.rpc("jump", 1.5)
	$Rival.rpc("jump", 2.5)
	$Rival.rpc("jump", 3.5)


# A headless game has no other input.
func click() -> void:
	var event := InputEventMouseButton.new()
	event.button_index = BUTTON_LEFT
	event.position = Vector2(20, 20)
	event.pressed = true
	get_tree().input_event(event)
	var released: InputEventMouseButton = event.duplicate()
	released.pressed = false
	get_tree().input_event(released)


func press_f8() -> void:
	var event := InputEventKey.new()
	event.scancode = KEY_F8
	event.pressed = true
	get_tree().input_event(event)


func quit() -> void:
	print("Bye")
	get_tree().quit()
