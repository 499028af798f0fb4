// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/webrtc/ice.h"

#include "godot-codec/core/budget.h"
#include "godot-codec/webrtc/ice.h"
#include "godot-codec/webrtc/signalling.h"
#include "plugin/epan/by_conversation.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/tvb.h"
#include "plugin/webrtc/associations.h"
#include "plugin/webrtc/fields.h"

namespace godot_plugin {

using godot_codec::Budget;
using godot_codec::Bytes;
using godot_codec::DtlsKind;
using godot_codec::DtlsStart;
using godot_codec::IceCheck;

struct IceEnd {
  address host;
  std::uint32_t port;
};

// A connection of WebRTC: two ends, known by their user fragments.
struct IceConnection {
  const char *fragments[2];  // the lower one first
  IcePair *handshake;        // where its DTLS has begun; null: nowhere so far
  std::uint32_t hello;       // the frame of its first ClientHello
  bool is_1_3;
  bool is_chacha20;
  std::uint32_t unread;  // datagrams with data that nobody could read
  bool is_read;          // some could
  std::uint32_t told;    // the frame that tells of it
};

// A pair of one. Plain data, of file scope.
struct IcePair {
  IceConnection *connection;  // null before a check has come
  IceEnd ends[2];             // by direction: who sends
  unsigned lower;             // the direction of the end whose user fragment is less
};

namespace {

int proto_webrtc = -1;
ByConversation<IcePair> pairs;
wmem_map_t *connections;  // by user fragments
wmem_map_t *signalled;    // ids of peers, by their ends' user fragments
dissector_handle_t dtls_handle;
dissector_handle_t moved_handle;

// ---- which connection a pair is of

void remember_ends(IcePair &pair, const packet_info *pinfo, unsigned direction) {
  IceEnd &source = pair.ends[direction];
  IceEnd &destination = pair.ends[1 - direction];
  copy_address_wmem(wmem_file_scope(), &source.host, &pinfo->src);
  copy_address_wmem(wmem_file_scope(), &destination.host, &pinfo->dst);
  source.port = pinfo->srcport;
  destination.port = pinfo->destport;
}

IceConnection *connection_of(packet_info *pinfo, std::string_view lower, std::string_view upper) {
  const char *key = wmem_strdup_printf(pinfo->pool, "%.*s:%.*s", static_cast<int>(lower.size()), lower.data(),
                                       static_cast<int>(upper.size()), upper.data());
  auto *known = static_cast<IceConnection *>(wmem_map_lookup(connections, key));
  if (known != nullptr) return known;
  auto *connection = wmem_new0(wmem_file_scope(), IceConnection);
  connection->fragments[0] = wmem_strndup(wmem_file_scope(), lower.data(), lower.size());
  connection->fragments[1] = wmem_strndup(wmem_file_scope(), upper.data(), upper.size());
  wmem_map_insert(connections, wmem_strdup(wmem_file_scope(), key), connection);
  return connection;
}

// A check makes one pair and one connection at most. That is less than any packet earns, so nobody has to count it.
constexpr std::size_t longest = 256;  // RFC 8839, of a user fragment
static_assert(sizeof(IcePair) + sizeof(IceConnection) + 4 * longest + std::size_t{2} * 16 <
              Budget::per_wire_byte * Budget::least_packet);

void learn_check(packet_info *pinfo, const IceCheck &check) {
  if (check.sender == check.receiver || check.sender.size() > longest || check.receiver.size() > longest) return;
  IcePair &pair = pairs.of(find_or_create_conversation(pinfo));
  if (pair.connection != nullptr) return;
  const bool is_lower = check.sender < check.receiver;
  const unsigned direction = direction_of(pinfo);
  pair.connection = is_lower ? connection_of(pinfo, check.sender, check.receiver)
                             : connection_of(pinfo, check.receiver, check.sender);
  pair.lower = is_lower ? direction : 1 - direction;
  remember_ends(pair, pinfo, direction);
}

IcePair *find_pair(packet_info *pinfo) {
  if (wmem_map_size(connections) == 0) return nullptr;
  const conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
  IcePair *pair = conversation == nullptr ? nullptr : pairs.find(conversation);
  return pair == nullptr || pair->connection == nullptr ? nullptr : pair;
}

// ---- DTLS of a connection

void learn_dtls(IcePair &pair, packet_info *pinfo, const DtlsStart &start) {
  IceConnection &connection = *pair.connection;
  if (start.kind == DtlsKind::client_hello && connection.handshake == nullptr) {
    connection.handshake = &pair;
    connection.hello = pinfo->num;
  }
  if (start.kind == DtlsKind::server_hello) {
    connection.is_1_3 = start.is_1_3;
    connection.is_chacha20 = start.is_chacha20();
  }
  const bool is_moved = connection.handshake != nullptr && connection.handshake != &pair;
  if (!is_moved) return;
  conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo), pinfo->num, moved_handle);
}

// ---- on another pair

// The ends of the pair where the connection's DTLS has begun, for the packet's own.
PacketEnds ends_at_handshake(const IcePair &pair, const packet_info *pinfo) {
  const IcePair &handshake = *pair.connection->handshake;
  const bool is_from_lower = direction_of(pinfo) == pair.lower;
  const unsigned direction = is_from_lower ? handshake.lower : 1 - handshake.lower;
  const IceEnd &source = handshake.ends[direction];
  const IceEnd &destination = handshake.ends[1 - direction];
  return {source.host, destination.host, source.port, destination.port};
}

