// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/owned_ports.h"

#include <epan/exceptions.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/stream/tcp_segment.h"
#include "godot-codec/webrtc/ice.h"
#include "plugin/carriers/ends.h"
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
#include "plugin/webrtc/relay_tls.h"
#include "plugin/webrtc/turn.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Cursor;

constexpr const char *table_name = "ip.proto";

ws_bool pref_owned_ports = true;

// Has a port an owner?
enum class Owned : std::uint8_t { no, debugger, yes };

// The answers of a capture, which take time to find: the last one of all ports that share a place.
struct KnownOwner {
  std::uint16_t port;
  bool is_known;
  Owned owned;
};

// A transport protocol, whose packets are looked at.
struct Transport {
  std::uint32_t number;     // IANA's
  const char *ports;        // the dissector table
  const char *name;         // the original's, by which an exported PDU finds its dissector
  const char *description;  // the wrapper's, among the choices of Decode As
  dissector_t dissect;
  dissector_table_t port_table = nullptr;
  dissector_handle_t original = nullptr;
  dissector_handle_t wrapper = nullptr;
  std::array<KnownOwner, 256> known{};
};

int dissect_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);
int dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);
int dissect_sctp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

enum Looked : std::uint8_t { udp, tcp, sctp, transport_count };

std::array<Transport, transport_count> transports = {
    {{17, "udp.port", "udp", "UDP, looked at for games of Godot", guarded<dissect_udp>},
     {6, "tcp.port", "tcp", "TCP, looked at for games of Godot", guarded<dissect_tcp>},
     {132, "sctp.port", "sctp", "SCTP, looked at for games of Godot", guarded<dissect_sctp>}}};

// The two ports with which UDP and TCP begin.
struct Ports {
  explicit Ports(const std::uint8_t *header)
      : source(Cursor::load_be<std::uint16_t>(header)), destination(Cursor::load_be<std::uint16_t>(header + 2)) {}
  std::uint16_t source;
  std::uint16_t destination;
};

tvbuff_t *payload_of(tvbuff_t *segment, std::size_t payload) {
  return tvb_new_subset_remaining(segment, static_cast<int>(payload));
}

void claim_tcp(tvbuff_t *payload, packet_info *pinfo, std::uint32_t seq, Owned owned) {
  if (owned == Owned::no) return claim_interrupted(payload, pinfo, seq);
  if (claim_upgrade(payload, pinfo) || owned == Owned::debugger || is_upgraded(pinfo)) return;
  if (claim_late_websocket(bytes_of(payload), pinfo, seq)) return;
  claim_segment(payload, pinfo, seq);
}

Owned find_owner(const Transport &transport, std::uint16_t port) {
  dissector_handle_t owner = dissector_get_uint_handle(transport.port_table, port);
  if (owner == nullptr) return Owned::no;
  static const int proto_debug = proto_get_id_by_filter_name("godot_debug");
  return dissector_handle_get_protocol_index(owner) == proto_debug ? Owned::debugger : Owned::yes;
}

Owned owner_of(Transport &transport, std::uint16_t port) {
  KnownOwner &known = transport.known[port % transport.known.size()];
  if (!known.is_known || known.port != port) known = {port, true, find_owner(transport, port)};
  return known.owned;
}

Owned owner_of(Transport &transport, Ports ports) {
  const Owned owned = owner_of(transport, ports.source);
  return owned == Owned::yes ? owned : std::max(owner_of(transport, ports.destination), owned);
}

void look_at_segment(tvbuff_t *tvb, packet_info *pinfo) {
  const Bytes bytes = bytes_of(tvb);
  const godot_codec::TcpSegment segment = godot_codec::read_tcp_segment(bytes);
  const Bytes payload = segment.payload;
  if (payload.captured == 0) return;
  if (!may_claim_segment(payload) && !may_claim_late_websocket(payload) && !is_any_interrupted()) return;
  const Ports ends(bytes.data);
  const Owned owned = owner_of(transports[tcp], ends);
  if (owned == Owned::no && !is_any_interrupted()) return;
  BorrowedPorts ports(pinfo, PT_TCP, ends.source, ends.destination);
  const std::size_t header = bytes.reported - payload.reported;
  if (!is_decided_by_user(pinfo)) claim_tcp(payload_of(tvb, header), pinfo, segment.seq, owned);
  ports.restore();
}

// ---- datagrams

// Heuristics that need not be asked about a datagram: bits.
using Muted = std::uint8_t;
constexpr Muted of_udp = 1;
constexpr Muted of_relayed = 2;

constexpr std::size_t udp_header_size = 8;

// A datagram as it is known before UDP gets it.
struct Found {
  Muted muted = 0;
  DtlsClient *client = nullptr;  // that waits for an answer in vain, or that nobody can read
  IceDatagram webrtc = {};
};

// @param payload not empty
void look_at_owner(Ports ends, Bytes payload, tvbuff_t *tvb, packet_info *pinfo, Found &found) {
  // No heuristic of ours is muted for it: STUN's comes before them once it has taken a packet.
  if (godot_codec::is_stun(payload)) return;
  if (owner_of(transports[udp], ends) == Owned::no) {
    if (is_refused_datagram(payload, pinfo)) found.muted |= of_udp;
  } else if (may_learn(pinfo) && may_claim_datagram(payload) && !is_decided_by_user(pinfo)) {
    claim_datagram(payload_of(tvb, udp_header_size), pinfo);
  }
}

