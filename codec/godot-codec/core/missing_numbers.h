// SPDX-License-Identifier: MIT
/// @file
/// Tells what a capture lacks of what an end has sent, by the numbers that count its transmissions (SCTP: TSN).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <set>

#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Follows the numbers of one end, which rise by one. A retransmission has the number of the original.
class MissingNumbers {
 public:
  explicit MissingNumbers(std::pmr::memory_resource *memory) : gaps_(memory) {}

  /// The end has told its first number.
  void begin(std::uint32_t number, std::int64_t time);
  /// A number was captured. If it is farther away than any window, the end has begun to count anew.
  void add(std::uint32_t number, PacketPosition moment, std::int64_t time);
  /// The other end acknowledges all numbers up to this one, captured or not.
  void acknowledge(std::uint32_t number, PacketPosition moment);
  /// The end gives up what was lost, up to a number.
  void give_up(std::uint32_t number);

  /// True if a number that was sent before a moment was never captured, as far as is known by now, and not given up.
  [[nodiscard]] bool has_gap(PacketPosition moment) const;
  /// True if one was sent after a moment, and no later than a time.
  [[nodiscard]] bool has_gap(PacketPosition after, std::int64_t until) const;

 private:
  struct Gap {
    std::uint64_t begin;
    std::uint64_t end;
    PacketPosition passed_over;  // when a later number was captured, or the number acknowledged
    std::int64_t time_before;    // when the last captured number before the gap was sent
  };
  // Later gaps have higher numbers.
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

  std::uint64_t next_ = 0;          // its low 32 bits are the carrier's; 0: not begun
  std::uint64_t acknowledged_ = 0;  // the first number that is not acknowledged
  std::int64_t time_ = 0;           // when the last one that was captured was sent
  std::pmr::set<Gap, InOrder> gaps_;
};

}  // namespace godot_codec
