// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Detects the protocol of TCP streams on ports that no preference names, with the rules of
/// godot-codec/detection/stream_detection.h, and pins their conversations.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/detection/stream_detection.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The dissector that epan calls with a stream's segments.
[[nodiscard]] dissector_handle_t tcp_handle_of(godot_codec::StreamProtocol protocol);

/// The protocol of a stream, if this segment alone decides it.
[[nodiscard]] std::optional<godot_codec::StreamProtocol> tcp_protocol_of(godot_codec::Bytes payload);

/// False if the user has disabled TCP's heuristic.
[[nodiscard]] bool is_tcp_detected();

/// False if a segment can neither begin our messages nor go on with them. Cheap.
[[nodiscard]] bool may_detect_before_tcp(godot_codec::Bytes payload);

/// Before TCP gets a segment on a port that another dissector has registered: pins the conversation if the evidence of
/// the stream outweighs that dissector. On the first pass; the packet's ports are set.
/// @param conversation null if TCP has made none yet
/// @param seq of the payload's first byte, as it is on the wire
void detect_before_tcp(godot_codec::Bytes payload, packet_info *pinfo, conversation_t *conversation, std::uint32_t seq);

void register_tcp_detection();

/// Registers TCP's heuristic.
void handoff_tcp_detection();

}  // namespace godot_plugin
