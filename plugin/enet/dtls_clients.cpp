// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/dtls_clients.h"

#include "godot-codec/enet/dtls.h"
#include "godot-codec/stream/tls_hello.h"
#include "plugin/enet/fields.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/dtls_reason.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::ClientHello;

// Minimum number of ClientHellos without an answer: a single one may be lost.
constexpr std::uint32_t telling_hellos = 2;

int proto = -1;
ConversationState<DtlsClient> clients{ConversationSlot::dtls_client};

// ---- server ports

// Returns the dissector that is registered for the server's UDP port; null if there is none.
dissector_handle_t udp_owner_of(const packet_info *pinfo) {
  static dissector_table *const ports = find_dissector_table("udp.port");
  return dissector_get_uint_handle(ports, pinfo->destport);
}

dissector_handle_t dtls_owner_of(const packet_info *pinfo) {
  static dissector_table *const ports = find_dissector_table("dtls.port");
  return dissector_get_uint_handle(ports, pinfo->destport);
}

bool is_enet(dissector_handle_t handle) {
  return handle != nullptr && dissector_handle_get_protocol_index(handle) == proto;
}

bool is_named(const packet_info *pinfo) { return is_enet(udp_owner_of(pinfo)) || is_enet(dtls_owner_of(pinfo)); }

// True if the client may be a Godot client: its ClientHello is like Godot's, no dissector is registered for the port in
// DTLS, and the user has not changed the port's dissector.
bool may_be_godots(const packet_info *pinfo, const ClientHello &hello) {
  static dissector_table *const ports = find_dissector_table("udp.port");
  return hello.is_like_godots && dtls_owner_of(pinfo) == nullptr && !dissector_is_uint_changed(ports, pinfo->destport);
}

// ---- state, updated on the first pass

DtlsClient *find_client(packet_info *pinfo) {
  if (!is_any_dtls_client()) return nullptr;
  return clients.find(known_conversation_of(pinfo));
}

// Stores a client when its first ClientHello is captured. @returns null if the client is not relevant
DtlsClient *meet(packet_info *pinfo, const ClientHello &hello, bool (*may_guess)()) {
  if (!proto_is_protocol_enabled(find_protocol_by_id(proto))) return nullptr;
  const bool has_name = is_named(pinfo);
  if (!has_name && !(may_be_godots(pinfo, hello) && may_guess())) return nullptr;
  DtlsClient *client = &clients.of(conversation_of(pinfo));
  client->direction = direction_of(pinfo);
  client->is_named = has_name;
  return client;
}

void count_hello(DtlsClient &client, const ClientHello &hello, std::size_t size) {
  const bool is_captured_twice = client.hellos > 0 && hello.number == client.number;
  if (is_captured_twice) return;
  client.number = hello.number;
  client.bytes += size;
  ++client.hellos;
}

// Updates the client's state. Any DTLS record from the server is an answer. A record of the client that is no
// ClientHello shows an answer as well.
void learn(DtlsClient &client, const packet_info *pinfo, const ClientHello &hello, Bytes payload) {
  client.handshake.add(godot_codec::read_dtls_start(payload, false), pinfo->num, direction_of(pinfo));
  if (hello.is_hello && direction_of(pinfo) == client.direction) {
    count_hello(client, hello, payload.reported);
  } else if (client.answered == 0) {
    client.answered = pinfo->num;
  }
}

// Records an ICMP error that quotes a datagram of the client.
void learn_refusal(packet_info *pinfo) {
  DtlsClient *client = find_client(pinfo);
  if (client == nullptr || direction_of(pinfo) != client->direction || client->refused != 0) return;
  client->refused = pinfo->num;
}

// ---- tree, Info column and problems

const char *likely_cause(packet_info *pinfo, const DtlsClient &client) {
  if (client.refused != 0) {
    return wmem_strdup_printf(pinfo->pool,
                              "an ICMP error reports a closed port (frame %u): no server at that port, or a firewall",
                              client.refused);
  }
  return wmem_strdup_printf(
      pinfo->pool,
      "%sdoes the server use ENet without DTLS? Otherwise the address or port is wrong, no server runs there, or a firewall blocks it",
      client.is_named ? "" : "if this is a Godot game, ");
}

bool is_told(const packet_info *pinfo, const DtlsClient &client) {
  return client.answered == 0 ? client.hellos >= telling_hellos : client.answered == pinfo->num;
}

