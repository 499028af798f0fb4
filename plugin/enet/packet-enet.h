// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `enet`: ENet's datagrams, and the messages in them, whatever a game puts on top.
#pragma once

#include "godot-codec/core/confidence.h"
#include "godot-codec/enet/datagram.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Registers protocol, fields, preferences, the dissector table `enet.port` and the heuristic list `enet`.
void register_enet();
void register_advanced_enet_preferences();

/// Reads a datagram of which it is not known whether it is ENet's. Nothing is remembered of it.
/// @param may_decompress decompressing takes time: not of what has shown to be something else
[[nodiscard]] godot_codec::EnetDatagram read_stranger(godot_codec::Bytes datagram, packet_info *pinfo,
                                                      bool may_decompress);

/// Shows a datagram of hosts that were recognised as ENet's, and all that is in it.
/// @param conversation the packet's; null if it was not looked up
/// @returns how well it fits
godot_codec::Confidence dissect_stranger(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root,
                                         conversation_t *conversation);

/// Shows a datagram, and all that is in it.
int dissect_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, void *data);

}  // namespace godot_plugin
