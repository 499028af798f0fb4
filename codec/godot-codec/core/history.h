// SPDX-License-Identifier: MIT
/// @file
/// Values that change during a capture, and are queried as of a position.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"

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

/// The histories of many values, each of which has a key. Records never disappear, because all memory is taken from the
/// resource and freed with it.
template <typename Key, typename Value>
class HistoryMap {
 public:
  struct KeyAtPosition {
    Key key;
    PacketPosition position;

    auto operator<=>(const KeyAtPosition &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  using Change = typename SortedMap<KeyAtPosition, Value>::Entry;

  explicit HistoryMap(std::pmr::memory_resource *memory) : changes_(memory) {}

  /// Records the value of a key from a position on, if it differs from the value before.
  void record(const Key &key, PacketPosition position, const Value &value) {
    const Change *last = find_last(key, position);
    if (last == nullptr || last->value != value) changes_[{key, position}] = value;
  }

  /// Returns the last change of a value at or before a position, or null.
  [[nodiscard]] const Change *find_last(const Key &key, PacketPosition position) const {
    const Change *last = changes_.find_last_until({key, position});
    return last != nullptr && last->key.key == key ? last : nullptr;
  }
  /// Returns the first change of a value after a position, or null.
  [[nodiscard]] const Change *find_next(const Key &key, PacketPosition position) const {
    const Change *next = find_first_above(key, position);
    return next != nullptr && next->key.key == key ? next : nullptr;
  }
  /// Like find_next(). If there is no such change, returns the first change of the next key.
  [[nodiscard]] const Change *find_first_above(const Key &key, PacketPosition position) const {
    return changes_.find_first_above({key, position});
  }

 private:
  SortedMap<KeyAtPosition, Value> changes_;
};

}  // namespace godot_codec
