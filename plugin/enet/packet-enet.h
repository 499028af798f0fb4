// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `enet`: ENet datagrams with any messages, not only those of Godot's multiplayer.
#pragma once

#include "godot-codec/core/confidence.h"
#include "godot-codec/enet/datagram.h"
#include "plugin/detection/message_detection.h"
#include "plugin/enet/capture_session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Registers protocol, fields, preferences, the dissector table `enet.port` and the heuristic list `enet`.
void register_enet();
void register_advanced_enet_preferences();

/// Reads a datagram that may belong to another protocol. Does not store anything.
/// @param may_decompress false if the datagram is known to be something else, because decompression takes time
[[nodiscard]] godot_codec::EnetDatagram read_undetected_enet(godot_codec::Bytes datagram, packet_info *pinfo,
                                                             bool may_decompress);

/// Dissects a datagram between hosts that were detected as ENet, with its messages.
/// @param conversation the packet's conversation; null if it was not looked up
/// @returns the confidence that the datagram is ENet
godot_codec::Confidence dissect_detected_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root,
                                              conversation_t *conversation);

/// Dissects a datagram and its messages. See dissector_t.
int dissect_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, void *data);

// ---- messages.cpp

/// Returns the game link of an ENet connection; null before the connection's first message.
[[nodiscard]] const PeerLink *find_enet_link(const EnetConnection &connection);

/// Registers the dissectors for messages over ENet: the multiplayer and Variants.
void handoff_enet_messages();

}  // namespace godot_plugin
