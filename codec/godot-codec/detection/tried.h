// SPDX-License-Identifier: MIT
/// @file
/// Which datagrams or segments of a conversation that is nobody's are looked at by what takes time: decompressing them.
#pragma once

#include <cstdint>

namespace godot_codec {

/// The first ones are tried, then ever fewer, as others may have come before a game: 1, 2, 3, 4, 6, 8, 12, 16, …. So
/// the ENet of tests/data/damaged_pong.pcapng is found behind its damaged datagrams.
/// @param number of the datagram or segment, from 1 on
[[nodiscard]] constexpr bool is_tried(std::uint32_t number) {
  constexpr std::uint32_t last_tried = 4096;
  const auto is_power = [](std::uint32_t each) { return (each & (each - 1)) == 0; };
  return number <= last_tried && (is_power(number) || (number % 3 == 0 && is_power(number / 3)));
}

}  // namespace godot_codec
