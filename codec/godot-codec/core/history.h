// SPDX-License-Identifier: MIT
/// @file
/// A value that changes during a capture, and is queried as of a position.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Stores only the changes, because most values hardly ever change. Before the first change, the value is Value{}.
template <typename Value>
class History {
 public:
  struct Change {
    PacketPosition position;
    Value value;
  };

  History() = default;
  explicit History(std::pmr::memory_resource *memory) : changes_(memory) {}

  /// Records the value from a position on. Must be called in capture order.
  void record(PacketPosition position, const Value &value) {
    if (value != latest()) changes_.push_back({position, value});
  }

  /// Returns the value as of a position, including the change at this position.
  [[nodiscard]] Value at(PacketPosition position) const {
    return last_until([position](const Change &change) { return change.position <= position; });
  }
  /// Returns the value as of a position, without the change at this position.
  [[nodiscard]] Value before(PacketPosition position) const {
    return last_until([position](const Change &change) { return change.position < position; });
  }
  /// Returns the first recorded value.
  [[nodiscard]] Value first() const { return changes_.empty() ? Value{} : changes_.front().value; }
  [[nodiscard]] Value latest() const { return changes_.empty() ? Value{} : changes_.back().value; }

  [[nodiscard]] std::size_t change_count() const { return changes_.size(); }

 private:
  template <typename IsEarlier>
  [[nodiscard]] Value last_until(IsEarlier is_earlier) const {
    const auto later = std::partition_point(changes_.begin(), changes_.end(), is_earlier);
    return later == changes_.begin() ? Value{} : std::prev(later)->value;
  }

  std::pmr::vector<Change> changes_;
};

}  // namespace godot_codec
