// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Keeps a state with a packet while it is dissected, in each pass anew.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The state that a protocol keeps for one packet.
enum class PacketDataKey : std::uint32_t {
  sctp,               ///< its packet
  masked_frames,      ///< WebSocket frames
  counts,             ///< counts of messages
  asked_datagram,     ///< the answer of the chooser of datagrams
  asked_message,      ///< the answer of the chooser of multiplayer peers' messages
  websocket_layers,   ///< wraps of 4.0's count of layers
  enet,               ///< the packet's ENet datagrams
  statistics,         ///< the frame's record for the statistics
  problems,           ///< the subjects of its expert items
  opened,             ///< how many data sources were made of what is compressed
  web_socket_frames,  ///< WebSocket frames that are whole in the packet
  followed_stream,    ///< the multiplayer's stream, and who sends
  tls,                ///< the record that heuristics were asked about last
  named_ends,         ///< who speaks to whom
  padding_told,       ///< true once an expert item of the packet has said that padding is not zero
};

/// @returns null before of_packet() was asked for it
template <typename T>
[[nodiscard]] T *find_of_packet(packet_info *pinfo, int proto, PacketDataKey key) {
  return static_cast<T *>(p_get_proto_data(pinfo->pool, pinfo, proto, static_cast<std::uint32_t>(key)));
}

/// Zeros at first. @param proto whose it is
template <typename T>
[[nodiscard]] T &of_packet(packet_info *pinfo, int proto, PacketDataKey key) {
  static_assert(std::is_trivially_destructible_v<T>);
  T *kept = find_of_packet<T>(pinfo, proto, key);
  if (kept == nullptr) {
    kept = wmem_new0(pinfo->pool, T);
    p_add_proto_data(pinfo->pool, pinfo, proto, static_cast<std::uint32_t>(key), kept);
  }
  return *kept;
}

}  // namespace godot_plugin
