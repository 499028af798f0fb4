// SPDX-License-Identifier: MIT
/// @file
/// How likely does a game send a value? It decides between dialects that read the same bytes exactly.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// How surprising it is that a game sends just this: the binary logarithm of one in how many, roughly. Small numbers,
/// round reals of usual size, and letters surprise little; much do reals that are next to nothing, as small integers
/// and the headers of values are if they are taken for reals, or immense, as texts are.
///
/// Types of as many reals surprise alike: nothing tells a Color from a Plane.
/// @param packet one Variant, which the dialect reads to its end
/// @returns bits, comparable between dialects for the same packet
[[nodiscard]] std::uint64_t surprise_of(Bytes packet, Dialect dialect, const ReadOptions &options);

}  // namespace godot_codec
