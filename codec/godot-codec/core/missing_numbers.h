// SPDX-License-Identifier: MIT
/// @file
/// Finds the transmissions of an end that are missing from the capture, by their sequence numbers (SCTP: TSN).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <set>

#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Tracks the sequence numbers of one end, which increase by one. A retransmission has the original's number.
class MissingNumbers {
 public:
  explicit MissingNumbers(std::pmr::memory_resource *memory) : gaps_(memory) {}

  /// The end announced its first number.
  void begin(std::uint32_t number, std::int64_t time);
  /// A number was captured. If it is farther away than any window allows, the end has restarted its numbers.
  void add(std::uint32_t number, PacketPosition moment, std::int64_t time);
  /// The other end acknowledged all numbers up to this one, captured or not.
  void acknowledge(std::uint32_t number, PacketPosition moment);
  /// The end gave up lost numbers up to this one: it will not retransmit them.
  void give_up(std::uint32_t number);

  /// True if a number sent before a position has not been captured so far, and was not given up.
  [[nodiscard]] bool has_gap(PacketPosition moment) const;
  /// True if a number that was sent after a position, and not later than a time, has not been captured so far.
  [[nodiscard]] bool has_gap(PacketPosition after, std::int64_t until) const;

 private:
  struct Gap {
    std::uint64_t begin;
    std::uint64_t end;
    PacketPosition passed_over;  // position at which a later number was captured, or the number was acknowledged
    std::int64_t time_before;    // time of the last captured number before the gap
  };
  // Gaps do not overlap, and later gaps have higher numbers.
  struct InOrder {
    using is_transparent = void;
    bool operator()(const Gap &one, const Gap &other) const { return one.begin < other.begin; }
    bool operator()(const Gap &gap, std::uint64_t number) const { return gap.begin < number; }
    bool operator()(std::uint64_t number, const Gap &gap) const { return number < gap.begin; }
    bool operator()(PacketPosition moment, const Gap &gap) const { return moment < gap.passed_over; }
  };

  [[nodiscard]] bool is_near(std::uint32_t number) const;
  [[nodiscard]] std::uint64_t place_of(std::uint32_t number) const;
  void fill(std::uint64_t begin, std::uint64_t end);

  std::uint64_t next_ = 0;          // the low 32 bits are the transport's number; 0: not started
  std::uint64_t acknowledged_ = 0;  // first number that is not acknowledged
  std::int64_t time_ = 0;           // time of the last captured number
  std::pmr::set<Gap, InOrder> gaps_;
};

}  // namespace godot_codec
