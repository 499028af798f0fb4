// SPDX-License-Identifier: MIT
/// @file
/// How the messages of those are measured that may have sent a TCP stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/stream/framing.h"

namespace godot_codec {

/// Who may have sent a stream, in the order in which they are asked.
inline constexpr std::size_t stream_candidates = 2;

/// How to measure a candidate's messages.
struct StreamRule {
  MeasureMessage measure = measure_packet;
  std::uint32_t max_length = 8U << 20;  ///< a packet's

  /// The extent of the message that begins at @p offset.
  [[nodiscard]] StreamExtent extent_at(Bytes data, std::size_t offset) const {
    return measure(data, offset, max_length);
  }
  /// True if lengths have their high byte first.
  [[nodiscard]] bool is_big_endian() const { return measure == measure_big_endian_packet; }
};
using StreamRules = std::array<StreamRule, stream_candidates>;

}  // namespace godot_codec
