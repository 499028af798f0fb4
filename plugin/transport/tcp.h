// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TCP streams: detects the protocol on ports that no preference names, by the rules of
/// godot-codec/detection/stream_detection.h. Also finds the position of a segment in its stream, and dissects the
/// segment.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/detection/stream_detection.h"
#include "godot-codec/stream/stream_position.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/transport/stream_segments.h"

namespace godot_plugin {

// ---- detection of protocols, and pinning of conversations (tcp_detection.cpp)

/// Returns the dissector that epan calls with a stream's segments.
[[nodiscard]] dissector_handle_t tcp_handle_of(godot_codec::StreamProtocol protocol);

/// Returns the protocol of a stream if this segment alone decides it.
[[nodiscard]] std::optional<godot_codec::StreamProtocol> tcp_protocol_of_segment(godot_codec::Bytes payload);

/// False if the user has disabled TCP's heuristic.
[[nodiscard]] bool is_tcp_heuristic_enabled();

/// Quick check: false if a segment can neither begin nor continue a message of this plugin's protocols.
[[nodiscard]] bool may_detect_before_tcp(godot_codec::Bytes payload);

/// Pins the conversation if the evidence of the stream outweighs the dissector that is registered on the port. Call on
/// the first pass, before TCP's dissector processes the segment, with the packet's ports set.
/// @param conversation null if TCP has not created the conversation yet
/// @param seq absolute sequence number of the payload's first byte
void detect_before_tcp(godot_codec::Bytes payload, packet_info *pinfo, conversation_t *conversation, std::uint32_t seq);

/// Registers TCP's heuristic.
void handoff_tcp_detection();

// ---- tcp_streams.cpp

/// Returns the allocator for the capture's streams.
[[nodiscard]] std::pmr::memory_resource *tcp_memory();

/// Returns the stream of a conversation; creates the stream if necessary.
[[nodiscard]] StreamState &tcp_stream_of(conversation_t *conversation);
/// Returns the stream of a conversation; null if the conversation has no stream.
[[nodiscard]] StreamState *find_tcp_stream(const conversation_t *conversation);

/// Returns the position of a segment, in absolute sequence numbers.
[[nodiscard]] godot_codec::StreamChunk tcp_position_of(conversation_t *conversation, packet_info *pinfo,
                                                       const tcpinfo &tcp, godot_codec::Bytes bytes);

/// Finds where messages begin in a segment. On the first pass, records the segment.
[[nodiscard]] godot_codec::ChunkStart find_tcp_message_start(SegmentContext &segment,
                                                             const godot_codec::StreamChunk &where);

/// Reads a segment without showing it, to find where messages begin in the next segment.
void skip_tcp_segment(const SegmentContext &segment, const godot_codec::StreamChunk &where,
                      godot_codec::ChunkStart start);

/// Dissects a segment after find_tcp_message_start(). @returns its length
int dissect_tcp_from(const SegmentContext &segment, const godot_codec::StreamChunk &where,
                     godot_codec::ChunkStart start);

/// Finds where messages begin in a segment, and dissects it.
/// @returns 0 if the segment precedes the decision and its bytes were not kept
int dissect_tcp_stream(SegmentContext &segment, godot_codec::StreamChunk where);

}  // namespace godot_plugin
