// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Detects WebSockets that Wireshark does not recognise, in two cases. The HTTP upgrade uses a port that another
/// dissector has registered, or the stream's beginning is not in the capture. Call these functions on the first pass,
/// with the packet's ports set.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The kind of dissector that is registered on a packet's ports.
enum class RegisteredDissector : std::uint8_t { none, debugger, other, by_user };

/// True if a conversation has only the request or only the answer of an HTTP upgrade.
[[nodiscard]] bool has_incomplete_upgrade();

/// Quick check: false if a segment cannot belong to a WebSocket without its beginning in the capture.
[[nodiscard]] bool may_be_late_websocket(godot_codec::Bytes segment);

/// Processes a request or an answer of an HTTP upgrade, before TCP's dissector. Pins the conversation to
/// web_socket_observer(), which calls HTTP, if HTTP would get the segment anyway or another dissector is registered.
void pin_http_upgrade(godot_codec::Bytes segment, packet_info *pinfo, RegisteredDissector registered);

/// Pins the conversation to the WebSocket dissector if the frames so far prove a game. Call before TCP's dissector
/// processes the segment.
/// @param conversation null if TCP has not created the conversation yet
/// @param seq the segment's absolute sequence number
/// @returns true if the stream is a WebSocket
bool detect_websocket_before_tcp(godot_codec::Bytes segment, packet_info *pinfo, conversation_t *conversation,
                                 std::uint32_t seq, RegisteredDissector registered);

/// Detects a late WebSocket, for TCP's heuristic.
/// @returns the dissector of WebSocket frames if this segment proves that the stream is a game's WebSocket. Later
/// passes call this dissector for earlier segments, too
[[nodiscard]] dissector_handle_t detect_late_websocket(tvbuff_t *tvb, packet_info *pinfo, const tcpinfo &tcp);

void handoff_websocket_detection();

}  // namespace godot_plugin
