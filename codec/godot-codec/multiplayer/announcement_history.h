// SPDX-License-Identifier: MIT
/// @file
/// Stores what the peers of a game announced over time, such as which path a path id stands for.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory_resource>

#include "godot-codec/core/history.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/multiplayer/route.h"

namespace godot_codec {

/// Stores the announced values of each key (What), with sender, receiver and position. Entries are added in capture
/// order. Queries may use any position. If the scope of a query has one receiver, only announcements to this receiver
/// count; otherwise announcements to any receiver.
template <typename What, typename Value>
class AnnouncementHistory {
 public:
  explicit AnnouncementHistory(std::pmr::memory_resource *memory) : announcements_(memory) {}

  void add(const MpIdScope &scope, const What &what, PacketPosition position, Value *value) {
    announcements_.record({what, scope.sender, scope.one_receiver()}, position, value);
  }

  /// Returns the newest value announced at or before a position, or null.
  [[nodiscard]] Value *find_newest(const MpIdScope &scope, const What &what, PacketPosition position) const {
    const Change *newest = nullptr;
    for_each_receiver(scope, what, [&](std::int32_t receiver) {
      const Change *found = announcements_.find_last({what, scope.sender, receiver}, position);
      if (found == nullptr) return;
      if (newest == nullptr || newest->key.position < found->key.position) newest = found;
    });
    return newest == nullptr ? nullptr : newest->value;
  }

  /// Returns the first value announced after a position, or null.
  [[nodiscard]] Value *find_next(const MpIdScope &scope, const What &what, PacketPosition position) const {
    const Change *next = nullptr;
    for_each_receiver(scope, what, [&](std::int32_t receiver) {
      const Change *found = announcements_.find_next({what, scope.sender, receiver}, position);
      if (found == nullptr) return;
      if (next == nullptr || found->key.position < next->key.position) next = found;
    });
    return next == nullptr ? nullptr : next->value;
  }

  /// Like find_newest(), but if nothing was announced to the receiver, returns the newest value announced to any
  /// receiver.
  [[nodiscard]] Value *find_newest_or_any(const MpIdScope &scope, const What &what, PacketPosition position) const {
    Value *value = find_newest(scope, what, position);
    return value != nullptr ? value : find_newest({scope.sender, mp_everyone}, what, position);
  }

 private:
  struct Key {
    What what;
    std::int32_t sender;
    std::int32_t receiver;  // mp_everyone: several peers

    auto operator<=>(const Key &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  using Change = typename HistoryMap<Key, Value *>::Change;

  // Calls a function with each receiver of the announcements that count.
  template <typename Visit>
  void for_each_receiver(const MpIdScope &scope, const What &what, Visit visit) const {
    if (scope.has_one_receiver()) return visit(scope.receiver);
    // A peer usually announces the same value to all receivers, so the first receivers are enough.
    constexpr unsigned max_receivers = 64;
    Key key{what, scope.sender, std::numeric_limits<std::int32_t>::min()};
    PacketPosition position = packet_position_zero;
    for (unsigned i = 0; i < max_receivers; ++i) {
      const Change *first = announcements_.find_first_above(key, position);
      if (first == nullptr || first->key.key.what != what || first->key.key.sender != scope.sender) return;
      key = first->key.key;
      position = packet_position_last;
      visit(key.receiver);
    }
  }

  HistoryMap<Key, Value *> announcements_;
};

}  // namespace godot_codec
