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
class AnnouncementHistory {
 public:
  struct Announcement {
    PacketPosition position;
    Value value;
  };

  explicit AnnouncementHistory(std::pmr::memory_resource *memory)
      : senders_(memory), by_sender_(memory), by_receiver_(memory) {}

  /// @param receiver the receiver; nullopt if several peers receive the announcement
  void add(std::int32_t sender, std::optional<std::int32_t> receiver, const What &what, PacketPosition position,
           const Value &value) {
    Sender &of_sender = senders_[sender];
    if (!of_sender.has_announced) of_sender = {true, receiver, never};
    if (of_sender.receiver != receiver) of_sender.until = std::min(of_sender.until, position);
    by_sender_[{what, sender, position}] = value;
    if (receiver && of_sender.until <= position) by_receiver_[{what, sender, *receiver, position}] = value;
  }

  /// Returns the newest announcement at or before a position, to any receiver.
  [[nodiscard]] std::optional<Announcement> find_newest(std::int32_t sender, const What &what,
                                                        PacketPosition position) const {
    const auto *entry = by_sender_.find_last_until({what, sender, position});
    if (entry == nullptr || entry->key.what != what || entry->key.sender != sender) return std::nullopt;
    return Announcement{entry->key.position, entry->value};
  }

  /// Returns the first announcement after a position, to any receiver.
  [[nodiscard]] std::optional<Announcement> find_next(std::int32_t sender, const What &what,
                                                      PacketPosition position) const {
    const auto *entry = by_sender_.find_first_above({what, sender, position});
    if (entry == nullptr || entry->key.what != what || entry->key.sender != sender) return std::nullopt;
    return Announcement{entry->key.position, entry->value};
  }

  /// Returns the newest announcement at or before a position, to one receiver.
  [[nodiscard]] std::optional<Announcement> find_newest(std::int32_t sender, std::int32_t receiver, const What &what,
                                                        PacketPosition position) const {
    const auto *entry = by_receiver_.find_last_until({what, sender, receiver, position});
    if (entry != nullptr && entry->key.matches(what, sender, receiver))
      return Announcement{entry->key.position, entry->value};
    const auto *of_sender = senders_.find(sender);
    if (of_sender == nullptr || of_sender->value.receiver != receiver) return std::nullopt;
    const PacketPosition until = of_sender->value.until;
    return find_newest(sender, what, position < until ? position : position_before(until));
  }

  /// Returns the first announcement after a position, to one receiver.
  [[nodiscard]] std::optional<Announcement> find_next(std::int32_t sender, std::int32_t receiver, const What &what,
                                                      PacketPosition position) const {
    const auto *of_sender = senders_.find(sender);
    if (of_sender != nullptr && of_sender->value.receiver == receiver) {
      const std::optional<Announcement> announcement = find_next(sender, what, position);
      if (announcement && announcement->position < of_sender->value.until) return announcement;
    }
    const auto *entry = by_receiver_.find_first_above({what, sender, receiver, position});
    if (entry == nullptr || !entry->key.matches(what, sender, receiver)) return std::nullopt;
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
  struct SenderKey {
    What what;
    std::int32_t sender;
    PacketPosition position;

    auto operator<=>(const SenderKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  struct ReceiverKey {
    What what;
    std::int32_t sender;
    std::int32_t receiver;
    PacketPosition position;

    auto operator<=>(const ReceiverKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
    [[nodiscard]] bool matches(const What &a_what, std::int32_t a_sender, std::int32_t a_receiver) const {
      return what == a_what && sender == a_sender && receiver == a_receiver;
    }
  };

  static PacketPosition position_before(PacketPosition position) {
    return position.message > 0 ? PacketPosition{position.packet, position.message - 1}
                                : PacketPosition{position.packet - 1, std::numeric_limits<std::uint32_t>::max()};
  }

  SortedMap<std::int32_t, Sender> senders_;
  SortedMap<SenderKey, Value> by_sender_;
  SortedMap<ReceiverKey, Value> by_receiver_;
};

/// Returns the newest value announced at or before a position; null if there is no such announcement. If the message
/// has one receiver, only announcements to this receiver count.
template <typename What, typename Value>
[[nodiscard]] Value *find_newest_for(const AnnouncementHistory<What, Value *> &announcements, const MpIdScope &scope,
                                     What what, PacketPosition position) {
  const auto announcement = scope.has_one_receiver()
                                ? announcements.find_newest(scope.sender, scope.receiver, what, position)
                                : announcements.find_newest(scope.sender, what, position);
  return announcement ? announcement->value : nullptr;
}

/// Like find_newest_for(), but if nothing was announced to the receiver, returns the newest value announced to any
/// receiver.
template <typename What, typename Value>
[[nodiscard]] Value *find_newest_for_or_any(const AnnouncementHistory<What, Value *> &announcements,
                                            const MpIdScope &scope, What what, PacketPosition position) {
  Value *value = find_newest_for(announcements, scope, what, position);
  return value != nullptr ? value : find_newest_for(announcements, {scope.sender, mp_everyone}, what, position);
}

}  // namespace godot_codec
