// SPDX-License-Identifier: MIT
/// @file
/// Datagrams that were captured twice: on several interfaces at once, on a bridge, in files that were merged.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Equal bytes between the same ends, no farther apart than this, are one datagram, captured twice. ENet repeats a
/// command with another sent time (milliseconds, which wrap after 65 seconds); a datagram without one carries numbers
/// that rise each time (and wrap after 65536).
inline constexpr std::int64_t duplicate_window = nanoseconds_per_second;

/// The latest datagrams of a capture, as many as fit into a table of fixed size.
class DuplicateWindow {
 public:
  explicit DuplicateWindow(std::pmr::memory_resource *memory) : seen_(memory) {}

  /// Where a datagram was seen before, shortly; packet 0: nowhere.
  /// @param sender a number for one direction between two ends, and for nothing else
  /// @param time the capture's time, in nanoseconds
  PacketPosition add(std::uint64_t sender, Bytes datagram, PacketPosition moment, std::int64_t time);

 private:
  struct Seen {
    std::uint64_t hash = 0;
    std::int64_t time = 0;
    PacketPosition moment;
  };

  std::pmr::vector<Seen> seen_;
};

}  // namespace godot_codec
