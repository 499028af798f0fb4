// SPDX-License-Identifier: MIT
/// @file
/// Estimates how likely a game is to send a value. Decides between dialects if several read the same bytes exactly.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// Returns roughly the binary logarithm of the number of messages until one of them is this value. Small integers,
/// round reals of usual size, and letters have little surprise. Reals near zero have much surprise, because small
/// integers and headers look like them if they are read as reals. Huge reals do, too, because texts look like them.
///
/// Types with the same number of reals have the same surprise, because nothing distinguishes a Color from a Plane.
/// @param packet one Variant, which the dialect reads to its end
/// @returns surprise in bits; only comparable between dialects for the same packet
[[nodiscard]] std::uint64_t surprise_of(Bytes packet, Dialect dialect, const ReadOptions &options);

}  // namespace godot_codec
