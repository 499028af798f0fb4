// SPDX-License-Identifier: MIT
/// @file
/// When messages get to their receiver's engine. The capture shows them in the order in which they came by: some were
/// sent again after others that wait for them, some came by another way, some were not captured at all.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory_resource>

#include "godot-codec/core/message.h"
#include "godot-codec/core/missing_numbers.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"

namespace godot_codec {

/// When a message gets to its receiver's engine.
struct MpArrival {
  PacketPosition sent;       ///< no message that was sent later was captured before this moment
  PacketPosition delivered;  ///< when all that was sent earlier on its line had been captured; unless is_waiting
  bool is_waiting = false;   ///< something sent earlier was never captured, as far as is known by now
};

/// Tells what the capture lacks of what each end has sent, whichever of them is the server.
using MpMissing = std::array<MissingNumbers, 2>;

/// Follows the lines of one connection. Must be told of each message with a turn, in the order of the capture. All
/// answers look ahead: they rest on all that was learned, later packets included. Messages in order take no memory.
class MpAccount {
 public:
  /// @param missing what the carrier knows to be lacking; null: it does not say
  explicit MpAccount(std::pmr::memory_resource *memory, const MpMissing *missing = nullptr)
      : missing_(missing), lines_(memory), early_(memory), arrivals_(memory), lost_(memory) {}

  /// Learns a message if it is the next one of its line.
  /// @returns false if it is not: then learn() has to be called
  bool learn_in_order(unsigned end, const SequenceRange &turn, std::int64_t time);
  /// @param is_from_start the connection began in the capture
  void learn(unsigned end, const SequenceRange &turn, PacketPosition moment, std::int64_t time, bool is_from_start);
  /// A message of which the capture has a part only, though its receiver has all of it.
  void learn_cut(unsigned end, PacketPosition moment, std::int64_t time);

  [[nodiscard]] MpArrival arrival(PacketPosition moment) const;
  /// True if something that either side sent before a moment may have been delivered without being captured.
  [[nodiscard]] bool has_hole(PacketPosition moment) const;
  /// True if something that a side sent after a moment, and no later than a time, may have been delivered without being
  /// captured.
  [[nodiscard]] bool has_hole(unsigned end, PacketPosition after, std::int64_t until) const;

 private:
  struct Line {
    std::uint64_t next = 0;        // number that is waited for; its low 16 bits are the carrier's
    std::int64_t passed_time = 0;  // time of the last message that came in order
    std::uint32_t early = 0;       // messages that wait
    PacketPosition early_since;    // the first of them
    std::int64_t waiting_since = 0;
  };
  struct EarlyKey {
    std::uint32_t line;
    std::uint64_t number;

    auto operator<=>(const EarlyKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  struct Early {
    PacketPosition moment;
    std::uint32_t count = 0;
  };
  struct LostKey {
    unsigned end;
    PacketPosition passed_over;  // when a later message showed that something is missing

    auto operator<=>(const LostKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };

  static std::uint32_t key_of(unsigned end, std::uint16_t line);
  void pass_early(std::uint32_t key, Line &line, PacketPosition moment, std::int64_t time);
  template <typename Is>
  [[nodiscard]] bool has_open_hole(unsigned end, Is is_wanted) const;
  void give_up(std::uint32_t key, Line &line, PacketPosition moment, std::int64_t time);

  const MpMissing *missing_;
  SortedMap<std::uint32_t, Line> lines_;
  SortedMap<EarlyKey, Early> early_;               // all that came too early, ever
  SortedMap<PacketPosition, MpArrival> arrivals_;  // arrivals of messages that did not come in order
  SortedMap<LostKey, std::int64_t> lost_;          // the time of the message before it, or of one that was cut
};

}  // namespace godot_codec
