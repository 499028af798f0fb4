// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TCP streams: the detection of their protocol on ports that no preference names, with the rules of
/// godot-codec/detection/stream_detection.h; the position of a segment in its stream; and the segment's dissection.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/detection/stream_detection.h"
#include "godot-codec/stream/position.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/transport/streams.h"

namespace godot_plugin {

// ---- tcp_detection.cpp: detects protocols, and pins their conversations

/// Returns the dissector that epan calls with a stream's segments.
[[nodiscard]] dissector_handle_t tcp_handle_of(godot_codec::StreamProtocol protocol);

/// Returns the protocol of a stream if this segment alone decides it.
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

/// Registers TCP's heuristic.
void handoff_tcp_detection();

// ---- tcp_streams.cpp

/// Returns the memory of the capture's streams.
[[nodiscard]] std::pmr::memory_resource *tcp_memory();

/// Returns the stream of a conversation; adds it if there is none.
[[nodiscard]] Stream &tcp_stream_of(conversation_t *conversation);
/// Returns the stream of a conversation; null if there is none.
[[nodiscard]] Stream *find_tcp_stream(const conversation_t *conversation);

/// Returns the position of a segment, by the sequence numbers on the wire.
[[nodiscard]] godot_codec::StreamPart tcp_position_of(conversation_t *conversation, packet_info *pinfo,
                                                      const tcpinfo &tcp, godot_codec::Bytes bytes);

/// Finds where messages begin in a segment. On the first pass, records the segment.
[[nodiscard]] godot_codec::StreamStart find_tcp_start(SegmentContext &segment, const godot_codec::StreamPart &where);

/// Reads a segment that is not shown, to find where messages begin in the next segment.
void skip_tcp_segment(const SegmentContext &segment, const godot_codec::StreamPart &where,
                      godot_codec::StreamStart start);

/// Dissects a segment after find_tcp_start(). @returns its length
int dissect_tcp_from(const SegmentContext &segment, const godot_codec::StreamPart &where,
                     godot_codec::StreamStart start);

/// Finds where messages begin in a segment, and dissects it.
/// @returns 0 for a segment before the decision, if no bytes of it were kept
int dissect_tcp_stream(SegmentContext &segment, godot_codec::StreamPart where);

}  // namespace godot_plugin
