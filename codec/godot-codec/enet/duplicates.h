// SPDX-License-Identifier: MIT
/// @file
/// Detects datagrams that were captured twice: on several interfaces, on a bridge, or in merged files.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Maximum time between two captures of one datagram, in nanoseconds. Equal datagrams between the same ends within this
/// time are duplicates. A retransmission differs in its sent time (in milliseconds, wraps after 65 seconds). A datagram
/// without a sent time contains numbers that always increase (wrap after 65536).
inline constexpr std::int64_t duplicate_window = nanoseconds_per_second;

/// The newest datagrams of a capture, in a table of fixed size.
class DuplicateWindow {
 public:
  explicit DuplicateWindow(std::pmr::memory_resource *memory) : seen_(memory) {}

  /// Adds a datagram. @returns the position of its earlier capture; packet 0 if there is none
  /// @param sender a number that identifies one direction between two ends
  /// @param time capture time in nanoseconds
  PacketPosition add(std::uint64_t sender, Bytes datagram, PacketPosition position, std::int64_t time);

 private:
  struct Seen {
    std::uint64_t hash = 0;
    std::int64_t time = 0;
    PacketPosition position;
  };

  std::pmr::vector<Seen> seen_;
};

}  // namespace godot_codec
