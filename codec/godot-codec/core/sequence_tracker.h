// SPDX-License-Identifier: MIT
/// @file
/// Tracks which sequence numbers of a sender were captured.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <set>

#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Consecutive sequence numbers that were sent, but that no packet so far has contained.
struct CaptureGap {
  std::uint64_t begin;  ///< extended number, see SequenceTracker::extend_number()
  std::uint64_t end;
  PacketPosition found_at;   ///< packet that showed the gap: it has a later number, or acknowledges a number of the gap
  std::int64_t time_before;  ///< time of the last captured number before the gap
};

/// Follows sequence numbers in capture order. They increase by one and wrap: those of an ENet channel, of an SCTP
/// stream, or of all transmissions of an SCTP side (TSN). A retransmission has the sequence number of the original.
/// Numbers that are captured in order take no memory.
/// @tparam Number std::uint16_t or std::uint32_t
template <typename Number>
class SequenceTracker {
 public:
  explicit SequenceTracker(std::pmr::memory_resource *memory) : gaps_(memory) {}

  /// Begins with this number. Does nothing if the number is near the newest tracked number.
  void start_at(Number number, std::int64_t time);
  /// Records that @p count consecutive numbers, from @p number on, were captured. If @p number is far away from the
  /// newest number, the sender has restarted its numbering, so the tracker begins again.
  /// @param count number of sequence numbers
  /// @returns the first number, extended
  std::uint64_t add(Number number, std::uint32_t count, PacketPosition position, std::int64_t time);
  /// Records that the receiver has acknowledged all numbers up to and including this number, captured or not.
  void acknowledge(Number number, PacketPosition position);
  /// Records that the sender has given up the lost numbers up to and including this number.
  void mark_given_up(Number number);

  /// Extends a sequence number to 64 bits, so that it never wraps and is above zero. The low bits stay the same.
  /// @param near an extended number less than half the range of sequence numbers away
  [[nodiscard]] static std::uint64_t extend_number(Number number, std::uint64_t near);
  /// Returns the extended number after the highest number so far; 0 if there was no number yet.
  [[nodiscard]] std::uint64_t next_number() const { return next_; }
  /// Returns the first gap that begins at an extended number or after it.
  [[nodiscard]] std::optional<CaptureGap> first_gap(std::uint64_t from) const;
  /// True if a number that was sent before a position is missing from the capture, and was not given up.
  [[nodiscard]] bool has_gap(PacketPosition position) const;
  /// True if a number that was sent after a position, and no later than a time, is missing from the capture.
  [[nodiscard]] bool has_gap(PacketPosition after, std::int64_t until) const;

 private:
  // Sorts by number and by position at the same time, because later gaps have higher numbers.
  struct GapOrder {
    using is_transparent = void;
    bool operator()(const CaptureGap &one, const CaptureGap &other) const { return one.begin < other.begin; }
    bool operator()(const CaptureGap &gap, std::uint64_t extended) const { return gap.begin < extended; }
    bool operator()(std::uint64_t extended, const CaptureGap &gap) const { return extended < gap.begin; }
    bool operator()(PacketPosition position, const CaptureGap &gap) const { return position < gap.found_at; }
  };

  [[nodiscard]] bool is_near_newest(Number number) const;
  void remove_from_gap(std::uint64_t begin, std::uint64_t end);

  std::uint64_t next_ = 0;              // 0: not begun
  std::uint64_t acknowledged_end_ = 0;  // first extended number that is not acknowledged
  std::int64_t newest_time_ = 0;        // when the highest captured number was sent
  std::pmr::set<CaptureGap, GapOrder> gaps_;
};

extern template class SequenceTracker<std::uint16_t>;
extern template class SequenceTracker<std::uint32_t>;

}  // namespace godot_codec
