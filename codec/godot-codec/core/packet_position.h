// SPDX-License-Identifier: MIT
/// @file
/// A point of a capture, as sessions remember it.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace godot_codec {

/// A message of a packet. Moments rise in the order of the capture; the first pass learns in this order, and every
/// later question is answered as known at its moment.
struct PacketPosition {
  std::uint32_t packet = 0;   ///< its number in the capture, from 1; 0: before all of it
  std::uint32_t message = 0;  ///< counted within the packet, from 0

  // There is no pointer. NOLINTNEXTLINE(modernize-use-nullptr)
  constexpr auto operator<=>(const PacketPosition &) const = default;
};

/// Before everything, and after it.
inline constexpr PacketPosition packet_position_zero{};
inline constexpr PacketPosition packet_position_last{std::numeric_limits<std::uint32_t>::max(),
                                                     std::numeric_limits<std::uint32_t>::max()};

inline constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

/// A capture's time as one number of nanoseconds. Files may hold any time: one that is too far away for the number
/// becomes the farthest.
/// @param nanoseconds within the second; may be negative, or more than a second
[[nodiscard]] constexpr std::int64_t time_from(std::int64_t seconds, std::int64_t nanoseconds) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t most = Limits::max() / nanoseconds_per_second - 1;
  if (seconds > most) return Limits::max();
  if (seconds < -most) return Limits::min();
  const std::int64_t time = seconds * nanoseconds_per_second;
  if (nanoseconds > 0 && time > Limits::max() - nanoseconds) return Limits::max();
  if (nanoseconds < 0 && time < Limits::min() - nanoseconds) return Limits::min();
  return time + nanoseconds;
}

/// Time from one moment to another, limited to what fits.
[[nodiscard]] constexpr std::int64_t elapsed(std::int64_t from, std::int64_t to) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (from < 0 && to > Limits::max() + from) return Limits::max();
  if (from > 0 && to < Limits::min() + from) return Limits::min();
  return to - from;
}

}  // namespace godot_codec
