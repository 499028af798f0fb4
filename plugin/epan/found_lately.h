// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A small memory of what was found for conversations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Remembers what was found for conversations lately, by the ends of their packets. epan takes a thousand instructions
/// to find a conversation, and most packets come one behind the other. To be asked on the first pass only: later passes
/// may show any packet, and another conversation may have had the same ends by then.
template <typename Found>
class FoundLately {
 public:
  void clear() { entries_ = {}; }
  /// Nothing if it is not among them.
  [[nodiscard]] std::optional<Found> find(const packet_info *pinfo) const {
    const Entry &entry = entries_[place_of(pinfo->srcport, pinfo->destport)];
    const bool is_same = entry.is_used && entry.vlan == pinfo->vlan_id && entry.ports[0] == pinfo->srcport &&
                         entry.ports[1] == pinfo->destport && entry.ends[0].is(pinfo->src) &&
                         entry.ends[1].is(pinfo->dst);
    return is_same ? std::optional(entry.found) : std::nullopt;
  }
  void add(const packet_info *pinfo, Found found) {
    if (!End::has_room_for(pinfo->src) || !End::has_room_for(pinfo->dst)) return;
    entries_[place_of(pinfo->srcport, pinfo->destport)] = {
        {End(pinfo->src), End(pinfo->dst)}, {pinfo->srcport, pinfo->destport}, pinfo->vlan_id, true, found};
  }
  /// Forgets what has the packet's ends, in either direction.
  void drop(const packet_info *pinfo) {
    entries_[place_of(pinfo->srcport, pinfo->destport)] = {};
    entries_[place_of(pinfo->destport, pinfo->srcport)] = {};
  }

 private:
  class End {
   public:
    End() = default;
    explicit End(const address &from) : type_(from.type), size_(from.len) {
      std::memcpy(bytes_.data(), from.data, static_cast<std::size_t>(size_));
      std::memcpy(&first_, bytes_.data(), sizeof first_);
    }
    static bool has_room_for(const address &from) { return from.len > 0 && from.len <= 16; }
    [[nodiscard]] bool is(const address &other) const {
      if (type_ != other.type || size_ != other.len) return false;
      std::uint32_t first = 0;
      if (size_ < static_cast<int>(sizeof first)) return has_bytes_of(other);
      std::memcpy(&first, other.data, sizeof first);
      // Most are IPv4's, which have no more.
      return first == first_ && (size_ == sizeof first || has_bytes_of(other));
    }

   private:
    [[nodiscard]] bool has_bytes_of(const address &other) const {
      return std::memcmp(bytes_.data(), other.data, static_cast<std::size_t>(size_)) == 0;
    }

    int type_ = 0;
    int size_ = 0;
    std::uint32_t first_ = 0;
    std::array<std::uint8_t, 16> bytes_{};  // IPv6's have so many
  };
  struct Entry {
    std::array<End, 2> ends;
    std::array<std::uint32_t, 2> ports;
    std::uint32_t vlan;
    bool is_used;
    Found found;
  };

  static constexpr std::size_t size = 256;
  static std::size_t place_of(std::uint32_t source, std::uint32_t destination) {
    return (3 * source + destination) % size;
  }

  std::array<Entry, size> entries_{};
};

}  // namespace godot_plugin
