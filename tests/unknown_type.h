// SPDX-License-Identifier: MIT
/// @file
/// A Variant type number that no Godot release uses, far above the numbers of future types.
#pragma once

#include <cstdint>

namespace godot_codec::test {

/// The largest number that fits into the type byte of a header. Compact Variants have six bits for the type.
inline constexpr std::uint32_t unknown_type = 0xff;

}  // namespace godot_codec::test
