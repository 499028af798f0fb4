// SPDX-License-Identifier: MIT
/// @file
/// Estimates how likely a game is to send a value. Decides between dialects that read the same bytes exactly.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// Returns roughly the binary logarithm of how many messages have to be seen until one is this value. Small numbers,
/// round reals of usual size, and letters surprise little. Reals near zero surprise much, because small integers and
/// headers of values look like them if they are read as reals. So do huge reals, which texts look like.
///
/// Types with the same number of reals have the same surprise: nothing distinguishes a Color from a Plane.
/// @param packet one Variant, which the dialect reads to its end
/// @returns bits, comparable between dialects for the same packet
[[nodiscard]] std::uint64_t surprise_of(Bytes packet, Dialect dialect, const ReadOptions &options);

}  // namespace godot_codec
