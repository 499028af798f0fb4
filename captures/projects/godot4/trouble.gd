# SPDX-License-Identifier: MIT
extends "mp.gd"
## What people look for in a capture: a node that one client lacks, a line that loses datagrams, a server that does not
## answer for a while. The clients' line goes through a relay.

const Relay := preload("relay.gd")
const World := preload("mp/world.gd")

const WORLD := "Main/World"
const LOBBY := "Main/Lobby"
const PORT := 5035
const SERVER_BEHIND_RELAY := 5036
const ROUND_TRIP := 2 * Relay.MAX_DELAY
const SLOW_FRAME := 300 # milliseconds

var _relay := Relay.new(PORT, SERVER_BEHIND_RELAY)


func run(to_expected: Expected) -> void:
	_relay.loss = 0.0
	await start(to_expected, SERVER_BEHIND_RELAY)
	open_server()
	_port = PORT
	await join("client")
	await join("client2")
	await run_for(2 * ROUND_TRIP)
	await _missing_node()
	await _loss()
	await _slow_frame()
	await leave("client2")
	await leave("client")


func build(name: String, branch: Node) -> void:
	var main := _scripted_child(branch, "Main")
	_scripted_child(main, "World", World)
	if name != "client2":
		_scripted_child(main, "Lobby", World)


func service(rounds := ROUNDS) -> void:
	for i in rounds:
		_relay.poll()
		await super.service(1)


## client2 lacks the node Lobby, so it never confirms its path.
func _missing_node() -> void:
	for i in 4:
		for name: String in ["client", "client2"]:
			call_method("server", id(name), LOBBY, &"announce", ["Round", float(i), false])
		await run_for(3 * ROUND_TRIP)


## Reliable calls over a link that loses three of ten datagrams.
func _loss() -> void:
	_relay.loss = 0.3
	for i in 25:
		call_method("client", 1, WORLD, &"ready_up")
		call_method("server", id("client2"), WORLD, &"announce", ["Go", float(i), true])
		await run_for(25)
	_relay.loss = 0.0
	await run_for(3000)


## The server receives a client's message, but processes it only after its long frame.
func _slow_frame() -> void:
	for i in 3:
		call_method("client", 1, WORLD, &"ready_up")
		apis.client.poll()
		var over := Time.get_ticks_msec() + SLOW_FRAME
		while Time.get_ticks_msec() < over:
			_relay.poll()
			OS.delay_msec(1)
		await run_for(3 * ROUND_TRIP)
