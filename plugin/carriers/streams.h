// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The parts that TCP and TLS have in common as carriers: a part of a stream is cut into messages, and each is
/// dissected by the protocol whose the stream is. Where a part stands in its stream, and whose that is, they find out
/// each by itself.
///
///     stream_protocols.h    who may have sent a stream
///     stream_part.h         the state of a stream; the part that is being read
///     stream_messages.h     one message
///     stream_unfinished.h   a message that goes on behind the part
#pragma once

#include "godot-codec/stream/framing.h"
#include "godot-codec/stream/position.h"
#include "godot-codec/stream/reassembler.h"
#include "plugin/carriers/stream_part.h"

namespace godot_plugin {

/// Dissects what the reader finds, message by message; epan is asked for the rest of one that is not whole.
void dissect_pieces(const SegmentContext &part, godot_codec::StreamReader &reader);

/// Dissects a segment whose messages are put together by the stream's Reassembler. @returns its length
int dissect_joined(SegmentContext part, const godot_codec::StreamPart &where,
                   const godot_codec::Reassembler::Segment &segment);

}  // namespace godot_plugin
