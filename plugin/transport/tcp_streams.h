// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TCP's streams: where a segment stands in its stream, and what it is there to whoever owns the stream.
#pragma once

#include <memory_resource>

#include "godot-codec/core/bytes.h"
#include "godot-codec/stream/position.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/transport/streams.h"

namespace godot_plugin {

/// Where the streams of the capture are kept; given back with it.
[[nodiscard]] std::pmr::memory_resource *tcp_memory();

/// The stream of a conversation, from now on if there was none.
[[nodiscard]] Stream &tcp_stream_of(conversation_t *conversation);
/// Null if there was none.
[[nodiscard]] Stream *find_tcp_stream(const conversation_t *conversation);

/// Where a segment stands, by the numbers on the wire.
[[nodiscard]] godot_codec::StreamPart tcp_part_of(conversation_t *conversation, packet_info *pinfo, const tcpinfo &tcp,
                                                  godot_codec::Bytes bytes);

/// Finds where messages begin in a part; on the first pass, learns that it was there.
[[nodiscard]] godot_codec::StreamStart enter_tcp(SegmentContext &part, const godot_codec::StreamPart &where);

/// Reads a part that nobody is shown, for what it says of the next one.
void pass_over_tcp(const SegmentContext &part, const godot_codec::StreamPart &where, godot_codec::StreamStart start);

/// Dissects a part that was entered. @returns its length
int dissect_entered_tcp(const SegmentContext &part, const godot_codec::StreamPart &where,
                        godot_codec::StreamStart start);

/// Enters a part and dissects it.
/// @returns 0 for a segment that came before the stream had an protocol, if nothing was kept of it
int dissect_tcp_stream(SegmentContext &part, godot_codec::StreamPart where);

/// Registers what is remembered of streams.
void register_tcp_streams();

}  // namespace godot_plugin
