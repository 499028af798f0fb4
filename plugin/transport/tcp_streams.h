// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TCP streams: a segment's place in its stream, and its dissection by the stream's protocol.
#pragma once

#include <memory_resource>

#include "godot-codec/core/bytes.h"
#include "godot-codec/stream/position.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/transport/streams.h"

namespace godot_plugin {

/// The memory of the capture's streams; freed with the capture.
[[nodiscard]] std::pmr::memory_resource *tcp_memory();

/// The stream of a conversation; a new one if there is none.
[[nodiscard]] Stream &tcp_stream_of(conversation_t *conversation);
/// Null if there is none.
[[nodiscard]] Stream *find_tcp_stream(const conversation_t *conversation);

/// The place of a segment, by the sequence numbers on the wire.
[[nodiscard]] godot_codec::StreamPart tcp_part_of(conversation_t *conversation, packet_info *pinfo, const tcpinfo &tcp,
                                                  godot_codec::Bytes bytes);

/// Finds where messages begin in a part. On the first pass, records the part.
[[nodiscard]] godot_codec::StreamStart enter_tcp(SegmentContext &part, const godot_codec::StreamPart &where);

/// Reads a part that is not shown, to know where messages begin in the next one.
void pass_over_tcp(const SegmentContext &part, const godot_codec::StreamPart &where, godot_codec::StreamStart start);

/// Dissects a part after enter_tcp(). @returns its length
int dissect_entered_tcp(const SegmentContext &part, const godot_codec::StreamPart &where,
                        godot_codec::StreamStart start);

/// Enters a part and dissects it.
/// @returns 0 for a segment before the decision, if no bytes of it were kept
int dissect_tcp_stream(SegmentContext &part, godot_codec::StreamPart where);

/// Registers the streams' state.
void register_tcp_streams();

}  // namespace godot_plugin
