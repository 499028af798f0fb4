// SPDX-License-Identifier: GPL-2.0-or-later
// The only code that runs before a transport's dissector. It inspects the packet, and may pin the conversation.
//
// It is needed because UDP and TCP give a packet to the dissector that is registered on one of its ports, before any
// heuristic: official samples of Godot use 7000 and 8080, which AFS and HTTP have registered. Many of these dissectors
// accept any data, and Wireshark has no other hook: `try_heuristic_first` is a preference of the user, a postdissector
// is called too late, and only a conversation's dissector precedes a port's. So the entries of UDP, TCP and SCTP in
// `ip.proto` are wrapped. After the transport's dissector, the wrappers inspect packets that no dissector of this
// plugin gets: ends of connections, and encrypted traffic.
//
// The state of ICE (webrtc/ice.h) is updated before UDP, because it decides whether to pin: if DTLS moves to another
// pair of ports, the first datagram there must already be dissected with the ports of its handshake.
#include <algorithm>
#include <array>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/encryption/dtls.h"
#include "godot-codec/stream/tcp_segment.h"
#include "godot-codec/stream/web_socket.h"
#include "godot-codec/webrtc/ice.h"
#include "plugin/enet/unanswered_dtls.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/statistics/undecrypted_traffic.h"
#include "plugin/transport/transports.h"
#include "plugin/transport/websocket_detection.h"
#include "plugin/webrtc/ice.h"
#include "plugin/webrtc/packet-godot_webrtc.h"
#include "plugin/webrtc/sctp_associations.h"
#include "plugin/websocket/websocket_connections.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Cursor;
using godot_codec::TcpSegment;

constexpr const char *table_name = "ip.proto";

ws_bool pref_owned_ports = true;

// A transport whose packets the hook inspects before the transport's dissector.
struct HookedTransport {
  std::uint32_t ip_protocol;  // IP protocol number
  const char *name;           // name of the original dissector; exported PDUs find the dissector by this name
  const char *description;    // description of the wrapper, for Decode As
  dissector_t dissect;
  dissector_handle_t original_handle = nullptr;
  dissector_handle_t wrapper_handle = nullptr;
};

int dissect_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);
int dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);
int dissect_sctp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

enum HookedTransportIndex : std::uint8_t { udp, tcp, sctp, transport_count };

std::array<HookedTransport, transport_count> transports = {
    {{17, "udp", "UDP, to detect Godot games", guarded<dissect_udp>},
     {6, "tcp", "TCP, to detect Godot games", guarded<dissect_tcp>},
     {132, "sctp", "SCTP, to detect Godot games", guarded<dissect_sctp>}}};

// Reads the two ports at the beginning of a UDP or TCP header.
PacketPorts ports_in_header(port_type type, const std::uint8_t *header) {
  return {type, Cursor::load_be<std::uint16_t>(header), Cursor::load_be<std::uint16_t>(header + 2)};
}

RegisteredDissector registered_dissector_on(dissector_table_t table, std::uint32_t port) {
  dissector_handle_t dissector = dissector_get_uint_handle(table, port);
  if (dissector == nullptr) return RegisteredDissector::none;
  if (dissector_is_uint_changed(table, port)) return RegisteredDissector::by_user;
  static const int proto_debug = proto_get_id_by_filter_name("godot_debug");
  return dissector_handle_get_protocol_index(dissector) == proto_debug ? RegisteredDissector::debugger
                                                                       : RegisteredDissector::other;
}

RegisteredDissector registered_dissector_on(const PacketPorts &ports) {
  dissector_table_t table = port_table_of(ports.type);
  return std::max(registered_dissector_on(table, ports.source), registered_dissector_on(table, ports.destination));
}

// ---- segments

void detect_in_segment(const TcpSegment &segment, bool is_upgrade, RegisteredDissector registered, packet_info *pinfo) {
  if (is_upgrade) return pin_http_upgrade(segment.payload, pinfo, registered);
  if (!is_tcp_heuristic_enabled()) return;
  conversation_t *conversation = existing_conversation_of(pinfo);
  if (detect_websocket_before_tcp(segment.payload, pinfo, conversation, segment.seq, registered)) return;
  if (registered == RegisteredDissector::other) detect_before_tcp(segment.payload, pinfo, conversation, segment.seq);
}

