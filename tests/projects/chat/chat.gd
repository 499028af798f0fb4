# SPDX-License-Identifier: MIT
extends Node

@rpc("call_local", "reliable")
func say(text):
	print(Net.my_info.name, ": chat from ", multiplayer.get_remote_sender_id(), ": ", text)
