// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Pairs of addresses and ports that ICE has found for a connection of WebRTC: DTLS may move from one to another, and
/// what nobody could read of it is told of once.
#pragma once

#include <cstdint>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct IcePair;

/// Looks at a datagram before UDP's dissectors, with the ports of UDP. Where DTLS has begun on another pair of the same
/// connection, the datagram is going to be dissected as if it came there.
/// @returns null where it is none of a connection's DTLS
IcePair *look_at_ice(godot_codec::Bytes datagram, packet_info *pinfo);

/// Who exchanges a packet of a connection: ids of the multiplayer, 0 where signalling has not told them.
struct IcePeers {
  std::int32_t source = 0;
  std::int32_t destination = 0;
};

/// @param pinfo with the ports of UDP
[[nodiscard]] IcePeers ice_peers_of(packet_info *pinfo);

/// Learns from a text of a WebSocket, which may be signalling.
void learn_signalling(std::string_view text, bool is_from_server);

/// Afterwards: tells why the data cannot be read, if they were not.
void tell_of_dark_data(IcePair &pair, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

void register_ice(int proto);
void handoff_ice();

}  // namespace godot_plugin
