# SPDX-License-Identifier: MIT
extends Reference
# A greeting, then what Godot 4 could have sent as well, then every type, alone
# and in a dictionary. The server answers every tenth value.

const Udp := preload("udp.gd")
const Values := preload("values.gd")


func run(expected) -> void:
	var udp := Udp.new(expected)
	udp.open("server", 5005)
	udp.open("client", 50001)
	# This packet identifies the protocol of the conversation.
	udp.put_var("client", "server", {"scenario": "udp_types"})
	var values := Values.new()
	for value in values.ambiguous():
		udp.put_var("client", "server", value)
	var count := 0
	for value in values.all():
		udp.put_var("client", "server", value)
		udp.put_var("client", "server", {"v": value})
		count += 1
		if count % 10 == 0:
			udp.put_var("server", "client", {"received": count, "last": value})
	for value in values.ambiguous():
		udp.put_var("server", "client", value)
