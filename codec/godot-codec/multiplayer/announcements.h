// SPDX-License-Identifier: MIT
/// @file
/// Stores what the peers of a game announced over time, such as which path a path id stands for.
#pragma once

#include <cstdint>
#include <limits>
#include <memory_resource>
#include <optional>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/route.h"

namespace godot_codec {

/// Stores the announced values of each key (What), with sender, receiver and position. Entries are added in capture
/// order. Queries may use any position.
///
/// On most connections, a sender announces everything to one receiver. Then each announcement is stored once. When a
/// sender announces to a second receiver, its later announcements are also stored once per receiver.
template <typename What, typename Value>
class Announcements {
 public:
  struct Announcement {
    PacketPosition position;
    Value value;
  };

  explicit Announcements(std::pmr::memory_resource *memory) : senders_(memory), to_all_(memory), to_each_(memory) {}

  /// @param receiver the receiver; nullopt if several peers receive the announcement
  void add(std::int32_t sender, std::optional<std::int32_t> receiver, const What &what, PacketPosition position,
           const Value &value) {
    Sender &of_sender = senders_[sender];
    if (!of_sender.has_announced) of_sender = {true, receiver, never};
    if (of_sender.receiver != receiver) of_sender.until = std::min(of_sender.until, position);
    to_all_[{what, sender, position}] = value;
    if (receiver && of_sender.until <= position) to_each_[{what, sender, *receiver, position}] = value;
  }

  /// Returns the newest announcement at or before a position, to any receiver.
  [[nodiscard]] std::optional<Announcement> newest(std::int32_t sender, const What &what,
                                                   PacketPosition position) const {
    const auto *entry = to_all_.last_until({what, sender, position});
    if (entry == nullptr || entry->key.what != what || entry->key.sender != sender) return std::nullopt;
    return Announcement{entry->key.position, entry->value};
  }

  /// Returns the first announcement after a position, to any receiver.
  [[nodiscard]] std::optional<Announcement> next(std::int32_t sender, const What &what, PacketPosition position) const {
    const auto *entry = to_all_.first_above({what, sender, position});
    if (entry == nullptr || entry->key.what != what || entry->key.sender != sender) return std::nullopt;
    return Announcement{entry->key.position, entry->value};
  }

  /// Returns the newest announcement at or before a position, to one receiver.
  [[nodiscard]] std::optional<Announcement> newest(std::int32_t sender, std::int32_t receiver, const What &what,
                                                   PacketPosition position) const {
    const auto *entry = to_each_.last_until({what, sender, receiver, position});
    if (entry != nullptr && entry->key.is_same(what, sender, receiver))
      return Announcement{entry->key.position, entry->value};
    const auto *of_sender = senders_.find(sender);
    if (of_sender == nullptr || of_sender->value.receiver != receiver) return std::nullopt;
    const PacketPosition until = of_sender->value.until;
    return newest(sender, what, position < until ? position : before(until));
  }

  /// Returns the first announcement after a position, to one receiver.
  [[nodiscard]] std::optional<Announcement> next(std::int32_t sender, std::int32_t receiver, const What &what,
                                                 PacketPosition position) const {
    const auto *of_sender = senders_.find(sender);
    if (of_sender != nullptr && of_sender->value.receiver == receiver) {
      const std::optional<Announcement> announcement = next(sender, what, position);
      if (announcement && announcement->position < of_sender->value.until) return announcement;
    }
    const auto *entry = to_each_.first_above({what, sender, receiver, position});
    if (entry == nullptr || !entry->key.is_same(what, sender, receiver)) return std::nullopt;
    return Announcement{entry->key.position, entry->value};
  }

 private:
  static constexpr PacketPosition never{std::numeric_limits<std::uint32_t>::max(),
                                        std::numeric_limits<std::uint32_t>::max()};

  // A sender. All its announcements before the position `until` had the same receiver.
  struct Sender {
    bool has_announced = false;
    std::optional<std::int32_t> receiver;
    PacketPosition until;
  };
  struct KeyToAll {
    What what;
    std::int32_t sender;
    PacketPosition position;

    auto operator<=>(const KeyToAll &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  struct KeyToEach {
    What what;
    std::int32_t sender;
    std::int32_t receiver;
    PacketPosition position;

    auto operator<=>(const KeyToEach &) const = default;  // NOLINT(modernize-use-nullptr): not ours
    [[nodiscard]] bool is_same(const What &a_what, std::int32_t a_sender, std::int32_t a_receiver) const {
      return what == a_what && sender == a_sender && receiver == a_receiver;
    }
  };

  static PacketPosition before(PacketPosition position) {
    return position.message > 0 ? PacketPosition{position.packet, position.message - 1}
                                : PacketPosition{position.packet - 1, std::numeric_limits<std::uint32_t>::max()};
  }

  SortedMap<std::int32_t, Sender> senders_;
  SortedMap<KeyToAll, Value> to_all_;
  SortedMap<KeyToEach, Value> to_each_;
};

/// Returns the newest value announced at or before a position; null if there is no such announcement. If the message
/// has one receiver, only announcements to this receiver count.
template <typename What, typename Value>
[[nodiscard]] Value *newest_for(const Announcements<What, Value *> &announcements, const MpIdScope &scope, What what,
                                PacketPosition position) {
  const auto announcement = scope.has_one_receiver()
                                ? announcements.newest(scope.sender, scope.receiver, what, position)
                                : announcements.newest(scope.sender, what, position);
  return announcement ? announcement->value : nullptr;
}

/// Like newest_for(), but if nothing was announced to the receiver, returns the newest value announced to any receiver.
template <typename What, typename Value>
[[nodiscard]] Value *newest_for_or_any(const Announcements<What, Value *> &announcements, const MpIdScope &scope,
                                       What what, PacketPosition position) {
  Value *value = newest_for(announcements, scope, what, position);
  return value != nullptr ? value : newest_for(announcements, {scope.sender, mp_everyone}, what, position);
}

}  // namespace godot_codec
