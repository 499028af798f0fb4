# SPDX-License-Identifier: MIT
extends SceneTree
## godot --headless --path . --script connect.gd -- server PORT SECONDS [refuse]
## godot --headless --path . --script connect.gd -- client PORT SECONDS LOCAL_PORT
##
## One end of a connection that does not come about, without compression: see ../../record_connect.sh. Its other end is
## another process, often of another engine.


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	var port := int(arguments[1])
	var peer := ENetMultiplayerPeer.new()
	if arguments[0] == "server":
		peer.create_server(port)
		peer.refuse_new_connections = "refuse" in arguments
	else:
		peer.create_client("127.0.0.1", port, 0, 0, 0, int(arguments[3]))
	get_multiplayer().multiplayer_peer = peer
	await create_timer(float(arguments[2])).timeout
	peer.close()
	quit()
