// SPDX-License-Identifier: MIT
/// @file
/// Detects mistakes of Godot's users in packets that are not Variants.
#pragma once

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// True if a packet that no dialect can read consists of a length and exactly one Variant of this length. Such a packet
/// was written as if for a stream (StreamPeer.put_var()).
/// @param options limits, and how reals are read
[[nodiscard]] bool has_stray_length(Bytes packet, const ReadOptions &options);

/// True if a packet that begins like a Variant is probably custom payload. The reasons are:
/// - bytes follow the Variant, or keep it from being read, and the readable part is no strong evidence
/// - no engine writes such a value
/// - hardly any game sends such reals (surprise_of())
///
/// False for a packet that was not captured completely, and for an Array or Dictionary that is unambiguous
/// (variant_evidence()).
/// @param result of the walk from the packet's first byte on, in this dialect
[[nodiscard]] bool is_rather_raw(Bytes packet, Dialect dialect, const WalkResult &result, const ReadOptions &options);

}  // namespace godot_codec
