# SPDX-License-Identifier: MIT
extends SceneTree
# godot --path . -s connect.gd --connect=server,PORT,SECONDS,COMPRESSION
# godot --path . -s connect.gd --connect=client,PORT,SECONDS,COMPRESSION,LOCAL_PORT
#
# One end of a connection that does not come about: see ../../record_connect.sh. COMPRESSION is a number of
# NetworkedMultiplayerENet.CompressionMode; 1, the range coder, is the engine's default. Its other end is another
# process, often of another engine.


func _initialize() -> void:
	var arguments := []
	for argument in OS.get_cmdline_args():
		if argument.begins_with("--connect="):
			arguments = argument.trim_prefix("--connect=").split(",")
	var port := int(arguments[1])
	var peer := NetworkedMultiplayerENet.new()
	peer.compression_mode = int(arguments[3])
	if arguments[0] == "server":
		peer.create_server(port)
	else:
		peer.create_client("127.0.0.1", port, 0, 0, int(arguments[4]))
	get_multiplayer().network_peer = peer
	yield(create_timer(float(arguments[2])), "timeout")
	peer.close_connection()
	quit()
