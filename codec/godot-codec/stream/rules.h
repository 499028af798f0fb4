// SPDX-License-Identifier: MIT
/// @file
/// Measures the messages of the protocols that a TCP stream may contain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/stream/framing.h"

namespace godot_codec {

/// Number of protocols that a stream may contain. The first candidate is checked first.
inline constexpr std::size_t stream_candidates = 2;

struct StreamRule {
  MeasureMessage measure = measure_packet;
  std::uint32_t max_length = 8U << 20;  ///< of a packet, in bytes

  /// Returns the extent of the message at @p offset.
  [[nodiscard]] StreamExtent extent_at(Bytes data, std::size_t offset) const {
    return measure(data, offset, max_length);
  }
  /// True if length prefixes are big-endian.
  [[nodiscard]] bool is_big_endian() const { return measure == measure_big_endian_packet; }
};
using StreamRules = std::array<StreamRule, stream_candidates>;

}  // namespace godot_codec
