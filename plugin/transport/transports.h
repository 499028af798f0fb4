// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The transports, which pass messages to the protocols. This folder depends on all protocols. The protocols do not
/// depend on transports or on each other.
#pragma once

#include "plugin/detection/message_detection.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Each transport NAME has a file in this folder. The file defines handoff_NAME_transport(), which registers the
/// transport's heuristic and ports with epan.
///
///     udp        UDP datagrams and DTLS records: ENet and Variants
///     tcp        TCP segments: the debugger and Variants. stream_segments.h splits a segment into messages
///     tls        the same for TLS, which passes on the bytes in order and without sequence numbers
///     webrtc     messages of WebRTC data channels (SCTP): the multiplayer and Variants
///     websocket  messages of WebSockets: the multiplayer and Variants
#define GODOT_TRANSPORTS(ROW) ROW(udp) ROW(tcp) ROW(tls) ROW(webrtc) ROW(websocket)

#define GODOT_DECLARE_TRANSPORT(name) void handoff_##name##_transport();
GODOT_TRANSPORTS(GODOT_DECLARE_TRANSPORT)
#undef GODOT_DECLARE_TRANSPORT

/// Finds the transports' dissectors for transport_hook.cpp.
void handoff_transport_hook();
/// Sets or removes the hook, according to the preference.
void apply_transport_hook_preference();
/// Registers the preference `godot.owned_ports`.
void register_owned_ports_preference();

/// Registers the preferences for the ports of WebSockets.
void register_websocket_ports();
/// Registers the dissector on the ports that the preferences name.
void apply_websocket_ports();

/// Quick check: false if a datagram's first bytes match no protocol of this plugin.
[[nodiscard]] bool may_detect_before_udp(godot_codec::Bytes datagram);
/// Pins the conversation if the evidence of this datagram outweighs the dissector that is registered on the port. Call
/// on the first pass, before UDP's dissector processes the datagram, with the packet's ports set.
void detect_before_udp(godot_codec::Bytes datagram, packet_info *pinfo);
/// False if the user has disabled UDP's heuristic or ENet.
[[nodiscard]] bool is_enet_detection_enabled();

/// False if the user has disabled TCP's heuristic.
[[nodiscard]] bool is_tcp_heuristic_enabled();
/// Quick check: false if a segment can neither begin nor continue a message of this plugin's protocols.
[[nodiscard]] bool may_detect_before_tcp(godot_codec::Bytes payload);
/// Pins the conversation if the evidence of the stream outweighs the dissector that is registered on the port. Call on
/// the first pass, before TCP's dissector processes the segment, with the packet's ports set.
/// @param conversation null if TCP has not created the conversation yet
/// @param seq absolute sequence number of the payload's first byte
void detect_before_tcp(godot_codec::Bytes payload, packet_info *pinfo, conversation_t *conversation, std::uint32_t seq);

/// Returns the game link of a WebSocket; null if @p conversation is null, and before the WebSocket's first message.
[[nodiscard]] const PeerLink *find_websocket_link(const conversation_t *conversation);

/// Adds the names of a packet's sender and receiver to the tree. Call after the transport's dissector.
/// @param transport a UDP or TCP packet
void add_packet_peer_names(tvbuff_t *transport, packet_info *pinfo, proto_tree *tree);

}  // namespace godot_plugin
