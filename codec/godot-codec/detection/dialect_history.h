// SPDX-License-Identifier: MIT
/// @file
/// The dialects that are possible for a conversation or a server, by position in the capture.
#pragma once

#include <cstddef>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/variant/dialect_detection.h"

namespace godot_codec {

/// Stores only the changes of the possible dialects, because few conversations have more than two changes.
class DialectHistory {
 public:
  /// Adds the evidence of a packet. Must be called in capture order.
  void add(PacketPosition position, const DialectDetection &detection);

  /// Returns the dialects that are possible by the evidence before a position; empty without evidence.
  [[nodiscard]] DialectSet before(PacketPosition position) const;
  /// Returns the dialects that are possible by the evidence of the first packet that has any; empty without evidence.
  [[nodiscard]] DialectSet first() const { return changes_.empty() ? DialectSet() : changes_.front().possible; }
  /// Returns the dialects that are possible after all packets.
  [[nodiscard]] DialectSet latest() const { return changes_.empty() ? DialectSet() : changes_.back().possible; }

  [[nodiscard]] std::size_t change_count() const { return changes_.size(); }

 private:
  struct Change {
    PacketPosition position;  // the packet with the evidence; the change applies to later packets
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
