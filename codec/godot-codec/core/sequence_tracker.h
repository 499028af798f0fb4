// SPDX-License-Identifier: MIT
/// @file
/// Which of a sender's sequence numbers are in the capture.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <set>

#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Consecutive sequence numbers that were sent and are not in the capture, so far.
struct CaptureGap {
  std::uint64_t begin;  ///< see SequenceTracker::place_of()
  std::uint64_t end;
  PacketPosition found;      ///< when a later number was captured, or a number of the gap was acknowledged
  std::int64_t time_before;  ///< when the last captured number before the gap was sent
};

/// Follows sequence numbers that rise by one and wrap, in the order of the capture: ENet's of a reliable channel,
/// SCTP's of a stream, SCTP's of all transmissions of an end (TSN). A retransmission has the number of the original.
/// Numbers that are captured in order take no memory.
/// @tparam Number std::uint16_t or std::uint32_t
template <typename Number>
class SequenceTracker {
 public:
  explicit SequenceTracker(std::pmr::memory_resource *memory) : gaps_(memory) {}

  /// Expects a number next, unless numbers near it are followed already.
  void begin(Number number, std::int64_t time);
  /// Records that a number and those after it were captured. If the number is farther away than any window, the sender
  /// has begun to count anew.
  /// @param count how many numbers
  /// @returns the place of the first one
  std::uint64_t add(Number number, std::uint32_t count, PacketPosition position, std::int64_t time);
  /// Records that the receiver acknowledges all numbers up to this one, captured or not.
  void acknowledge(Number number, PacketPosition position);
  /// Records that the sender gives up what was lost, up to a number.
  void give_up(Number number);

  /// Returns a number as one that never wraps and is above zero. Its low bits are the sender's number.
  /// @param near the place of a number that is less than half a round away
  [[nodiscard]] static std::uint64_t place_of(Number number, std::uint64_t near);
  /// Returns the place after the highest number so far; 0: none has come.
  [[nodiscard]] std::uint64_t next() const { return next_; }
  /// Returns the first gap that begins at a place or after it.
  [[nodiscard]] std::optional<CaptureGap> first_gap(std::uint64_t from) const;
  /// True if a number that was sent before a position is in a gap. A number that was given up is not.
  [[nodiscard]] bool has_gap(PacketPosition position) const;
  /// True if a number that was sent after a position, and no later than a time, is in a gap.
  [[nodiscard]] bool has_gap(PacketPosition after, std::int64_t until) const;

 private:
  // Later gaps have higher numbers.
  struct InOrder {
    using is_transparent = void;
    bool operator()(const CaptureGap &one, const CaptureGap &other) const { return one.begin < other.begin; }
    bool operator()(const CaptureGap &gap, std::uint64_t place) const { return gap.begin < place; }
    bool operator()(std::uint64_t place, const CaptureGap &gap) const { return place < gap.begin; }
    bool operator()(PacketPosition position, const CaptureGap &gap) const { return position < gap.found; }
  };

  [[nodiscard]] bool is_near(Number number) const;
  void fill(std::uint64_t begin, std::uint64_t end);

  std::uint64_t next_ = 0;          // 0: not begun
  std::uint64_t acknowledged_ = 0;  // the first number that is not acknowledged
  std::int64_t time_ = 0;           // when the highest captured number was sent
  std::pmr::set<CaptureGap, InOrder> gaps_;
};

extern template class SequenceTracker<std::uint16_t>;
extern template class SequenceTracker<std::uint32_t>;

}  // namespace godot_codec
