// SPDX-License-Identifier: MIT
/// @file
/// When messages are delivered to the receiver's engine. The order of the capture is not the order of delivery: a
/// message may be captured only when it is retransmitted, take another route, or not be in the capture at all.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory_resource>

#include "godot-codec/core/message.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sequence_tracker.h"
#include "godot-codec/core/sorted_map.h"

namespace godot_codec {

/// When a message is delivered to the receiver's engine.
struct MpArrival {
  PacketPosition sent;       ///< no message that was sent later was captured before this position
  PacketPosition delivered;  ///< when all earlier messages of the channel had been captured; unless is_waiting
  bool is_waiting = false;   ///< an earlier message is not in the capture, as far as is known
};

/// What each end has transmitted, by a number that counts all its transmissions.
using MpTransmissions = std::array<SequenceTracker<std::uint32_t>, 2>;

/// Follows the reliable channels of one connection. To be given each message with a SequenceRange, in the order of the
/// capture. All answers look ahead, to all that was given so far. Messages in order take no memory.
class MpDeliveryTracker {
 public:
  /// @param transmissions null if the transport does not count them
  explicit MpDeliveryTracker(std::pmr::memory_resource *memory, const MpTransmissions *transmissions = nullptr)
      : transmissions_(transmissions),
        memory_(memory),
        channels_(memory),
        advances_(memory),
        late_(memory),
        truncated_(memory) {}

  /// Adds a message if it is the next one of its channel.
  /// @returns false if it is not: then add() has to be called
  bool add_in_order(const Message &message);
  /// @param is_from_start the connection began in the capture
  void add(const Message &message, bool is_from_start);
  /// Adds a message that the receiver got as a whole, and of which only a part is in the capture.
  void add_truncated(unsigned end, PacketPosition position, std::int64_t time) { truncated_[{end, position}] = time; }

  /// Takes at most as many steps as messages were missing before this one.
  [[nodiscard]] MpArrival arrival(const Message &message) const;
  /// True if something that either end sent before a position may have been delivered without being captured.
  [[nodiscard]] bool has_capture_gap(PacketPosition position) const;
  /// True if something that an end sent after a position, and no later than a time, may have been delivered without
  /// being captured.
  [[nodiscard]] bool has_capture_gap(unsigned end, PacketPosition after, std::int64_t until) const;

 private:
  struct Channel {
    explicit Channel(std::pmr::memory_resource *memory) : numbers(memory) {}

    /// Returns the gap that messages wait for.
    [[nodiscard]] std::optional<CaptureGap> awaited() const { return numbers.first_gap(passed); }

    SequenceTracker<std::uint16_t> numbers;
    std::uint64_t passed = 0;  // gaps below it are not waited for any more
    std::int64_t waiting_since = 0;
  };
  struct AdvanceKey {
    std::uint32_t channel;
    PacketPosition position;

    auto operator<=>(const AdvanceKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  // The numbers that are delivered when a message is captured for which others waited.
  struct Advance {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    PacketPosition waiting_since;
  };
  struct Nothing {};
  struct TruncatedKey {
    unsigned end;
    PacketPosition position;

    auto operator<=>(const TruncatedKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };

  template <typename Is>
  [[nodiscard]] bool is_any_channel(unsigned end, Is is_wanted) const;

  const MpTransmissions *transmissions_;
  std::pmr::memory_resource *memory_;
  SortedMap<std::uint32_t, Channel *> channels_;
  SortedMap<AdvanceKey, Advance> advances_;
  SortedMap<PacketPosition, Nothing> late_;          // messages that were not waited for any more
  SortedMap<TruncatedKey, std::int64_t> truncated_;  // times
};

}  // namespace godot_codec
