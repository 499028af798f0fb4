// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Detects WebSockets in TCP streams that Wireshark would not read as such: one whose HTTP upgrade is on a port that
/// another dissector has registered, and one whose beginning is not in the capture. On the first pass; the packet's
/// ports are set.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Which dissector is registered on the ports of a packet.
enum class Registered : std::uint8_t { none, debugger, other, by_user };

/// True if a segment may be an upgrade or follow one, whatever its ports are. Cheap.
[[nodiscard]] bool may_be_upgraded(godot_codec::Bytes segment);

/// False if a segment cannot be a part of a WebSocket whose beginning is missing. Cheap.
[[nodiscard]] bool may_be_late_websocket(godot_codec::Bytes segment);

/// Before TCP gets a segment that is a request or an answer of an upgrade: pins the conversation to HTTP, by
/// web_socket_observer(), if HTTP gets it anyway or another dissector is registered.
void pin_upgrade(godot_codec::Bytes segment, packet_info *pinfo, Registered registered);

/// Before TCP gets a segment: pins the conversation to WebSocket's dissector if the frames so far show a game.
/// @param conversation null if TCP has made none yet
/// @param seq the segment's number on the wire
/// @returns true if the stream is a WebSocket
bool detect_websocket_before_tcp(godot_codec::Bytes segment, packet_info *pinfo, conversation_t *conversation,
                                 std::uint32_t seq, Registered registered);

/// For the heuristic of TCP.
/// @returns the dissector of WebSocket frames, if this segment shows that the stream is a WebSocket with a game in it;
/// later passes call it for the earlier segments, too
[[nodiscard]] dissector_handle_t detect_late_websocket(tvbuff_t *tvb, packet_info *pinfo, const tcpinfo &tcp);

void handoff_websocket_detection();

}  // namespace godot_plugin
