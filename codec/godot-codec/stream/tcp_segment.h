// SPDX-License-Identifier: MIT
/// @file
/// Segments of TCP, by their headers. RFC 9293, 3.1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// How many bytes a segment's header has, as it says; 0 where that was not captured.
[[nodiscard]] constexpr std::size_t tcp_header_size(Bytes segment) {
  constexpr std::size_t at = 12;  // in words, in the upper half of the byte
  return at < segment.captured ? std::size_t{segment.data[at]} / 16 * sizeof(std::uint32_t) : 0;
}

struct TcpSegment {
  Bytes payload;
  std::uint32_t seq = 0;  ///< the number of the first byte
  std::uint32_t ack = 0;
  bool is_fin = false;
  bool begins = false;  ///< SYN
  bool is_reset = false;
  bool is_ack = false;
};

/// @returns one without anything where the header was not captured
[[nodiscard]] inline TcpSegment read_tcp_segment(Bytes bytes) {
  constexpr std::size_t least_header = 20;
  constexpr std::size_t seq_at = 4;
  constexpr std::size_t ack_at = 8;
  constexpr std::size_t flags_at = 13;
  if (bytes.captured < least_header) return {};
  const unsigned flags = bytes.data[flags_at];
  const std::size_t header = std::max(least_header, tcp_header_size(bytes));
  return {bytes.slice({header, bytes.reported}),
          Cursor::load_be<std::uint32_t>(bytes.data + seq_at),
          Cursor::load_be<std::uint32_t>(bytes.data + ack_at),
          (flags & 1U) != 0,
          (flags & 2U) != 0,
          (flags & 4U) != 0,
          (flags & 16U) != 0};
}

}  // namespace godot_codec
