// SPDX-License-Identifier: MIT
/// @file
/// What peers of a game announced to each other about a number or a text, over time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory_resource>
#include <optional>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/route.h"

namespace godot_codec {

/// Records, for each key (What), the values that peers announced: sender, receiver, position and value. Entries are
/// added in capture order. Queries take any position.
///
/// On most connections, a sender announces everything to one receiver. Each announcement is then stored once. From the
/// first announcement to a second receiver on, each announcement is also stored once per receiver.
template <typename What, typename Value>
class Announcements {
 public:
  struct Telling {
    PacketPosition moment;
    Value value;
  };

  explicit Announcements(std::pmr::memory_resource *memory) : owners_(memory), to_all_(memory), to_each_(memory) {}

  /// @param listener the receiver; nullopt if several peers receive the announcement
  void add(std::int32_t owner, std::optional<std::int32_t> listener, const What &what, PacketPosition moment,
           const Value &value) {
    Owner &of_owner = owners_[owner];
    if (!of_owner.has_told) of_owner = {true, listener, never};
    if (of_owner.listener != listener) of_owner.until = std::min(of_owner.until, moment);
    to_all_[{what, owner, moment}] = value;
    if (listener && of_owner.until <= moment) to_each_[{what, owner, *listener, moment}] = value;
  }

  /// Returns the newest announcement up to a position, to any receiver.
  [[nodiscard]] std::optional<Telling> newest(std::int32_t owner, const What &what, PacketPosition moment) const {
    const auto *entry = to_all_.last_until({what, owner, moment});
    if (entry == nullptr || entry->key.what != what || entry->key.owner != owner) return std::nullopt;
    return Telling{entry->key.moment, entry->value};
  }

  /// Returns the earliest announcement after a position, to any receiver.
  [[nodiscard]] std::optional<Telling> next(std::int32_t owner, const What &what, PacketPosition moment) const {
    const auto *entry = to_all_.first_above({what, owner, moment});
    if (entry == nullptr || entry->key.what != what || entry->key.owner != owner) return std::nullopt;
    return Telling{entry->key.moment, entry->value};
  }

  /// Returns the newest announcement up to a position, to one receiver.
  [[nodiscard]] std::optional<Telling> newest(std::int32_t owner, std::int32_t listener, const What &what,
                                              PacketPosition moment) const {
    const auto *entry = to_each_.last_until({what, owner, listener, moment});
    if (entry != nullptr && entry->key.is_same(what, owner, listener)) return Telling{entry->key.moment, entry->value};
    const auto *of_owner = owners_.find(owner);
    if (of_owner == nullptr || of_owner->value.listener != listener) return std::nullopt;
    const PacketPosition until = of_owner->value.until;
    return newest(owner, what, moment < until ? moment : before(until));
  }

  /// Returns the earliest announcement after a position, to one receiver.
  [[nodiscard]] std::optional<Telling> next(std::int32_t owner, std::int32_t listener, const What &what,
                                            PacketPosition moment) const {
    const auto *of_owner = owners_.find(owner);
    if (of_owner != nullptr && of_owner->value.listener == listener) {
      const std::optional<Telling> telling = next(owner, what, moment);
      if (telling && telling->moment < of_owner->value.until) return telling;
    }
    const auto *entry = to_each_.first_above({what, owner, listener, moment});
    if (entry == nullptr || !entry->key.is_same(what, owner, listener)) return std::nullopt;
    return Telling{entry->key.moment, entry->value};
  }

 private:
  static constexpr PacketPosition never{std::numeric_limits<std::uint32_t>::max(),
                                        std::numeric_limits<std::uint32_t>::max()};

  // A sender. All its announcements before the position `until` had the same receiver.
  struct Owner {
    bool has_told = false;
    std::optional<std::int32_t> listener;
    PacketPosition until;
  };
  struct KeyToAll {
    What what;
    std::int32_t owner;
    PacketPosition moment;

    auto operator<=>(const KeyToAll &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  struct KeyToEach {
    What what;
    std::int32_t owner;
    std::int32_t listener;
    PacketPosition moment;

    auto operator<=>(const KeyToEach &) const = default;  // NOLINT(modernize-use-nullptr): not ours
    [[nodiscard]] bool is_same(const What &a_what, std::int32_t an_owner, std::int32_t a_listener) const {
      return what == a_what && owner == an_owner && listener == a_listener;
    }
  };

  static PacketPosition before(PacketPosition moment) {
    return moment.message > 0 ? PacketPosition{moment.packet, moment.message - 1}
                              : PacketPosition{moment.packet - 1, std::numeric_limits<std::uint32_t>::max()};
  }

  SortedMap<std::int32_t, Owner> owners_;
  SortedMap<KeyToAll, Value> to_all_;
  SortedMap<KeyToEach, Value> to_each_;
};

/// Returns the newest value announced to the receiver up to a position, or to any receiver if several peers receive the
/// message. Null if there is no announcement.
template <typename What, typename Value>
[[nodiscard]] Value *newest_for(const Announcements<What, Value *> &told, const MpNumbering &numbering, What what,
                                PacketPosition moment) {
  const auto telling = numbering.is_for_one() ? told.newest(numbering.owner, numbering.listener, what, moment)
                                              : told.newest(numbering.owner, what, moment);
  return telling ? telling->value : nullptr;
}

/// Like newest_for(). If nothing was announced to the receiver, returns the newest value announced to any receiver.
template <typename What, typename Value>
[[nodiscard]] Value *newest_for_or_any(const Announcements<What, Value *> &told, const MpNumbering &numbering,
                                       What what, PacketPosition moment) {
  Value *value = newest_for(told, numbering, what, moment);
  return value != nullptr ? value : newest_for(told, {numbering.owner, mp_everyone}, what, moment);
}

}  // namespace godot_codec