// DTLS keeps its keys, and which end is the server, by the addresses and ports of the handshake.
int dissect_moved(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const IcePair *pair = find_pair(pinfo);
  const DtlsStart start = godot_codec::read_dtls_start(bytes_of(tvb), true);
  if (pair == nullptr || pair->connection->handshake == nullptr || start.kind == DtlsKind::none) return 0;
  return call_with_ends(dtls_handle, ends_at_handshake(*pair, pinfo), tvb, pinfo, tree, data);
}

// ---- telling

const char *reason_for(const IcePair &pair, packet_info *pinfo) {
  const IceConnection &connection = *pair.connection;
  if (connection.hello == 0) {
    return "the handshake of DTLS is not in the capture: begin to record before the game connects";
  }
  if (connection.is_chacha20) return "encrypted with ChaCha20-Poly1305, which Wireshark does not decrypt in DTLS";
#if WIRESHARK_VERSION_MAJOR == 4 && WIRESHARK_VERSION_MINOR < 4
  if (connection.is_1_3) {
    return wmem_strdup_printf(
        pinfo->pool, "DTLS 1.3 (since frame %u), which Wireshark %d.%d does not decrypt; 4.4 does, with the keys",
        connection.hello, WIRESHARK_VERSION_MAJOR, WIRESHARK_VERSION_MINOR);
  }
#endif
  return wmem_strdup_printf(pinfo->pool,
                            "no keys for the handshake in frame %u: Firefox writes them to SSLKEYLOGFILE, Chromium "
                            "writes none, but a log of its SCTP packets",
                            connection.hello);
}

// DTLS 1.3 hides the end of its handshake, too.
std::uint32_t patience_with(const IceConnection &connection) { return connection.is_1_3 ? 12 : 1; }

bool is_dark(IceConnection &connection, packet_info *pinfo) {
  if (may_learn(pinfo) && connection.told == 0 && !connection.is_read) {
    if (++connection.unread >= patience_with(connection)) connection.told = pinfo->num;
  }
  return connection.told == pinfo->num && !connection.is_read;
}

}  // namespace

IcePair *look_at_ice(Bytes datagram, packet_info *pinfo) {
  if (!is_in_conversation(pinfo)) return nullptr;
  if (may_learn(pinfo)) {
    if (const IceCheck check = godot_codec::read_ice_check(datagram); check.is_check()) learn_check(pinfo, check);
  }
  IcePair *pair = find_pair(pinfo);
  if (pair == nullptr) return nullptr;
  const DtlsStart start = godot_codec::read_dtls_start(datagram, true);
  if (start.kind == DtlsKind::none) return nullptr;
  if (may_learn(pinfo)) learn_dtls(*pair, pinfo, start);
  return start.kind == DtlsKind::data ? pair : nullptr;
}

IcePeers ice_peers_of(packet_info *pinfo) {
  const IcePair *pair = wmem_map_size(signalled) == 0 ? nullptr : find_pair(pinfo);
  if (pair == nullptr) return {};
  const auto id_of = [&](unsigned end) {
    return GPOINTER_TO_INT(wmem_map_lookup(signalled, pair->connection->fragments[end]));
  };
  const unsigned source = direction_of(pinfo) == pair->lower ? 0 : 1;
  return {id_of(source), id_of(1 - source)};
}

void learn_signalling(std::string_view text, bool is_from_server) {
  const godot_codec::SignalledEnd end = godot_codec::read_signalling(text, is_from_server);
  if (end.peer == 0 || end.fragment.empty() || end.fragment.size() > longest) return;
  const char *key = wmem_strndup(wmem_file_scope(), end.fragment.data(), end.fragment.size());
  wmem_map_insert(signalled, key, GINT_TO_POINTER(end.peer));
}

void tell_of_dark_data(IcePair &pair, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  if (is_sctp_begun(pinfo)) {
    pair.connection->is_read = true;
    return;
  }
  if (!is_dark(*pair.connection, pinfo)) return;
  const char *reason = reason_for(pair, pinfo);
  proto_item *item = proto_tree_add_protocol_format(tree, proto_webrtc, tvb, 0, 0, "WebRTC data channels: %s", reason);
  proto_item_set_generated(item);
  const char *carrier = pinfo->current_proto;
  pinfo->current_proto = "WebRTC";  // who tells: the list of expert items has it
  expert_add_info_format(pinfo, item, &webrtc_experts.unread, "This WebRTC connection is not readable: %s", reason);
  pinfo->current_proto = carrier;
  col_append_fstr(pinfo->cinfo, COL_INFO, " [WebRTC, not readable: %s]", reason);
}

void register_ice(int proto) {
  proto_webrtc = proto;
  pairs.register_state();
  connections = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal);
  signalled = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal);
}

void handoff_ice() {
  dtls_handle = find_dissector("dtls");
  // It belongs to no protocol, so that it adds no layer.
  moved_handle = register_dissector_with_description("godot_webrtc_moved", "DTLS of WebRTC, on another pair of ports",
                                                     dissect_moved, -1);
}

}  // namespace godot_plugin
