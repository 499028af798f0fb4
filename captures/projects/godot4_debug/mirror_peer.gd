# SPDX-License-Identifier: MIT
extends MultiplayerPeerExtension
## A peer that answers every call with the same call, so that the profilers of
## the multiplayer have something to count without any network.

const MIRRORED := [0, 1, 2] # SceneMultiplayer's commands: a call, a path, its confirmation

var _packets: Array[PackedByteArray] = []
var _mode := TRANSFER_MODE_RELIABLE
var _channel := 0


func _put_packet_script(bytes: PackedByteArray) -> Error:
	if bytes[0] & 7 in MIRRORED:
		_packets.append(bytes)
	return OK


func _get_packet_script() -> PackedByteArray:
	return _packets.pop_front()


func _get_available_packet_count() -> int:
	return _packets.size()


func _get_max_packet_size() -> int:
	return 65536


func _get_packet_peer() -> int:
	return 2


func _get_unique_id() -> int:
	return 1


func _is_server() -> bool:
	return true


func _is_server_relay_supported() -> bool:
	return false


func _get_connection_status() -> ConnectionStatus:
	return CONNECTION_CONNECTED


func _set_transfer_mode(mode: TransferMode) -> void:
	_mode = mode


func _get_transfer_mode() -> TransferMode:
	return _mode


func _get_packet_mode() -> TransferMode:
	return _mode


func _set_transfer_channel(channel: int) -> void:
	_channel = channel


func _get_transfer_channel() -> int:
	return _channel


func _get_packet_channel() -> int:
	return _channel


func _set_target_peer(_peer: int) -> void:
	pass


func _set_refuse_new_connections(_refuse: bool) -> void:
	pass


func _is_refusing_new_connections() -> bool:
	return false


func _disconnect_peer(_peer: int, _force: bool) -> void:
	pass


func _poll() -> void:
	pass


func _close() -> void:
	pass
