# SPDX-License-Identifier: MIT
extends SceneTree
## godot --headless --path . --script main.gd -- SCENARIO EXPECTED_FILE
##
## Plays one scenario. Both ends live in this process, on real sockets of
## 127.0.0.1, and a packet is sent only when the one before it has arrived: the
## order in the capture is the order in the file of expectations. (ENet and the
## high-level multiplayer are other matters: see enet.gd and mp.gd. In debug_script
## the other end is a process of its own, the project ../godot4_debug.)

const Expected := preload("expected.gd")
const SCENARIOS := {
	"udp_types": preload("udp_types.gd"),
	"tcp_types": preload("tcp_types.gd"),
	"objects": preload("objects.gd"),
	"typed": preload("typed.gd"),
	"game": preload("game.gd"),
	"pairs": preload("pairs.gd"),
	"ws": preload("ws.gd"),
	"mp_rpc": preload("mp_rpc.gd"),
	"mp_many": preload("mp_many.gd"),
	"mp_auth": preload("mp_auth.gd"),
	"mp_spawn": preload("mp_spawn.gd"),
	"mp_ws": preload("mp_ws.gd"),
	"mp_wss": preload("mp_wss.gd"),
	"lost_arguments": preload("lost_arguments.gd"),
	"trouble": preload("trouble.gd"),
	"garbled": preload("garbled.gd"),
	"big_endian": preload("big_endian.gd"),
	"own_bytes": preload("own_bytes.gd"),
	"own_bytes_tcp": preload("own_bytes_tcp.gd"),
	"own_streams": preload("own_streams.gd"),
	"debug_script": preload("debug_script.gd"),
}
const Enet := preload("enet.gd")


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	var scenarios := SCENARIOS.keys() + Enet.PORTS.keys()
	if arguments.size() != 2 or arguments[0] not in scenarios:
		printerr("arguments: SCENARIO EXPECTED_FILE, with a scenario of ", scenarios)
		quit(2)
		return
	var expected := Expected.new(arguments[1])
	if SCENARIOS.has(arguments[0]):
		var scenario: RefCounted = SCENARIOS[arguments[0]].new()
		await scenario.run(expected)
	else:
		Enet.new().run(expected, arguments[0])
	expected.close()
	quit()
