// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/webrtc/ice.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "godot-codec/core/memory_budget.h"
#include "godot-codec/webrtc/signalling.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/tvb.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/undecrypted_traffic.h"
#include "plugin/webrtc/sctp_associations.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::DtlsFirstRecord;
using godot_codec::DtlsRecordKind;
using godot_codec::IceCheck;
using godot_codec::MemoryBudget;

ConversationState<IcePair> pairs;
CaptureState<std::map<std::string, IceConnection>> connections;            // by user fragments
CaptureState<std::map<std::string, std::int32_t, std::less<>>> signalled;  // peer ID by user fragment
CaptureState<std::set<std::string, std::less<>>> relays;                   // relay addresses from signalling
dissector_handle_t dtls_handle;
dissector_handle_t moved_dtls_handle;

// ---- assigning a pair to its connection

void store_endpoints(IcePair &pair, const packet_info *pinfo, unsigned direction) {
  PacketEndpoints &ends = pair.endpoints[direction];
  copy_address_wmem(wmem_file_scope(), &ends.source, &pinfo->src);
  copy_address_wmem(wmem_file_scope(), &ends.destination, &pinfo->dst);
  ends.ports = ports_of(pinfo);
  pair.endpoints[1 - direction] = {ends.destination, ends.source, {pinfo->ptype, pinfo->destport, pinfo->srcport}};
}

IceConnection *connection_of(std::string_view lower, std::string_view upper) {
  IceConnection &connection = (*connections)[std::string(lower) + ':' + std::string(upper)];
  if (connection.user_fragments[0] == nullptr) {
    connection.user_fragments[0] = wmem_strndup(wmem_file_scope(), lower.data(), lower.size());
    connection.user_fragments[1] = wmem_strndup(wmem_file_scope(), upper.data(), upper.size());
  }
  return &connection;
}

// A check creates at most one pair and one connection. No MemoryBudget::ChargeScope is needed, because they take less
// memory than the budget grants for one packet. Conversations are not charged: epan creates one for each pair of ports.
constexpr std::size_t max_fragment_length = 256;  // RFC 8839: maximum length of a user fragment
static_assert(sizeof(IcePair) + sizeof(IceConnection) + 4 * max_fragment_length + std::size_t{2} * 16 <
              MemoryBudget::grant_per_wire_byte * MemoryBudget::min_packet_size);

void update_from_check(packet_info *pinfo, const IceCheck &check, bool is_relayed) {
  if (check.sender_fragment == check.receiver_fragment || check.sender_fragment.size() > max_fragment_length ||
      check.receiver_fragment.size() > max_fragment_length)
    return;
  IcePair &pair = pairs.of(conversation_of(pinfo));
  // A client logs in to its relay with a user name that may look like that of a connectivity check. So a relayed check
  // replaces a pair that is not relayed.
  if (pair.connection != nullptr && (pair.is_relayed || !is_relayed)) return;
  pair = {};
  const bool is_lower = check.sender_fragment < check.receiver_fragment;
  const unsigned direction = direction_of(pinfo);
  pair.connection = is_lower ? connection_of(check.sender_fragment, check.receiver_fragment)
                             : connection_of(check.receiver_fragment, check.sender_fragment);
  pair.lower_direction = is_lower ? direction : 1 - direction;
  pair.is_relayed = is_relayed;
  store_endpoints(pair, pinfo, direction);
}

IcePair *find_pair(packet_info *pinfo) {
  if (!has_ice_connections()) return nullptr;
  const conversation_t *conversation = existing_conversation_of(pinfo);
  IcePair *pair = conversation == nullptr ? nullptr : pairs.find(conversation);
  return pair == nullptr || pair->connection == nullptr ? nullptr : pair;
}

// Returns the index in IceConnection::user_fragments of the packet's sender.
unsigned sender_of(const IcePair &pair, const packet_info *pinfo) {
  return direction_of(pinfo) == pair.lower_direction ? 0 : 1;
}

// ---- DTLS of a connection

// Records a ClientHello. @returns true if the connection already has the same bytes, from another pair. A client
// numbers its records, so it never sends the same bytes twice.
bool is_repeated_hello(IceConnection &connection, Bytes datagram) {
  const std::uint32_t mark = wmem_strong_hash(datagram.data, datagram.captured);
  if (std::ranges::find(connection.hello_hashes, mark) != std::end(connection.hello_hashes)) return true;
  connection.hello_hashes[connection.hello_count++ % std::size(connection.hello_hashes)] = mark;
  return false;
}

// Returns the pair with the datagram's DTLS handshake; null if the beginning was not captured.
IcePair *find_handshake_pair(IcePair &pair, const DtlsFirstRecord &start, Bytes datagram) {
  IceConnection &connection = *pair.connection;
  const bool is_duplicate_or_quoted =
      start.kind == DtlsRecordKind::client_hello && is_repeated_hello(connection, datagram);
  if (pair.handshake_pair != nullptr) return pair.handshake_pair;
  if (connection.handshake_pair == nullptr && start.kind != DtlsRecordKind::data) connection.handshake_pair = &pair;
  // A copy was captured on the other side of a relay or router. It is decrypted separately, because frames may be
  // missing on either side.
  return is_duplicate_or_quoted ? &pair : connection.handshake_pair;
}

void update_from_dtls(IcePair &pair, packet_info *pinfo, const DtlsFirstRecord &start, Bytes datagram) {
  pair.handshake_pair = find_handshake_pair(pair, start, datagram);
  pair.connection->dtls_flow.add(start, pinfo->num, sender_of(pair, pinfo));
  const bool is_moved = &handshake_pair_of(pair) != &pair;
  if (is_moved && !pair.is_relayed) {
    conversation_set_dissector_from_frame_number(conversation_of(pinfo), pinfo->num, moved_dtls_handle);
  }
}

