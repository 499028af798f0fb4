// SPDX-License-Identifier: MIT
#include "godot-codec/detection/dialect_history.h"

#include <algorithm>

namespace godot_codec {

void DialectHistory::add(PacketPosition moment, const Detection &detection) {
  const DialectSet known = add_evidence(latest(), detection);
  if (!(known == latest())) changes_.push_back({moment, known});
}

DialectSet DialectHistory::before(PacketPosition moment) const {
  const auto later = std::partition_point(changes_.begin(), changes_.end(),
                                          [&](const Change &change) { return change.moment < moment; });
  return later == changes_.begin() ? DialectSet() : std::prev(later)->known;
}

}  // namespace godot_codec
