# SPDX-License-Identifier: MIT
extends SceneTree
# godot --path . -s main.gd --scenario=SCENARIO --expected=FILE
#
# Plays one scenario. Both ends live in this process, on real sockets of
# 127.0.0.1, and a packet is sent only when the one before it has arrived: the
# order in the capture is the order in the file of expectations. (ENet and the
# high-level multiplayer are other matters: see enet.gd and mp.gd. In debug_script
# the other end is a process of its own, the project ../godot3_debug.)

const Expected := preload("expected.gd")
const SCENARIOS := {
	"udp_types": preload("udp_types.gd"),
	"tcp_types": preload("tcp_types.gd"),
	"objects": preload("objects.gd"),
	"game": preload("game.gd"),
	"pairs": preload("pairs.gd"),
	"ws": preload("ws.gd"),
	"mp_rpc": preload("mp_rpc.gd"),
	"mp_ws": preload("mp_ws.gd"),
	"debug_script": preload("debug_script.gd"),
}
const Enet := preload("enet.gd")


func _initialize() -> void:
	var scenario := _option("--scenario=")
	var path := _option("--expected=")
	var scenarios := SCENARIOS.keys() + Enet.PORTS.keys()
	if path == "" or not scenario in scenarios:
		printerr("options: --scenario=SCENARIO --expected=FILE, with a scenario of ", scenarios)
		quit(2)
		return
	var expected := Expected.new(path)
	if SCENARIOS.has(scenario):
		SCENARIOS[scenario].new().run(expected)
	else:
		Enet.new().run(expected, scenario)
	expected.close()
	quit()


func _option(prefix: String) -> String:
	for argument in OS.get_cmdline_args():
		if argument.begins_with(prefix):
			return argument.trim_prefix(prefix)
	return ""
