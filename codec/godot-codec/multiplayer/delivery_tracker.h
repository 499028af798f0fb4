// SPDX-License-Identifier: MIT
/// @file
/// Finds out when messages are delivered to the receiver's engine. The capture order can differ from the delivery
/// order: the capture may contain only the retransmission of a message, lack a message, or show another network path.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>

#include "godot-codec/core/message.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sequence_tracker.h"
#include "godot-codec/core/sorted_map.h"

namespace godot_codec {

/// When a message is delivered to the receiver's engine.
struct MpDeliveryState {
  PacketPosition sent;          ///< every message that was sent later is captured after this position
  PacketPosition delivered_at;  ///< position at which all earlier messages of the channel are captured; unset if
                                ///< is_waiting
  bool is_waiting = false;      ///< true if an earlier message is not in the capture so far
};

/// For each side: tracks which transmissions were captured, by a sequence number that counts all transmissions of the
/// side.
using MpTransmissionTrackers = std::array<SequenceTracker<std::uint32_t>, 2>;

/// Tracks the delivery of messages on the reliable channels of one connection. Messages with a SequenceRange must be
/// added in capture order. Later packets may change all results. Messages in order take no memory.
class MpDeliveryTracker {
 public:
  /// @param transmissions null if the transport does not count its transmissions
  explicit MpDeliveryTracker(std::pmr::memory_resource *memory, const MpTransmissionTrackers *transmissions = nullptr)
      : transmission_trackers_(transmissions),
        memory_(memory),
        channels_(memory),
        late_messages_(memory),
        truncated_messages_{Times(memory), Times(memory)} {}

  /// Adds a message if it is the next message of its channel.
  /// @returns false if the message is not the next message: then call add()
  bool add_in_order(const Message &message);
  /// Adds a message that may be anywhere in the sequence of its channel.
  /// @param is_from_start true if the capture contains the start of the connection
  void add(const Message &message, bool is_from_start);
  /// Adds a message that the receiver got completely, although the capture contains only a part of the message.
  void add_truncated(unsigned end, PacketPosition position, std::int64_t time) {
    truncated_messages_[end][position] = time;
  }

  /// Returns when a message is delivered. The search takes at most one step per message that was missing before this
  /// message.
  [[nodiscard]] MpDeliveryState arrival(const Message &message) const;
  /// True if an uncaptured message from either side may have been delivered. Only messages sent before a position
  /// count.
  [[nodiscard]] bool has_capture_gap(PacketPosition position) const;
  /// True if an uncaptured message from a side may have been delivered. Only messages after position @p after, and not
  /// later than time @p until, count.
  [[nodiscard]] bool has_capture_gap(unsigned end, PacketPosition after, std::int64_t until) const;

 private:
  // A range of sequence numbers that is delivered at once, when a captured message fills the gap before the range.
  struct Advance {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    PacketPosition waiting_since;
  };
  struct Channel {
    explicit Channel(std::pmr::memory_resource *memory) : numbers(memory), advances(memory) {}

    /// Returns the gap that later messages wait for.
    [[nodiscard]] std::optional<CaptureGap> awaited() const { return numbers.first_gap(skipped_below); }

    SequenceTracker<std::uint16_t> numbers;
    SortedMap<PacketPosition, Advance> advances;
    std::uint64_t skipped_below = 0;  // messages do not wait for gaps below this sequence number
    std::int64_t waiting_since = 0;
  };
  struct Nothing {};
  using Times = SortedMap<PacketPosition, std::int64_t>;

  template <typename Is>
  [[nodiscard]] bool has_channel_where(unsigned end, Is is_wanted) const;

  const MpTransmissionTrackers *transmission_trackers_;
  std::pmr::memory_resource *memory_;
  SortedMap<std::uint32_t, Channel *> channels_;
  SortedMap<PacketPosition, Nothing>
      late_messages_;            // messages captured after later messages had stopped waiting for them
  Times truncated_messages_[2];  // by side; capture times
};

}  // namespace godot_codec
