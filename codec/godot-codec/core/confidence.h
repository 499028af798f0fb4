// SPDX-License-Identifier: MIT
/// @file
/// The one scale for judging which protocol bytes belong to. (How well a dialect reads them is another question: Fit.)
#pragma once

#include <cstdint>

namespace godot_codec {

/// How much bytes say for being what they are asked about, the least first.
enum class Confidence : std::uint8_t {
  none,     ///< they are something else
  neutral,  ///< they say nothing, one way or the other: a null, bytes of the game's own, the beginning of something
            ///< long
  weak,     ///< they may be it, as something else may: two packets of a conversation are enough
  strong,   ///< they are it
};

}  // namespace godot_codec
