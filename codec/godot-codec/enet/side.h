// SPDX-License-Identifier: MIT
/// @file
/// The two ends of a connection.
#pragma once

#include <cstddef>
#include <cstdint>

namespace godot_codec {

/// One of a connection's two ends.
enum class Side : std::uint8_t { first, second };

inline constexpr std::size_t side_count = 2;

[[nodiscard]] constexpr Side other_side(Side side) { return side == Side::first ? Side::second : Side::first; }

[[nodiscard]] constexpr std::size_t index_of(Side side) { return static_cast<std::size_t>(side); }

}  // namespace godot_codec
