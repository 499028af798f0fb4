// SPDX-License-Identifier: MIT
/// @file
/// The dialects that are possible for a conversation or a server, by position in the capture.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/variant/dialect_detection.h"

namespace godot_codec {

/// Stores only the changes, because few conversations have more than two.
class DialectHistory {
 public:
  /// Adds the evidence of a packet. Must be called in capture order.
  void add(PacketPosition position, const DialectDetection &detection);

  /// Returns the dialects that are possible after the packets before a position; empty if none of these was evidence.
  [[nodiscard]] DialectSet before(PacketPosition position) const;
  /// Returns the dialects that are possible after the first packet that was evidence; empty if there is none.
  [[nodiscard]] DialectSet first() const { return changes_.empty() ? DialectSet() : changes_.front().possible; }
  /// Returns the dialects that are possible after all packets.
  [[nodiscard]] DialectSet latest() const { return changes_.empty() ? DialectSet() : changes_.back().possible; }

  [[nodiscard]] std::size_t change_count() const { return changes_.size(); }

 private:
  struct Change {
    PacketPosition position;  // the packet that was the evidence; the change applies to later packets
    DialectSet possible;
  };
  std::vector<Change> changes_;
};

inline void DialectHistory::add(PacketPosition position, const DialectDetection &detection) {
  const DialectSet possible = narrow_dialects(latest(), detection);
  if (!(possible == latest())) changes_.push_back({position, possible});
}

inline DialectSet DialectHistory::before(PacketPosition position) const {
  const auto later = std::partition_point(changes_.begin(), changes_.end(),
                                          [&](const Change &change) { return change.position < position; });
  return later == changes_.begin() ? DialectSet() : std::prev(later)->possible;
}

}  // namespace godot_codec
