// SPDX-License-Identifier: MIT
/// @file
/// Finds out when messages are delivered to the receiver's engine. The order of the capture is not the order of
/// delivery. A message may be captured only when it is retransmitted, take another route, or be missing from the
/// capture.
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
  PacketPosition delivered;  ///< when all earlier messages of the channel had been captured; not if is_waiting
  bool is_waiting = false;   ///< true if an earlier message is not in the capture, as far as is known
};

/// For each end: which of its transmissions are in the capture, by a number that counts all of them.
using MpTransmissions = std::array<SequenceTracker<std::uint32_t>, 2>;

/// Tracks the delivery of messages on the reliable channels of one connection. Messages with a SequenceRange must be
/// added in capture order. All answers look ahead to everything added so far. Messages in order take no memory.
class MpDeliveryTracker {
 public:
  /// @param transmissions null if the transport does not count its transmissions
  explicit MpDeliveryTracker(std::pmr::memory_resource *memory, const MpTransmissions *transmissions = nullptr)
      : transmissions_(transmissions),
        memory_(memory),
        channels_(memory),
        advances_(memory),
        late_(memory),
        truncated_(memory) {}

  /// Adds a message if it is the next message of its channel.
  /// @returns false if it is not: then call add()
  bool add_in_order(const Message &message);
  /// Adds a message at any position of its channel.
  /// @param is_from_start true if the connection began in the capture
  void add(const Message &message, bool is_from_start);
  /// Adds a message that the receiver got completely although the capture contains only a part of it.
  void add_truncated(unsigned end, PacketPosition position, std::int64_t time) { truncated_[{end, position}] = time; }

  /// Returns when a message is delivered. The number of steps is at most the number of messages that were missing
  /// before it.
  [[nodiscard]] MpArrival arrival(const Message &message) const;
  /// True if a message that either end sent before a position may have been delivered without being captured.
  [[nodiscard]] bool has_capture_gap(PacketPosition position) const;
  /// True if a message of an end may have been delivered without being captured. Only messages after a position, and
  /// not later than a time, count.
  [[nodiscard]] bool has_capture_gap(unsigned end, PacketPosition after, std::int64_t until) const;

 private:
  struct Channel {
    explicit Channel(std::pmr::memory_resource *memory) : numbers(memory) {}

    /// Returns the gap that later messages wait for.
    [[nodiscard]] std::optional<CaptureGap> awaited() const { return numbers.first_gap(passed); }

    SequenceTracker<std::uint16_t> numbers;
    std::uint64_t passed = 0;  // messages no longer wait for gaps below this number
    std::int64_t waiting_since = 0;
  };
  struct AdvanceKey {
    std::uint32_t channel;
    PacketPosition position;

    auto operator<=>(const AdvanceKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  // The range of numbers that is delivered at once, when a captured message fills the gap that they waited for.
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
  SortedMap<PacketPosition, Nothing> late_;  // positions of messages that arrived when others no longer waited for them
  SortedMap<TruncatedKey, std::int64_t> truncated_;  // value: capture time
};

}  // namespace godot_codec
