// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of WebSockets: the high-level multiplayer's, or Variants.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Registers the preferences of ports, with `godot` and `godot_mp`.
void register_websocket_messages();
/// Hooks onto packet-websocket.
void handoff_websocket_messages();
/// Evaluates a TCP segment of a stream whose protocol is not known, on the first pass.
/// @returns the dissector of WebSocket frames, if this segment shows that the stream is a WebSocket with a game in it;
/// later passes call it for the earlier segments, too
[[nodiscard]] dissector_handle_t detect_late_websocket(tvbuff_t *tvb, packet_info *pinfo, const tcpinfo &tcp);
/// False if a TCP segment cannot be a part of a WebSocket whose beginning is missing. Takes no time.
[[nodiscard]] bool may_claim_late_websocket(godot_codec::Bytes segment);
/// On a port that another protocol owns, before TCP gets the segment: gives the stream to WebSocket's dissector where
/// its frames tell that it is one with a game in it. On the first pass.
/// @param seq the segment's number on the wire
/// @returns true where the stream is WebSocket's
bool claim_late_websocket(godot_codec::Bytes segment, packet_info *pinfo, std::uint32_t seq);
/// Hooks onto the ports that the user has named.
void apply_websocket_ports();

}  // namespace godot_plugin
