// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/owned_ports.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "plugin/carriers/tcp_claims.h"
#include "plugin/carriers/tcp_owner.h"
#include "plugin/carriers/udp.h"
#include "plugin/carriers/websocket_messages.h"
#include "plugin/enet/dtls_clients.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/message.h"
#include "plugin/epan/tvb.h"
#include "plugin/epan/user.h"
#include "plugin/webrtc/associations.h"
#include "plugin/webrtc/dark.h"
#include "plugin/webrtc/turn.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Cursor;

constexpr const char *table_name = "ip.proto";

ws_bool pref_owned_ports = true;

// Has a port an owner? Asked once in a capture, as it takes time.
enum class Owned : std::uint8_t { unknown, no, debugger, yes };

// A transport protocol, and who looks at its packets.
struct Transport {
  std::uint32_t number;  // IANA's
  port_type type;
  const char *ports;  // the dissector table
  // Where the payload begins that may be claimed; 0 where there is none.
  std::size_t (*find_payload)(Bytes segment);
  void (*claim)(tvbuff_t *segment, std::size_t payload, packet_info *pinfo, Owned owned);
  const char *name;         // the original's, by which an exported PDU finds its dissector
  const char *description;  // the wrapper's, among the choices of Decode As
  dissector_t dissect;
  dissector_table_t port_table = nullptr;
  dissector_handle_t original = nullptr;
  dissector_handle_t wrapper = nullptr;
  std::array<Owned, UINT16_MAX + 1> owned{};
};

tvbuff_t *payload_of(tvbuff_t *segment, std::size_t payload) {
  return tvb_new_subset_remaining(segment, static_cast<int>(payload));
}

constexpr std::size_t udp_header_size = 8;

std::size_t find_udp_payload(Bytes datagram) {
  if (datagram.captured <= udp_header_size) return 0;
  const Bytes payload = datagram.slice({udp_header_size, datagram.reported - udp_header_size});
  return may_claim_datagram(payload) ? udp_header_size : 0;
}

void claim_udp(tvbuff_t *segment, std::size_t payload, packet_info *pinfo, Owned /*owned*/) {
  claim_datagram(payload_of(segment, payload), pinfo);
}

std::size_t find_tcp_payload(Bytes segment) {
  constexpr std::size_t least_header = 20;
  constexpr std::size_t size_at = 12;  // in its upper half, in words
  if (segment.captured <= least_header) return 0;
  const std::size_t header = std::size_t{segment.data[size_at]} / 16 * sizeof(std::uint32_t);
  if (header < least_header || header >= segment.captured) return 0;
  const Bytes payload = segment.slice({header, segment.reported - header});
  return may_claim_segment(payload) || may_claim_late_websocket(payload) || is_any_interrupted() ? header : 0;
}

void claim_tcp(tvbuff_t *segment, std::size_t payload, packet_info *pinfo, Owned owned) {
  constexpr std::size_t seq_at = 4;
  Cursor cursor(bytes_of(segment), seq_at);
  const auto seq = cursor.read_be<std::uint32_t>();
  if (owned == Owned::no) return claim_interrupted(payload_of(segment, payload), pinfo, seq);
  if (claim_upgrade(payload_of(segment, payload), pinfo) || owned == Owned::debugger || is_upgraded(pinfo)) return;
  if (claim_late_websocket(bytes_of(payload_of(segment, payload)), pinfo, seq)) return;
  claim_segment(payload_of(segment, payload), pinfo, seq);
}

