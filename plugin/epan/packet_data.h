// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Stores a state with a packet while it is being dissected, separately for each pass.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Keys of the states that protocols store per packet.
enum class PacketDataKey : std::uint32_t {
  sctp,                  ///< the SCTP packet
  masked_frames,         ///< masked WebSocket frames
  counts,                ///< PacketCounts
  is_confirmed_game,     ///< true if the connection of the packet's last message certainly contains game traffic
  websocket_layers,      ///< count of overflows of Wireshark 4.0's layer counter
  enet,                  ///< the packet's ENet datagrams
  statistics,            ///< the frame's record for the statistics
  problems,              ///< subjects of the packet's expert items
  decompressed_sources,  ///< number of data sources created for decompressed data
  websocket_frames,      ///< complete WebSocket frames in the packet
  followed_stream,       ///< the packet's stream for "Follow", and its sender
  peer_names,            ///< names of sender and receiver
  padding_reported,      ///< true if the packet has an expert item about non-zero padding
};

/// Returns the packet's state; null if packet_data() has not created it yet.
template <typename T>
[[nodiscard]] T *find_packet_data(packet_info *pinfo, int proto, PacketDataKey key) {
  return static_cast<T *>(p_get_proto_data(pinfo->pool, pinfo, proto, static_cast<std::uint32_t>(key)));
}

/// Returns the packet's state, zero-initialised on first use.
/// @param proto the protocol that stores the state
template <typename T>
[[nodiscard]] T &packet_data(packet_info *pinfo, int proto, PacketDataKey key) {
  static_assert(std::is_trivially_destructible_v<T>);
  T *state = find_packet_data<T>(pinfo, proto, key);
  if (state == nullptr) {
    state = wmem_new0(pinfo->pool, T);
    p_add_proto_data(pinfo->pool, pinfo, proto, static_cast<std::uint32_t>(key), state);
  }
  return *state;
}

}  // namespace godot_plugin
