// SPDX-License-Identifier: MIT
/// @file
/// Sequence numbers of TCP.
#pragma once

#include <cstdint>

namespace godot_codec {

/// Sequence numbers wrap: whether @p first comes before @p second in a window of 2 GiB.
[[nodiscard]] constexpr bool is_seq_before(std::uint32_t first, std::uint32_t second) {
  return static_cast<std::int32_t>(first - second) < 0;
}

}  // namespace godot_codec
