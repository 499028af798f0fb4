// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Stores states with a packet while it is being dissected, separately for each pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The kinds of state that the plugin stores for a packet.
enum class PacketDataKey : std::uint8_t {
  sctp,                  ///< the SCTP packet
  counts,                ///< PacketCounts
  websocket_layers,      ///< count of overflows of Wireshark 4.0's layer counter
  enet,                  ///< the packet's ENet datagrams
  statistics,            ///< the frame's record for the statistics
  problems,              ///< subjects of the packet's expert items
  decompressed_sources,  ///< number of data sources created for decompressed data
  followed_stream,       ///< the packet's stream for "Follow", and its sender
  peer_names,            ///< names of sender and receiver
  padding_reported,      ///< true if the packet has an expert item about non-zero padding
  count,
};

/// A packet's states: one pointer for each key. Zero-initialised, in the packet's memory. epan stores them together,
/// because adding a state in epan takes some hundred instructions.
using PacketStates = std::array<void *, static_cast<std::size_t>(PacketDataKey::count)>;

/// Returns null if the packet has no state.
[[nodiscard]] inline PacketStates *find_packet_states(packet_info *pinfo) {
  static const int proto = proto_get_id_by_filter_name("godot");
  return static_cast<PacketStates *>(p_get_proto_data(pinfo->pool, pinfo, proto, 0));
}

/// Returns the packet's state; null if packet_data() has not created it yet.
template <typename T>
[[nodiscard]] T *find_packet_data(packet_info *pinfo, PacketDataKey key) {
  const PacketStates *states = find_packet_states(pinfo);
  return states == nullptr ? nullptr : static_cast<T *>((*states)[static_cast<std::size_t>(key)]);
}

/// Returns the packet's state, zero-initialised on first use.
template <typename T>
[[nodiscard]] T &packet_data(packet_info *pinfo, PacketDataKey key) {
  static_assert(std::is_trivially_destructible_v<T>);
  PacketStates *states = find_packet_states(pinfo);
  if (states == nullptr) {
    static const int proto = proto_get_id_by_filter_name("godot");
    states = wmem_new0(pinfo->pool, PacketStates);
    p_add_proto_data(pinfo->pool, pinfo, proto, 0, states);
  }
  void *&state = (*states)[static_cast<std::size_t>(key)];
  if (state == nullptr) state = wmem_new0(pinfo->pool, T);
  return *static_cast<T *>(state);
}

}  // namespace godot_plugin