template <std::size_t index>
int dissect_before(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

// SCTP calls nobody about fragments, and another dissector about the opening of channels: it is looked at behind it.
std::size_t find_no_payload(Bytes /*packet*/) { return 0; }

std::array<Transport, 3> transports = {{{17, PT_UDP, "udp.port", find_udp_payload, claim_udp, "udp",
                                         "UDP, looked at for games of Godot", guarded<dissect_before<0>>},
                                        {6, PT_TCP, "tcp.port", find_tcp_payload, claim_tcp, "tcp",
                                         "TCP, looked at for games of Godot", guarded<dissect_before<1>>},
                                        {132, PT_SCTP, "sctp.port", find_no_payload, nullptr, "sctp",
                                         "SCTP, looked at for games of Godot", guarded<dissect_before<2>>}}};

Owned find_owner(const Transport &transport, std::uint16_t port) {
  dissector_handle_t owner = dissector_get_uint_handle(transport.port_table, port);
  if (owner == nullptr) return Owned::no;
  static const int proto_debug = proto_get_id_by_filter_name("godot_debug");
  return dissector_handle_get_protocol_index(owner) == proto_debug ? Owned::debugger : Owned::yes;
}

Owned owner_of(Transport &transport, std::uint16_t port) {
  Owned &owned = transport.owned[port];
  if (owned == Owned::unknown) owned = find_owner(transport, port);
  return owned;
}

void look_at(Transport &transport, tvbuff_t *tvb, packet_info *pinfo) {
  const Bytes segment = bytes_of(tvb);
  const std::size_t payload = transport.find_payload(segment);
  if (payload == 0) return;
  Cursor cursor(segment);
  const auto source = cursor.read_be<std::uint16_t>();
  const auto destination = cursor.read_be<std::uint16_t>();
  Owned owned = owner_of(transport, source);
  if (owned != Owned::yes) owned = std::max(owner_of(transport, destination), owned);
  const bool is_asked = owned != Owned::no || (transport.type == PT_TCP && is_any_interrupted());
  if (!is_asked) return;
  BorrowedPorts ports(pinfo, transport.type, source, destination);
  if (!is_decided_by_user(pinfo)) transport.claim(tvb, payload, pinfo, owned);
  ports.restore();
}

// A datagram may hold these besides.
struct Found {
  DtlsClient *client = nullptr;  // that waits for an answer in vain, or that nobody can read
  IceDatagram webrtc = {};
};

// By the first byte, which tells most other datagrams apart (RFC 7983): 0 is STUN's, 20 to 63 DTLS'.
bool may_be_others(Bytes payload, const packet_info *pinfo) {
  constexpr std::uint8_t stun = 0;
  constexpr std::uint8_t first_dtls = 20;
  constexpr std::uint8_t last_dtls = 63;
  if (!is_in_conversation(pinfo)) return true;
  if (payload.captured == 0) return false;
  const std::uint8_t first = payload.data[0];
  return first == stun || (first >= first_dtls && first <= last_dtls);
}

Found look_for_others(const Transport &transport, tvbuff_t *tvb, packet_info *pinfo) {
  Found found;
  if (transport.type != PT_UDP) return found;
  const Bytes datagram = bytes_of(tvb);
  if (datagram.captured < udp_header_size) return found;
  const Bytes payload = datagram.slice({udp_header_size, datagram.reported - udp_header_size});
  if (!may_be_others(payload, pinfo)) return found;
  Cursor cursor(datagram);
  const auto source = cursor.read_be<std::uint16_t>();
  const auto destination = cursor.read_be<std::uint16_t>();
  BorrowedPorts ports(pinfo, transport.type, source, destination);
  found.client = look_for_dtls_client(payload, pinfo, is_enet_recognised());
  found.webrtc = look_at_ice(payload, pinfo, false);
  ports.restore();
  return found;
}

template <std::size_t index>
int dissect_before(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (may_learn(pinfo)) look_at(transports[index], tvb, pinfo);
  const Found found = look_for_others(transports[index], tvb, pinfo);
  if (found.webrtc.pair != nullptr) replace_lost_hello(*found.webrtc.pair, pinfo);
  const int size = call_dissector_only(transports[index].original, tvb, pinfo, tree, data);
  if (transports[index].type == PT_TCP) {
    look_at_web_socket(tvb, pinfo, tree);
    follow_interruption(pinfo);
  }
  if (pinfo->ptype == PT_SCTP) learn_sctp_packet(pinfo);
  restore_relayed_info(pinfo);
  if (found.webrtc.kind == godot_codec::DtlsKind::data) tell_of_dark_data(*found.webrtc.pair, tvb, pinfo, tree);
  if (found.client != nullptr) tell_of_dtls_client(tvb, pinfo, tree, *found.client);
  return size;
}

// The table is another protocol's, and lists what is in it: it is changed when a capture is opened, not before, so that
// neither `tshark -G decodes` nor `-d` see it. What the user has decided to be in our place stays.
void apply_preference(const Transport &transport) {
  dissector_table_t protocols = find_dissector_table(table_name);
  dissector_handle_t present = dissector_get_uint_handle(protocols, transport.number);
  const bool is_looked_at = pref_owned_ports || transport.type == PT_SCTP;
  dissector_handle_t wanted = is_looked_at ? transport.wrapper : transport.original;
  if (present == wanted || (present != transport.wrapper && present != transport.original)) return;
  dissector_add_uint(table_name, transport.number, wanted);
}

void begin_capture() {
  for (Transport &transport : transports) {
    transport.owned = {};
    if (transport.original != nullptr) apply_preference(transport);
  }
}

}  // namespace

void register_owned_ports() { register_init_routine(guarded<begin_capture>); }

void register_owned_ports_preference() {
  prefs_register_bool_preference(prefs_find_module("godot"), "owned_ports",
                                 "Recognise Godot on ports that other protocols own",
                                 "Looks at packets before the owner of their port gets them, and takes conversations "
                                 "that can be nothing but Godot's. Switch it off where that takes another program's.",
                                 &pref_owned_ports);
}

void handoff_owned_ports() {
  dissector_table_t protocols = find_dissector_table(table_name);
  for (Transport &transport : transports) {
    transport.port_table = find_dissector_table(transport.ports);
    transport.original = dissector_get_uint_handle(protocols, transport.number);
    // It has the original's name, which is written into exported PDUs, and no protocol: it adds no layer of its own.
    transport.wrapper =
        create_dissector_handle_with_name_and_description(transport.dissect, -1, transport.name, transport.description);
  }
}

}  // namespace godot_plugin
