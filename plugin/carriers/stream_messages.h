// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A message of a stream goes to the protocol whose the stream is. What is no message is shown as such.
#pragma once

#include <cstddef>

#include "godot-codec/core/bytes.h"
#include "godot-codec/stream/framing.h"
#include "plugin/carriers/stream_part.h"

namespace godot_plugin {

/// Dissects a message. @param length on the wire, of which there may be less
void dissect_message(const SegmentContext &part, const godot_codec::StreamPiece &piece, std::size_t length);

/// Dissects bytes that the game writes by itself, without a length in front.
void dissect_own_bytes(const SegmentContext &part, const godot_codec::StreamPiece &piece);

/// Shows bytes in which no message could be found.
void dissect_skipped(const SegmentContext &part, godot_codec::Range range);

}  // namespace godot_plugin
