// SPDX-License-Identifier: MIT
/// @file
/// Reads the headers of TCP segments, and tracks sequence numbers. RFC 9293, 3.1 and 3.4.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// Returns the size of a segment's header in bytes, from the data offset field; 0 if this field was not captured.
[[nodiscard]] constexpr std::size_t tcp_header_size(Bytes segment) {
  constexpr std::size_t at = 12;  // the upper four bits give the size in u32s
  return at < segment.captured ? std::size_t{segment.data[at]} / 16 * sizeof(std::uint32_t) : 0;
}

struct TcpSegment {
  Bytes payload;
  std::uint32_t seq = 0;  ///< sequence number of the first byte
  std::uint32_t ack = 0;
  std::uint8_t flags = 0;

  [[nodiscard]] bool is_fin() const { return (flags & 1U) != 0; }
  [[nodiscard]] bool is_syn() const { return (flags & 2U) != 0; }
  [[nodiscard]] bool is_reset() const { return (flags & 4U) != 0; }
  [[nodiscard]] bool is_ack() const { return (flags & 16U) != 0; }
};

/// @returns an empty segment if the header was not captured
[[nodiscard]] inline TcpSegment read_tcp_segment(Bytes bytes) {
  constexpr std::size_t least_header = 20;
  constexpr std::size_t seq_at = 4;
  constexpr std::size_t ack_at = 8;
  constexpr std::size_t flags_at = 13;
  if (bytes.captured < least_header) return {};
  const std::size_t header = std::max(least_header, tcp_header_size(bytes));
  return {bytes.slice({header, bytes.reported}), Cursor::load_be<std::uint32_t>(bytes.data + seq_at),
          Cursor::load_be<std::uint32_t>(bytes.data + ack_at), bytes.data[flags_at]};
}

/// True if @p first is before @p second. Sequence numbers wrap around, so the numbers must be less than 2 GiB apart.
[[nodiscard]] constexpr bool is_seq_before(std::uint32_t first, std::uint32_t second) {
  return static_cast<std::int32_t>(first - second) < 0;
}

/// Tracks how far one direction of a TCP stream was captured. Updated in capture order.
class TcpSequence {
 public:
  /// True after begin_at() or add().
  [[nodiscard]] bool has_begun() const { return next_.has_value(); }
  /// Sequence number after the newest byte; 0 before the beginning.
  [[nodiscard]] std::uint32_t next() const { return next_.value_or(0); }
  /// Begins, or begins again, with the byte that has this sequence number.
  void begin_at(std::uint32_t seq) { next_ = seq; }
  /// Adds captured bytes. @returns the number of bytes after the newest byte so far; 0 for a retransmission
  std::size_t add(std::uint32_t seq, std::size_t length) {
    const std::uint32_t next = next_.value_or(seq);
    const std::uint32_t end = seq + static_cast<std::uint32_t>(length);
    next_ = is_seq_before(next, end) ? end : next;
    return std::min<std::size_t>(length, *next_ - next);
  }
  /// True if bytes between the newest byte and this sequence number are missing. The number may be the number of a
  /// segment in this direction, or an acknowledgement from the other side.
  [[nodiscard]] bool has_gap_before(std::uint32_t seq) const { return next_ && is_seq_before(*next_, seq); }

 private:
  std::optional<std::uint32_t> next_;
};

}  // namespace godot_codec
