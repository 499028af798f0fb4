// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/webrtc/ice.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "godot-codec/core/budget.h"
#include "godot-codec/webrtc/ice.h"
#include "godot-codec/webrtc/signalling.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/undecrypted.h"
#include "plugin/webrtc/associations.h"

namespace godot_plugin {
namespace {

using godot_codec::Budget;
using godot_codec::Bytes;
using godot_codec::DtlsKind;
using godot_codec::DtlsStart;
using godot_codec::IceCheck;

ConversationState<IcePair> pairs{ConversationSlot::ice_pair};
CaptureState<std::map<std::string, IceConnection>> connections;            // by user fragments
CaptureState<std::map<std::string, std::int32_t, std::less<>>> signalled;  // peer ID by user fragment
CaptureState<std::set<std::string, std::less<>>> relays;                   // relay addresses from signalling
dissector_handle_t dtls_handle;
dissector_handle_t moved_dtls_handle;

// ---- assigning a pair to its connection

void remember_ends(IcePair &pair, const packet_info *pinfo, unsigned direction) {
  IcePair::IceEndpoint &source = pair.ends[direction];
  IcePair::IceEndpoint &destination = pair.ends[1 - direction];
  copy_address_wmem(wmem_file_scope(), &source.host, &pinfo->src);
  copy_address_wmem(wmem_file_scope(), &destination.host, &pinfo->dst);
  source.port = pinfo->srcport;
  destination.port = pinfo->destport;
  pair.type = pinfo->ptype;
}

IceConnection *connection_of(std::string_view lower, std::string_view upper) {
  IceConnection &connection = (*connections)[std::string(lower) + ':' + std::string(upper)];
  if (connection.fragments[0] == nullptr) {
    connection.fragments[0] = wmem_strndup(wmem_file_scope(), lower.data(), lower.size());
    connection.fragments[1] = wmem_strndup(wmem_file_scope(), upper.data(), upper.size());
  }
  return &connection;
}

// A check creates at most one pair and one connection. No Budget::ChargeScope is needed, because they take less memory
// than the budget grants for one packet.
constexpr std::size_t max_fragment_length = 256;  // RFC 8839: maximum length of a user fragment
static_assert(sizeof(ConversationSlots) + sizeof(IcePair) + sizeof(IceConnection) + 4 * max_fragment_length +
                  std::size_t{2} * 16 <
              Budget::per_wire_byte * Budget::least_packet);

void update_from_check(packet_info *pinfo, const IceCheck &check, bool is_relayed) {
  if (check.sender == check.receiver || check.sender.size() > max_fragment_length ||
      check.receiver.size() > max_fragment_length)
    return;
  IcePair &pair = pairs.of(conversation_of(pinfo));
  // A client logs in to its relay with a user name that may look like that of a connectivity check. So a relayed check
  // replaces a pair that is not relayed.
  if (pair.connection != nullptr && (pair.is_relayed || !is_relayed)) return;
  pair = {};
  const bool is_lower = check.sender < check.receiver;
  const unsigned direction = direction_of(pinfo);
  pair.connection =
      is_lower ? connection_of(check.sender, check.receiver) : connection_of(check.receiver, check.sender);
  pair.lower = is_lower ? direction : 1 - direction;
  pair.is_relayed = is_relayed;
  remember_ends(pair, pinfo, direction);
}

IcePair *find_pair(packet_info *pinfo) {
  if (!is_any_ice()) return nullptr;
  const conversation_t *conversation = known_conversation_of(pinfo);
  IcePair *pair = conversation == nullptr ? nullptr : pairs.find(conversation);
  return pair == nullptr || pair->connection == nullptr ? nullptr : pair;
}

// Returns the index in IceConnection::fragments of the packet's sender.
unsigned sender_of(const IcePair &pair, const packet_info *pinfo) { return direction_of(pinfo) == pair.lower ? 0 : 1; }

// ---- DTLS of a connection

// Records a ClientHello. @returns true if the connection already has the same bytes, from another pair. A client
// numbers its records, so it never sends the same bytes twice.
bool is_seen_before(IceConnection &connection, Bytes datagram) {
  const std::uint32_t mark = wmem_strong_hash(datagram.data, datagram.captured);
  if (std::ranges::find(connection.hello_marks, mark) != std::end(connection.hello_marks)) return true;
  connection.hello_marks[connection.hellos++ % std::size(connection.hello_marks)] = mark;
  return false;
}

// Returns the pair with the datagram's DTLS handshake; null if the beginning was not captured.
IcePair *session_of(IcePair &pair, const DtlsStart &start, Bytes datagram) {
  IceConnection &connection = *pair.connection;
  const bool is_copy = start.kind == DtlsKind::client_hello && is_seen_before(connection, datagram);
  if (pair.session != nullptr) return pair.session;
  if (connection.handshake == nullptr && start.kind != DtlsKind::data) connection.handshake = &pair;
  // A copy was captured on the other side of a relay or router. It is decrypted separately, because frames may be
  // missing on either side.
  return is_copy ? &pair : connection.handshake;
}

void update_from_dtls(IcePair &pair, packet_info *pinfo, const DtlsStart &start, Bytes datagram) {
  pair.session = session_of(pair, start, datagram);
  pair.connection->flow.add(start, pinfo->num, sender_of(pair, pinfo));
  const bool is_moved = &session_pair(pair) != &pair;
  if (is_moved && !pair.is_relayed) {
    conversation_set_dissector_from_frame_number(conversation_of(pinfo), pinfo->num, moved_dtls_handle);
  }
}

// Returns the peer ID of an end; 0 if it is not known from signalling.
std::int32_t id_of_end(const IceConnection &connection, unsigned end) {
  const auto peer = signalled->find(std::string_view(connection.fragments[end]));
  return peer == signalled->end() ? 0 : peer->second;
}

// ---- dissecting as on another pair

// Returns the addresses and ports that the packet's sender and receiver have on another pair of the connection.
PacketEnds ends_at(const IcePair &other, const IcePair &pair, const packet_info *pinfo) {
  const unsigned direction = sender_of(pair, pinfo) == 0 ? other.lower : 1 - other.lower;
  const IcePair::IceEndpoint &source = other.ends[direction];
  const IcePair::IceEndpoint &destination = other.ends[1 - direction];
  return {source.host, destination.host, source.port, destination.port, other.type};
}

int dissect_moved(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  IcePair *pair = find_pair(pinfo);
  const DtlsStart start = godot_codec::read_dtls_start(bytes_of(tvb), true);
  if (pair == nullptr || pair->session == nullptr || start.kind == DtlsKind::none) return 0;
  return dissect_in_session(*pair, tvb, pinfo, tree, data);
}

}  // namespace

bool is_any_ice() { return !connections->empty(); }

bool is_ice_pair_reported(const conversation_t *conversation) {
  const IcePair *pair = pairs.find(conversation);
  return pair != nullptr && pair->connection != nullptr && pair->connection->flow.is_explained();
}

IceDatagram inspect_ice_datagram(Bytes datagram, packet_info *pinfo, bool is_relayed) {
  if (!is_in_conversation(pinfo) || !may_be_ice(datagram, pinfo)) return {};
  if (may_update_state(pinfo)) {
    if (const IceCheck check = godot_codec::read_ice_check(datagram); check.is_check()) {
      update_from_check(pinfo, check, is_relayed);
    }
  }
  IcePair *pair = find_pair(pinfo);
  if (pair == nullptr || pair->is_relayed != is_relayed) return {};
  const DtlsStart start = godot_codec::read_dtls_start(datagram, true);
  if (start.kind == DtlsKind::none) return {};
  if (may_update_state(pinfo)) update_from_dtls(*pair, pinfo, start, datagram);
  return {pair, start.kind, sender_of(*pair, pinfo)};
}

// DTLS's dissector stores the keys, and which end is the server, under the addresses and ports of the handshake.
int dissect_in_session(IcePair &pair, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return call_with_ends(dtls_handle, ends_at(session_pair(pair), pair, pinfo), tvb, pinfo, tree, data);
}

void inspect_ice_data(const IceDatagram &datagram, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  using godot_codec::EncryptedKind;
  if (datagram.kind != DtlsKind::data) return;
  const IceConnection &connection = *datagram.pair->connection;
  godot_codec::EncryptedFlow &flow = datagram.pair->connection->flow;
  if (may_update_state(pinfo) && flow.reported == 0) {
    const bool is_games = has_game_frames() || is_signalled(connection);
    flow.kind = is_games ? EncryptedKind::webrtc : EncryptedKind::other_webrtc;
  }
  if (is_report_due(flow, datagram.sender, is_sctp_begun(pinfo), pinfo)) report_undecrypted(flow, tvb, pinfo, tree);
}

std::optional<PacketEnds> ice_ends_of(packet_info *pinfo) {
  const IcePair *pair = find_pair(pinfo);
  if (pair == nullptr) return std::nullopt;
  const IcePair *&first = pair->connection->first;
  if (first == nullptr && may_update_state(pinfo)) first = pair;
  return ends_at(first == nullptr ? *pair : *first, *pair, pinfo);
}

bool is_signalled(const IceConnection &connection) {
  return id_of_end(connection, 0) != 0 || id_of_end(connection, 1) != 0;
}

IcePeers ice_peers_of(packet_info *pinfo) {
  const IcePair *pair = signalled->empty() ? nullptr : find_pair(pinfo);
  if (pair == nullptr) return {};
  const unsigned source = sender_of(*pair, pinfo);
  return {id_of_end(*pair->connection, source), id_of_end(*pair->connection, 1 - source)};
}

bool is_at_relay(packet_info *pinfo) {
  constexpr std::uint32_t turns_port = 5349;  // IANA: TURN over TLS
  if (signalled->empty()) return false;
  const auto is_relay = [pinfo](const address &host) {
    return !relays->empty() && relays->contains(std::string_view(address_to_str(pinfo->pool, &host)));
  };
  return pinfo->destport == turns_port || pinfo->srcport == turns_port || is_relay(pinfo->dst) || is_relay(pinfo->src);
}

void update_from_signalling(std::string_view text, bool is_from_server) {
  constexpr unsigned most_relays = 64;
  const std::string_view relay = godot_codec::read_signalled_relay(text);
  if (!relay.empty() && relays->size() < most_relays) relays->emplace(relay);
  const godot_codec::SignalledEnd end = godot_codec::read_signalling(text, is_from_server);
  if (end.peer == 0 || end.fragment.empty() || end.fragment.size() > max_fragment_length) return;
  (*signalled)[std::string(end.fragment)] = end.peer;
}

void handoff_ice() {
  dtls_handle = find_dissector("dtls");
  // Registered without a protocol, so that it adds no layer.
  moved_dtls_handle =
      register_dissector_with_description("godot_webrtc_moved", "DTLS of WebRTC, on other ports", dissect_moved, -1);
}

}  // namespace godot_plugin
