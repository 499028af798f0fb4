// SPDX-License-Identifier: MIT
/// @file
/// The number of a Variant's type that no Godot has: far from those that the next ones will have.
#pragma once

#include <cstdint>

namespace godot_codec::test {

/// It is as large as the byte of a header that holds the type allows. Compact Variants have six bits for it.
inline constexpr std::uint32_t unknown_type = 0xff;

}  // namespace godot_codec::test