bool may_be_dark(const packet_info *pinfo, const DtlsClient &client, Bytes payload) {
  constexpr std::uint8_t data_record = 23;
  return payload.data[0] == data_record && !client.is_read && (client.dark == 0 || client.dark == pinfo->num);
}

const char *reason_for(const DtlsClient &client, packet_info *pinfo) {
  if (const char *reason = reason_for_undecrypted_dtls(client.handshake, pinfo); reason != nullptr) return reason;
  return wmem_strdup_printf(
      pinfo->pool,
      "no keys for the handshake in frame %u: Godot exports no keys, so turn encryption off while you debug, or preload a library that exports them",
      client.handshake.hello);
}

void report_undecrypted_data(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, DtlsClient &client) {
  if (may_learn(pinfo)) {
    client.is_read = has_decrypted(pinfo);
    client.dark = client.is_read ? 0 : pinfo->num;
  }
  if (client.is_read || client.dark != pinfo->num) return;
  const char *who = client.is_named ? "ENet over DTLS" : "DTLS of a Godot client (ENet or PacketPeerDTLS)";
  const char *reason = wmem_strdup_printf(pinfo->pool, "%s: %s", who, reason_for(client, pinfo));
  proto_item *item = proto_tree_add_protocol_format(tree, proto, tvb, 0, 0, "ENet, cannot be decrypted: %s", reason);
  proto_item_set_generated(item);
  add_problem(pinfo, item,
              {.rule = &enet_experts.undecrypted,
               .text = wmem_strdup_printf(pinfo->pool, "Cannot be decrypted: %s", reason),
               .subject = reason,
               .protocol = "ENet"});
  col_append_fstr(pinfo->cinfo, COL_INFO, " [cannot be decrypted: %s]", reason);
}

}  // namespace

bool is_any_dtls_client() { return !clients.empty(); }

DtlsClient *look_for_dtls_client(Bytes payload, packet_info *pinfo, bool (*may_guess)()) {
  if (!is_in_conversation(pinfo)) {
    if (!PINFO_FD_VISITED(pinfo)) learn_refusal(pinfo);
    return nullptr;
  }
  if (!godot_codec::is_dtls(payload)) return nullptr;
  DtlsClient *client = find_client(pinfo);
  if (client == nullptr && !godot_codec::may_be_client_hello(payload, godot_codec::dtls_record_header)) return nullptr;
  const ClientHello hello = godot_codec::read_client_hello(payload);
  if (client == nullptr && hello.is_hello && may_learn(pinfo)) client = meet(pinfo, hello, may_guess);
  if (client == nullptr) return nullptr;
  if (may_learn(pinfo)) learn(*client, pinfo, hello, payload);
  return is_told(pinfo, *client) || may_be_dark(pinfo, *client, payload) ? client : nullptr;
}

void tell_of_dtls_client(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, DtlsClient &client) {
  if (!is_told(pinfo, client)) {
    report_undecrypted_data(tvb, pinfo, tree, client);
    return;
  }
  FrameRecord *record = frame_record(pinfo);
  if (record != nullptr) record->dtls_client = &client;
  if (client.answered != 0) return;
  proto_item *item = proto_tree_add_uint(tree, enet_fields.unanswered_hellos, tvb, 0, 0, client.hellos);
  proto_item_set_generated(item);
  add_problem(
      pinfo, item,
      {.rule = &enet_experts.unanswered_connect,
       .text = as_sentence(pinfo, describe_dtls_client(pinfo, client)),
       .advice =
           client.refused != 0
               ? "Start the server before the client, and check that create_server() returns OK for that port."
               : "Call dtls_server_setup() on the host of the server, too. Does the server run at that port, with the UDP port open in the firewall?",
       .protocol = "ENet"});
}

const char *describe_dtls_client(packet_info *pinfo, const DtlsClient &client) {
  if (client.answered != 0) return wmem_strdup_printf(pinfo->pool, "DTLS, answered (frame %u)", client.answered);
  return wmem_strdup_printf(pinfo->pool, "no answer to %u DTLS ClientHellos: %s", client.hellos,
                            likely_cause(pinfo, client));
}

void register_dtls_clients(int proto_enet) { proto = proto_enet; }

}  // namespace godot_plugin
