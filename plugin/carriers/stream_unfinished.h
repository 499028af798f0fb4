// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of a stream that go on behind a part: TCP is asked for the rest, or they are put together here.
#pragma once

#include "godot-codec/stream/framing.h"
#include "godot-codec/stream/position.h"
#include "godot-codec/stream/reassembler.h"
#include "plugin/carriers/stream_part.h"

namespace godot_plugin {

/// Shows a message that goes on behind the part, or finds out how the rest of it is got: it is then shown where it
/// ends.
void dissect_unfinished(const SegmentContext &part, const godot_codec::StreamPiece &piece);

/// Says of a part that it belongs to a message which is shown where it ends.
void tell_of_part(const SegmentContext &part);

/// Puts the head of a message in front of the segment in which it goes on.
void put_in_front(SegmentContext &part, const godot_codec::StreamPart &where,
                  const godot_codec::Reassembler::Segment &segment);

}  // namespace godot_plugin
