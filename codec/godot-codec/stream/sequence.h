// SPDX-License-Identifier: MIT
/// @file
/// TCP sequence numbers.
#pragma once

#include <cstdint>

namespace godot_codec {

/// True if @p first is before @p second. Sequence numbers wrap around, so the numbers must be less than 2 GiB apart.
[[nodiscard]] constexpr bool is_seq_before(std::uint32_t first, std::uint32_t second) {
  return static_cast<std::int32_t>(first - second) < 0;
}

}  // namespace godot_codec
