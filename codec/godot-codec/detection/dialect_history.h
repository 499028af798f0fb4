// SPDX-License-Identifier: MIT
/// @file
/// Which dialects the packets of one conversation, or of one server, have left possible, and since when.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/variant/detect.h"

namespace godot_codec {

/// Grows with the changes, not with the packets: hardly any conversation has more than one or two.
class DialectHistory {
 public:
  /// A packet has been read. To be called in the order of the moments.
  void add(PacketPosition moment, const Detection &detection);

  /// The dialects that the packets before a moment have left possible; empty where they say nothing.
  [[nodiscard]] DialectSet before(PacketPosition moment) const;
  /// The dialects that were known first; empty where nothing is known yet.
  [[nodiscard]] DialectSet first() const { return changes_.empty() ? DialectSet() : changes_.front().known; }
  /// The dialects that all packets have left possible.
  [[nodiscard]] DialectSet latest() const { return changes_.empty() ? DialectSet() : changes_.back().known; }

  [[nodiscard]] std::size_t changes() const { return changes_.size(); }

 private:
  struct Change {
    PacketPosition moment;  // moment of the packet that said so: it holds for those after it
    DialectSet known;
  };
  std::vector<Change> changes_;
};

inline void DialectHistory::add(PacketPosition moment, const Detection &detection) {
  const DialectSet known = add_evidence(latest(), detection);
  if (!(known == latest())) changes_.push_back({moment, known});
}

inline DialectSet DialectHistory::before(PacketPosition moment) const {
  const auto later = std::partition_point(changes_.begin(), changes_.end(),
                                          [&](const Change &change) { return change.moment < moment; });
  return later == changes_.begin() ? DialectSet() : std::prev(later)->known;
}

}  // namespace godot_codec
