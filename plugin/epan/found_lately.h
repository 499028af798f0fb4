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
    const Entry &entry = entries_[place_of(pinfo)];
    return entry.is_of(pinfo) ? std::optional(entry.found) : std::nullopt;
  }
  void add(const packet_info *pinfo, Found found) {
    if (!End::has_room_for(pinfo->src) || !End::has_room_for(pinfo->dst)) return;
    entries_[place_of(pinfo)] = {
        {End(pinfo->src, pinfo->srcport), End(pinfo->dst, pinfo->destport)}, pinfo->vlan_id, true, found};
  }
  /// Forgets what has the packet's ends.
  void drop(const packet_info *pinfo) { entries_[place_of(pinfo)].is_used = false; }

 private:
  class End {
   public:
    End() = default;
    End(const address &host, std::uint32_t port) : port_(port), type_(host.type), size_(host.len) {
      std::memcpy(host_.data(), host.data, static_cast<std::size_t>(size_));
    }
    static bool has_room_for(const address &host) { return host.len > 0 && host.len <= 16; }
    [[nodiscard]] bool is(const address &host, std::uint32_t port) const {
      return port_ == port && type_ == host.type && size_ == host.len &&
             std::memcmp(host_.data(), host.data, static_cast<std::size_t>(size_)) == 0;
    }

   private:
    std::uint32_t port_ = 0;
    int type_ = 0;
    int size_ = 0;
    std::array<std::uint8_t, 16> host_{};  // IPv6's have so many
  };
  struct Entry {
    std::array<End, 2> ends;
    std::uint32_t vlan;
    bool is_used;
    Found found;

    /// In either direction.
    [[nodiscard]] bool is_of(const packet_info *pinfo) const {
      return is_used && vlan == pinfo->vlan_id && (goes_from(0, pinfo) || goes_from(1, pinfo));
    }
    [[nodiscard]] bool goes_from(unsigned end, const packet_info *pinfo) const {
      return ends[end].is(pinfo->src, pinfo->srcport) && ends[1 - end].is(pinfo->dst, pinfo->destport);
    }
  };

  static constexpr std::size_t size = 256;
  static std::size_t place_of(const packet_info *pinfo) { return (pinfo->srcport + pinfo->destport) % size; }

  std::array<Entry, size> entries_{};
};

}  // namespace godot_plugin
