// SPDX-License-Identifier: MIT
/// @file
/// A point of a capture, as sessions remember it.
#pragma once

#include <compare>
#include <cstdint>

namespace godot_codec {

/// A message of a packet. Moments rise in the order of the capture; the first pass learns in this order, and every
/// later question is answered as known at its moment.
struct Moment {
  std::uint32_t packet = 0;   ///< its number in the capture, from 1; 0: before all of it
  std::uint32_t message = 0;  ///< counted within the packet, from 0

  constexpr auto operator<=>(const Moment &) const = default;  // NOLINT(modernize-use-nullptr): not ours
};

/// Before everything.
inline constexpr Moment moment_zero{};

}  // namespace godot_codec
