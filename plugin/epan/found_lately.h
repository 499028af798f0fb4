// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A cache of values found for recent conversations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Caches values by the endpoints of a packet, because epan needs a thousand instructions to find a conversation. Only
/// for the first pass: later passes may show any packet, and by then another conversation may have had the same
/// endpoints.
template <typename Found>
class FoundLately {
 public:
  void clear() { entries_ = {}; }
  /// Returns nothing if the endpoints are not in the cache.
  [[nodiscard]] std::optional<Found> find(const packet_info *pinfo) const {
    const Entry &entry = entries_[place_of(pinfo)];
    return entry.is_of(pinfo) ? std::optional(entry.found) : std::nullopt;
  }
  void add(const packet_info *pinfo, Found found) {
    if (!End::has_space_for(pinfo->src) || !End::has_space_for(pinfo->dst)) return;
    entries_[place_of(pinfo)] = {
        {End(pinfo->src, pinfo->srcport), End(pinfo->dst, pinfo->destport)}, pinfo->vlan_id, true, found};
  }
  /// Removes the entry of the packet's endpoints.
  void drop(const packet_info *pinfo) { entries_[place_of(pinfo)].is_used = false; }

 private:
  class End {
   public:
    End() = default;
    End(const address &host, std::uint32_t port) : port_(port), type_(host.type), size_(host.len) {
      std::memcpy(host_.data(), host.data, static_cast<std::size_t>(size_));
    }
    static bool has_space_for(const address &host) { return host.len > 0 && host.len <= 16; }
    [[nodiscard]] bool is(const address &host, std::uint32_t port) const {
      return port_ == port && type_ == host.type && size_ == host.len &&
             std::memcmp(host_.data(), host.data, static_cast<std::size_t>(size_)) == 0;
    }

   private:
    std::uint32_t port_ = 0;
    int type_ = 0;
    int size_ = 0;
    std::array<std::uint8_t, 16> host_{};  // the size of an IPv6 address
  };
  struct Entry {
    std::array<End, 2> ends;
    std::uint32_t vlan;
    bool is_used;
    Found found;

    /// True if the packet has these endpoints, in either direction.
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