// By the first byte, which tells most other datagrams apart (RFC 7983): 0 is STUN's, 20 to 63 DTLS'.
void look_for_others(Bytes payload, packet_info *pinfo, Found &found) {
  constexpr std::uint8_t stun = 0;
  constexpr std::uint8_t first_dtls = 20;
  constexpr std::uint8_t last_dtls = 63;
  const bool is_quoted = !is_in_conversation(pinfo);
  if (payload.captured == 0 && !is_quoted) return;
  const std::uint8_t first = payload.captured == 0 ? stun : payload.data[0];
  const bool may_be_dtls = first >= first_dtls && first <= last_dtls;
  if (may_be_dtls || is_quoted) found.client = look_for_dtls_client(payload, pinfo, is_enet_recognised());
  if (may_be_dtls || first == stun) found.webrtc = look_at_ice(payload, pinfo, false);
}

Found look_at_datagram(tvbuff_t *tvb, packet_info *pinfo) {
  Found found;
  const Bytes datagram = bytes_of(tvb);
  if (datagram.captured < udp_header_size) return found;
  const Bytes payload{datagram.data + udp_header_size, datagram.captured - udp_header_size,
                      datagram.reported - udp_header_size};
  const Ports ends(datagram.data);
  BorrowedPorts ports(pinfo, PT_UDP, ends.source, ends.destination);
  if (payload.captured > 0) look_at_owner(ends, payload, tvb, pinfo, found);
  look_for_others(payload, pinfo, found);
  ports.restore();
  if (godot_codec::may_be_relayed(payload) && is_relayed_of_others(payload, pinfo)) found.muted |= of_relayed;
  return found;
}

// ---- in the place of the transports' dissectors

Muted muted_now = 0;

void mute(Muted wanted) {
  const Muted changed = wanted ^ muted_now;
  if ((changed & of_udp) != 0) mute_udp((wanted & of_udp) != 0);
  if ((changed & of_relayed) != 0) mute_relayed((wanted & of_relayed) != 0);
  muted_now = wanted;
}

// A datagram may hold another one, which wants others muted.
int call_muted(dissector_handle_t handle, Muted wanted, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
               void *data) {
  if (wanted == muted_now) return call_dissector_only(handle, tvb, pinfo, tree, data);
  const volatile Muted before = muted_now;
  mute(wanted);
  volatile int size = 0;
  // NOLINTBEGIN: as epan has it
  TRY { size = call_dissector_only(handle, tvb, pinfo, tree, data); }
  CATCH_ALL {
    mute(before);
    RETHROW;
  }
  ENDTRY;
  // NOLINTEND
  mute(before);
  return size;
}

// SCTP calls nobody about fragments, and another dissector about the opening of channels: it is looked at behind it.
void end_of_webrtc(packet_info *pinfo) {
  if (pinfo->ptype == PT_SCTP) learn_sctp_packet(pinfo);
  restore_relayed_info(pinfo);
}

int dissect_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const Found found = look_at_datagram(tvb, pinfo);
  IcePair *const pair = found.webrtc.pair;
  if (pair != nullptr) replace_lost_handshake(*pair, pinfo);
  const int size = call_muted(transports[udp].original, found.muted, tvb, pinfo, tree, data);
  end_of_webrtc(pinfo);
  if (pair != nullptr && found.webrtc.kind == godot_codec::DtlsKind::data) tell_of_dark_data(*pair, tvb, pinfo, tree);
  if (found.client != nullptr) tell_of_dtls_client(tvb, pinfo, tree, *found.client);
  show_ends(tvb, pinfo, tree);
  return size;
}

int dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (may_learn(pinfo)) look_at_segment(tvb, pinfo);
  const int size = call_muted(transports[tcp].original, 0, tvb, pinfo, tree, data);
  look_at_web_socket(tvb, pinfo, tree);
  look_at_relay_tls(tvb, pinfo, tree);
  follow_interruption(pinfo);
  end_of_webrtc(pinfo);
  show_ends(tvb, pinfo, tree);
  return size;
}

int dissect_sctp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const int size = call_muted(transports[sctp].original, 0, tvb, pinfo, tree, data);
  end_of_webrtc(pinfo);
  return size;
}

// The table is another protocol's, and lists what is in it: it is changed when a capture is opened, not before, so that
// neither `tshark -G decodes` nor `-d` see it. What the user has decided to be in our place stays.
void apply_preference(const Transport &transport) {
  dissector_table_t protocols = find_dissector_table(table_name);
  dissector_handle_t present = dissector_get_uint_handle(protocols, transport.number);
  const bool is_looked_at = pref_owned_ports || &transport == &transports[sctp];
  dissector_handle_t wanted = is_looked_at ? transport.wrapper : transport.original;
  if (present == wanted || (present != transport.wrapper && present != transport.original)) return;
  dissector_add_uint(table_name, transport.number, wanted);
}

void begin_capture() {
  for (Transport &transport : transports) {
    transport.known = {};
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