// Returns the peer ID of an end; 0 if it is not known from signalling.
std::int32_t peer_id_of_end(const IceConnection &connection, unsigned end) {
  const auto peer = signalled->find(std::string_view(connection.user_fragments[end]));
  return peer == signalled->end() ? 0 : peer->second;
}

// ---- dissecting as on another pair

// Returns the addresses and ports that the packet's sender and receiver have on another pair of the connection.
const PacketEndpoints &ends_on_pair(const IcePair &other, const IcePair &pair, const packet_info *pinfo) {
  return other.endpoints[sender_of(pair, pinfo) == 0 ? other.lower_direction : 1 - other.lower_direction];
}

int dissect_moved_dtls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  IcePair *pair = find_pair(pinfo);
  const DtlsFirstRecord start = godot_codec::read_dtls_first_record(bytes_of(tvb), true);
  if (pair == nullptr || pair->handshake_pair == nullptr || start.kind == DtlsRecordKind::none) return 0;
  return dissect_on_handshake_pair(*pair, tvb, pinfo, tree, data);
}

}  // namespace

bool has_ice_connections() { return !connections->empty(); }

bool is_ice_pair_reported(const conversation_t *conversation) {
  const IcePair *pair = pairs.find(conversation);
  return pair != nullptr && pair->connection != nullptr && pair->connection->dtls_flow.is_decrypted_or_reported();
}

IceDatagram inspect_ice_datagram(Bytes datagram, packet_info *pinfo, bool is_relayed) {
  if (!is_outside_icmp_error(pinfo) || !may_be_ice(datagram, pinfo)) return {};
  if (may_update_state(pinfo)) {
    if (const IceCheck check = godot_codec::read_ice_check(datagram); check.is_ice_check()) {
      update_from_check(pinfo, check, is_relayed);
    }
  }
  IcePair *pair = find_pair(pinfo);
  if (pair == nullptr || pair->is_relayed != is_relayed) return {};
  const DtlsFirstRecord start = godot_codec::read_dtls_first_record(datagram, true);
  if (start.kind == DtlsRecordKind::none) return {};
  if (may_update_state(pinfo)) update_from_dtls(*pair, pinfo, start, datagram);
  return {pair, start.kind, sender_of(*pair, pinfo)};
}

// DTLS's dissector stores the keys, and which end is the server, under the addresses and ports of the handshake.
int dissect_on_handshake_pair(IcePair &pair, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return call_with_endpoints(dtls_handle, ends_on_pair(handshake_pair_of(pair), pair, pinfo), tvb, pinfo, tree, data);
}

void inspect_ice_data(const IceDatagram &datagram, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  using godot_codec::EncryptedKind;
  if (datagram.kind != DtlsRecordKind::data) return;
  const IceConnection &connection = *datagram.pair->connection;
  godot_codec::EncryptedFlow &flow = datagram.pair->connection->dtls_flow;
  if (may_update_state(pinfo) && flow.report_frame == 0) {
    const bool is_games = last_game_frame() != 0 || has_signalled_peer(connection);
    flow.kind = is_games ? EncryptedKind::webrtc : EncryptedKind::other_webrtc;
  }
  inspect_encrypted_data(flow, datagram.sender, is_sctp_packet_begun(pinfo), tvb, pinfo, tree);
}

std::optional<PacketEndpoints> sctp_ends_of(packet_info *pinfo) {
  const IcePair *pair = find_pair(pinfo);
  if (pair == nullptr) return std::nullopt;
  const IcePair *&first = pair->connection->sctp_pair;
  if (first == nullptr && may_update_state(pinfo)) first = pair;
  return ends_on_pair(first == nullptr ? *pair : *first, *pair, pinfo);
}

bool has_signalled_peer(const IceConnection &connection) {
  return peer_id_of_end(connection, 0) != 0 || peer_id_of_end(connection, 1) != 0;
}

IcePeerIds ice_peer_ids_of(packet_info *pinfo) {
  const IcePair *pair = signalled->empty() ? nullptr : find_pair(pinfo);
  if (pair == nullptr) return {};
  const unsigned source = sender_of(*pair, pinfo);
  return {peer_id_of_end(*pair->connection, source), peer_id_of_end(*pair->connection, 1 - source)};
}

bool is_relay_packet(packet_info *pinfo) {
  constexpr std::uint32_t turns_port = 5349;  // IANA: TURN over TLS
  if (signalled->empty()) return false;
  const auto is_relay = [pinfo](const address &host) {
    return !relays->empty() && relays->contains(std::string_view(address_to_str(pinfo->pool, &host)));
  };
  return pinfo->destport == turns_port || pinfo->srcport == turns_port || is_relay(pinfo->dst) || is_relay(pinfo->src);
}

void update_from_signalling(std::string_view text, bool is_from_server) {
  constexpr unsigned most_relays = 64;
  const std::string_view relay = godot_codec::find_relay_address(text);
  if (!relay.empty() && relays->size() < most_relays) relays->emplace(relay);
  const godot_codec::SignalledPeer end = godot_codec::read_signalling(text, is_from_server);
  if (end.peer_id == 0 || end.user_fragment.empty() || end.user_fragment.size() > max_fragment_length) return;
  (*signalled)[std::string(end.user_fragment)] = end.peer_id;
}

void handoff_ice() {
  dtls_handle = find_dissector("dtls");
  // Registered without a protocol, so that it adds no layer.
  moved_dtls_handle = register_dissector_with_description("godot_webrtc_moved", "DTLS of WebRTC, on other ports",
                                                          dissect_moved_dtls, -1);
}

}  // namespace godot_plugin
