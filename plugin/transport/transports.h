// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The transports, which bring messages. This folder knows all protocols. The protocols know neither a transport nor
/// each other.
#pragma once

#include "plugin/enet/state.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/transport/peers.h"

namespace godot_plugin {

/// Each transport has a file here, which defines handoff_NAME_transport(): it registers the transport's heuristic and
/// ports with epan.
///
///     udp        UDP datagrams and DTLS records: ENet and Variants
///     tcp        segments of TCP: the debugger and Variants. tcp_detection.cpp detects the protocol, tcp_streams.cpp
///                finds a segment's place in its stream, streams.h splits it into messages
///     tls        as tcp; TLS passes on the bytes in order and without sequence numbers
///     enet       messages of ENet connections: the multiplayer and Variants
///     webrtc     messages of WebRTC data channels (SCTP): the multiplayer and Variants
///     websocket  messages of WebSockets: the multiplayer and Variants
#define GODOT_TRANSPORTS(ROW) ROW(udp) ROW(tcp) ROW(tls) ROW(enet) ROW(webrtc) ROW(websocket)

#define GODOT_DECLARE_TRANSPORT(name) void handoff_##name##_transport();
GODOT_TRANSPORTS(GODOT_DECLARE_TRANSPORT)
#undef GODOT_DECLARE_TRANSPORT

/// Finds the transports' dissectors for the hook before them (transport_hook.cpp).
void handoff_transport_hook();
/// Sets or removes the hook, as the preference says.
void begin_transport_hook();
/// Registers the preference `godot.owned_ports`.
void register_owned_ports_preference();

/// Warns the user if two preferences name the same port.
void warn_of_contested_ports();

/// Registers the preferences for the ports of WebSockets.
void register_websocket_ports();
/// Registers the dissector on the ports that the preferences name.
void apply_websocket_ports();

/// False if the first bytes of a datagram cannot be ours. Cheap.
[[nodiscard]] bool may_detect_before_udp(godot_codec::Bytes datagram);
/// Before UDP gets a datagram on a port that another dissector has registered: pins the conversation if the evidence of
/// this datagram outweighs that dissector. On the first pass; the packet's ports are set.
void detect_before_udp(godot_codec::Bytes datagram, packet_info *pinfo);
/// False if the user has disabled UDP's heuristic or ENet.
[[nodiscard]] bool is_enet_detected();

/// Returns the game of an ENet connection; null if the connection has had no message.
[[nodiscard]] const PeerLink *find_enet_link(const EnetConnection &connection);
/// Returns the game of a WebSocket; null for null, and if the WebSocket has had no message.
[[nodiscard]] const PeerLink *find_websocket_link(const conversation_t *conversation);

/// Adds the names of a packet's sender and receiver to the tree, after the transport's dissector.
/// @param transport a UDP or TCP packet
void add_packet_peer_names(tvbuff_t *transport, packet_info *pinfo, proto_tree *tree);

}  // namespace godot_plugin
