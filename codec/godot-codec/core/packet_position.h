// SPDX-License-Identifier: MIT
/// @file
/// A position in a capture, at which sessions record their state.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace godot_codec {

/// A packet, and a message in it. Positions increase in capture order. The first pass records state in this order;
/// later queries get the state as of their position.
struct PacketPosition {
  std::uint32_t packet = 0;   ///< packet number in the capture, from 1; 0: before the first packet
  std::uint32_t message = 0;  ///< index of the message in the packet, from 0

  // clang-tidy mistakes the 0 that `<=>` is compared with for a pointer. NOLINTNEXTLINE(modernize-use-nullptr)
  constexpr auto operator<=>(const PacketPosition &) const = default;
};

/// The positions before and after all packets.
inline constexpr PacketPosition packet_position_zero{};
inline constexpr PacketPosition packet_position_last{std::numeric_limits<std::uint32_t>::max(),
                                                     std::numeric_limits<std::uint32_t>::max()};

inline constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

/// Converts a capture time to nanoseconds. Files may contain any time, so a time that is out of range is clamped.
/// @param nanoseconds may be negative, or more than a second
[[nodiscard]] constexpr std::int64_t to_nanoseconds(std::int64_t seconds, std::int64_t nanoseconds) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t most = Limits::max() / nanoseconds_per_second - 1;
  if (seconds > most) return Limits::max();
  if (seconds < -most) return Limits::min();
  const std::int64_t time = seconds * nanoseconds_per_second;
  if (nanoseconds > 0 && time > Limits::max() - nanoseconds) return Limits::max();
  if (nanoseconds < 0 && time < Limits::min() - nanoseconds) return Limits::min();
  return time + nanoseconds;
}

/// Returns the time from @p from to @p to, clamped to the range of the type.
[[nodiscard]] constexpr std::int64_t elapsed(std::int64_t from, std::int64_t to) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (from < 0 && to > Limits::max() + from) return Limits::max();
  if (from > 0 && to < Limits::min() + from) return Limits::min();
  return to - from;
}

}  // namespace godot_codec
