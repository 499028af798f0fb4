// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The upgrade from HTTP to a WebSocket: on a port that another protocol owns, the owner would make nothing of it.
/// Looked at before TCP gets the segment, on the first pass; the packet's ports are set.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if a segment may be an upgrade, or behind one.
[[nodiscard]] bool may_be_upgraded(godot_codec::Bytes payload);

/// Gives a conversation that begins a WebSocket to HTTP, by web_socket_observer(), if HTTP has it or another dissector
/// is registered on a port of it.
/// @param is_owned another dissector is, and not by the user's wish
/// @returns false where it begins none
bool claim_upgrade(godot_codec::Bytes payload, packet_info *pinfo, bool is_owned);

/// True once claim_upgrade() has: HTTP hands each frame to Wireshark's own WebSocket, and may be in the middle of one.
[[nodiscard]] bool is_upgraded(packet_info *pinfo);
/// True if the capture lacks the request or its answer: then HTTP hands on nothing.
[[nodiscard]] bool is_half_upgraded(packet_info *pinfo);

/// Registers what is remembered of upgrades.
void register_upgrades();

}  // namespace godot_plugin
