// SPDX-License-Identifier: MIT
/// @file
/// Detects datagrams that were captured twice, for example on several interfaces, on a bridge, or in merged files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Maximum time between two captures of one datagram, in nanoseconds. Equal datagrams between the same hosts within
/// this time are duplicates. A retransmission is not a duplicate, because its sent time differs: it counts milliseconds
/// and wraps after 65 seconds. Datagrams without a sent time differ in a sequence number, which wraps after 65536
/// commands.
inline constexpr std::int64_t duplicate_window = nanoseconds_per_second;

/// The newest datagrams of a capture, in a table of fixed size.
class DuplicateWindow {
 public:
  explicit DuplicateWindow(std::pmr::memory_resource *memory) : slots_(memory) {}

  /// Adds a datagram.
  /// @returns the position of its earlier capture; packet 0 if there is none
  /// @param sender a number that identifies one direction between two hosts
  /// @param time capture time in nanoseconds
  PacketPosition add(std::uint64_t sender, Bytes datagram, PacketPosition position, std::int64_t time) {
    if (slots_.empty()) slots_.resize(slot_count);
    const std::uint64_t hash = hash_of(sender, datagram);
    Slot &slot = slots_[hash % slot_count];
    // The packets of merged files are not always in chronological order.
    const std::int64_t apart = slot.time < time ? elapsed(slot.time, time) : elapsed(time, slot.time);
    if (slot.hash == hash && apart <= duplicate_window) return slot.position;
    slot = {hash, time, position};
    return packet_position_zero;
  }

 private:
  static constexpr std::size_t slot_count = 4096;

  // Returns the hash. It is never 0, because 0 marks an unused slot.
  static std::uint64_t hash_of(std::uint64_t sender, Bytes datagram) {
    constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15U;
    // The low bits select the slot, so that the two directions between two hosts have different slots.
    const std::uint64_t key = (std::uint64_t{datagram.reported} << 40) + sender + 1;
    const std::uint64_t hash = std::hash<std::string_view>()(datagram.text()) ^ key * multiplier;
    return hash == 0 ? 1 : hash;
  }

  struct Slot {
    std::uint64_t hash = 0;
    std::int64_t time = 0;
    PacketPosition position;
  };

  std::pmr::vector<Slot> slots_;
};

}  // namespace godot_codec
