# SPDX-License-Identifier: MIT
extends MultiplayerAPIExtension
## Wraps the engine's own multiplayer, and emits a signal for each call.

signal called(object: Object, method: StringName, arguments: Array)

var base := SceneMultiplayer.new()


func _init() -> void:
	base.connected_to_server.connect(func() -> void: connected_to_server.emit())
	base.connection_failed.connect(func() -> void: connection_failed.emit())
	base.server_disconnected.connect(func() -> void: server_disconnected.emit())
	base.peer_connected.connect(func(id: int) -> void: peer_connected.emit(id))
	base.peer_disconnected.connect(func(id: int) -> void: peer_disconnected.emit(id))


func _poll() -> Error:
	return base.poll()


func _rpc(peer: int, object: Object, method: StringName, arguments: Array) -> Error:
	called.emit(object, method, arguments)
	return base.rpc(peer, object, method, arguments)


func _object_configuration_add(object: Object, configuration: Variant) -> Error:
	return base.object_configuration_add(object, configuration)


func _object_configuration_remove(object: Object, configuration: Variant) -> Error:
	return base.object_configuration_remove(object, configuration)


func _set_multiplayer_peer(peer: MultiplayerPeer) -> void:
	base.multiplayer_peer = peer


func _get_multiplayer_peer() -> MultiplayerPeer:
	return base.multiplayer_peer


func _get_unique_id() -> int:
	return base.get_unique_id()


func _get_peer_ids() -> PackedInt32Array:
	return base.get_peers()


func _get_remote_sender_id() -> int:
	return base.get_remote_sender_id()