void inspect_segment(const TcpSegment &segment, bool is_upgrade, const PacketPorts &ports, packet_info *pinfo) {
  const Bytes payload = segment.payload;
  if (!is_upgrade && !may_detect_before_tcp(payload) && !may_be_late_websocket(payload)) return;
  const RegisteredDissector registered = registered_dissector_on(ports);
  if (registered == RegisteredDissector::none && !is_upgrade && !has_incomplete_upgrade()) return;
  if (registered == RegisteredDissector::by_user && !is_upgrade) return;
  const PacketPorts own = exchange_ports(pinfo, ports);
  detect_in_segment(segment, is_upgrade, registered, pinfo);
  exchange_ports(pinfo, own);
}

// Reports TLS that cannot be decrypted, except for TLS to a relay if the WebRTC connection in it is already reported.
void inspect_encrypted_segment(const Bytes &payload, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  if (godot_codec::read_tls_record_kind(payload) == godot_codec::TlsRecordKind::none) return;
  const bool is_relayed = is_relay_packet(pinfo);
  if (is_relayed && is_ice_pair_reported(existing_conversation_of(pinfo))) return;
  inspect_tls(payload, is_relayed, tvb, pinfo, tree);
}

// ---- datagrams

constexpr std::size_t udp_header_size = 8;

// Checks the content type and the version, which differ from the first bytes of a Dictionary or string.
inline bool may_be_dtls(const Bytes &payload) {
  constexpr std::uint8_t first = 20;
  constexpr std::uint8_t last = 63;
  constexpr std::uint8_t version = 0xfe;
  return payload.captured > 1 && payload.data[0] >= first && payload.data[0] <= last && payload.data[1] == version;
}

// True for an ICE check, and for a DTLS record after an ICE check. The ICE check is required, because few bits identify
// a DTLS 1.3 record.
inline bool may_be_webrtc(const Bytes &payload, const packet_info *pinfo) {
  const bool may_be = godot_codec::may_be_ice_check(payload) || godot_codec::may_be_unified_dtls(payload);
  return may_be && may_be_ice(payload, pinfo);
}

inline Bytes payload_of_datagram(const Bytes &datagram) {
  return {datagram.data + udp_header_size, datagram.captured - udp_header_size, datagram.reported - udp_header_size};
}

// Checks the first bytes first, because most foreign datagrams already fail this check.
inline bool may_detect_in_datagram(const Bytes &datagram, const packet_info *pinfo) {
  if (!may_update_state(pinfo) || datagram.captured <= udp_header_size) return false;
  const Bytes payload = payload_of_datagram(datagram);
  return may_detect_before_udp(payload) && !godot_codec::is_stun(payload);
}

[[gnu::noinline]] void detect_in_datagram(const Bytes &datagram, packet_info *pinfo) {
  const PacketPorts ports = ports_in_header(PT_UDP, datagram.data);
  if (registered_dissector_on(ports) != RegisteredDissector::other) return;
  const PacketPorts own = exchange_ports(pinfo, ports);
  detect_before_udp(payload_of_datagram(datagram), pinfo);
  exchange_ports(pinfo, own);
}

// Quick check: false for most datagrams without anything to report.
inline bool needs_inspection(const Bytes &datagram, const packet_info *pinfo) {
  if (!is_outside_icmp_error(pinfo)) return datagram.captured >= udp_header_size;
  if (datagram.captured <= udp_header_size) return false;
  const Bytes payload = payload_of_datagram(datagram);
  return may_be_dtls(payload) || may_be_webrtc(payload, pinfo);
}

// ---- wrappers of the transports' dissectors

// Reads the WebRTC data channels of an SCTP packet after SCTP's dissector, which passes neither fragments nor the
// opening of channels to this plugin.
void update_webrtc_after_packet(packet_info *pinfo) {
  if (pinfo->ptype == PT_SCTP) update_from_sctp_packet(pinfo);
  restore_relayed_summary(pinfo);
}

inline int call_udp_dissector(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const int size = call_dissector_only(transports[udp].original_handle, tvb, pinfo, tree, data);
  update_webrtc_after_packet(pinfo);
  return size;
}

// Reports DTLS that gets no answer or cannot be decrypted.
void inspect_encrypted_datagram(const Bytes &payload, const IceDatagram &webrtc, tvbuff_t *tvb, packet_info *pinfo,
                                proto_tree *tree) {
  if (webrtc.pair != nullptr) return inspect_ice_data(webrtc, tvb, pinfo, tree);
  inspect_dtls(payload, inspect_dtls_client(payload, is_enet_detection_enabled(), tvb, pinfo, tree), tvb, pinfo, tree);
}

[[gnu::noinline]] int dissect_and_inspect(Bytes datagram, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                          void *data) {
  const Bytes payload = payload_of_datagram(datagram);
  const PacketPorts ports = ports_in_header(PT_UDP, datagram.data);
  const PacketPorts before = exchange_ports(pinfo, ports);
  const IceDatagram webrtc = inspect_ice_datagram(payload, pinfo, false);
  exchange_ports(pinfo, before);
  const int size = call_udp_dissector(tvb, pinfo, tree, data);
  const PacketPorts after = exchange_ports(pinfo, ports);
  inspect_encrypted_datagram(payload, webrtc, tvb, pinfo, tree);
  exchange_ports(pinfo, after);
  return size;
}

int dissect_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const Bytes datagram = bytes_of(tvb);
  if (may_detect_in_datagram(datagram, pinfo)) detect_in_datagram(datagram, pinfo);
  const int size = needs_inspection(datagram, pinfo) ? dissect_and_inspect(datagram, tvb, pinfo, tree, data)
                                                     : call_udp_dissector(tvb, pinfo, tree, data);
  if (tree != nullptr) add_packet_peer_names(tvb, pinfo, tree);
  return size;
}

int dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const Bytes bytes = bytes_of(tvb);
  const TcpSegment segment = godot_codec::read_tcp_segment(bytes);
  const bool may_update = segment.payload.captured > 0 && may_update_state(pinfo);
  const bool is_upgrade = may_update && godot_codec::is_web_socket_upgrade(segment.payload);
  if (may_update) inspect_segment(segment, is_upgrade, ports_in_header(PT_TCP, bytes.data), pinfo);
  begin_web_socket_packet();
  const int size = call_dissector_only(transports[tcp].original_handle, tvb, pinfo, tree, data);
  inspect_encrypted_segment(segment.payload, tvb, pinfo, tree);
  inspect_web_socket(segment, is_upgrade, tvb, pinfo, tree);
  update_webrtc_after_packet(pinfo);
  if (tree != nullptr) add_packet_peer_names(tvb, pinfo, tree);
  return size;
}

int dissect_sctp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const int size = call_dissector_only(transports[sctp].original_handle, tvb, pinfo, tree, data);
  update_webrtc_after_packet(pinfo);
  return size;
}

// Changes IP's table when a capture is opened, and not earlier. So neither `tshark -G decodes` nor `-d` lists the
// wrapper. Keeps an entry that the user has changed.
void apply_hook_preference(const HookedTransport &transport) {
  dissector_table_t protocols = find_dissector_table(table_name);
  dissector_handle_t present = dissector_get_uint_handle(protocols, transport.ip_protocol);
  const bool is_hooked = pref_owned_ports || &transport == &transports[sctp];
  dissector_handle_t selected = is_hooked ? transport.wrapper_handle : transport.original_handle;
  if (present == selected || (present != transport.wrapper_handle && present != transport.original_handle)) return;
  dissector_add_uint(table_name, transport.ip_protocol, selected);
}

}  // namespace

void apply_transport_hook_preference() {
  for (const HookedTransport &transport : transports) {
    if (transport.original_handle != nullptr) apply_hook_preference(transport);
  }
}

void register_owned_ports_preference() {
  prefs_register_bool_preference(
      prefs_find_module("godot"), "owned_ports", "Detect Godot on ports of other protocols",
      "Also detects Godot traffic on ports that other dissectors have registered. Turn it off if this captures the traffic of another program.",
      &pref_owned_ports);
}

void handoff_transport_hook() {
  dissector_table_t protocols = find_dissector_table(table_name);
  for (HookedTransport &transport : transports) {
    transport.original_handle = dissector_get_uint_handle(protocols, transport.ip_protocol);
    // The wrapper has the original's name, because exported PDUs contain that name. It has no protocol, so it adds no
    // layer.
    transport.wrapper_handle =
        create_dissector_handle_with_name_and_description(transport.dissect, -1, transport.name, transport.description);
  }
}

}  // namespace godot_plugin
