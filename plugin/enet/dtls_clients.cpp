// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/dtls_clients.h"

#include "godot-codec/encryption/dtls.h"
#include "plugin/enet/fields.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::ClientHello;
using godot_codec::EncryptedKind;

// Minimum number of ClientHellos without an answer: a single one may be lost.
constexpr std::uint32_t min_hellos = 2;

int enet_protocol() {
  static const int proto = proto_get_id_by_filter_name("enet");
  return proto;
}

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
  return handle != nullptr && dissector_handle_get_protocol_index(handle) == enet_protocol();
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
  return clients.empty() ? nullptr : clients.find(known_conversation_of(pinfo));
}

// Stores a client when its first ClientHello is captured. @returns null if the client is not relevant
DtlsClient *add_client(packet_info *pinfo, const ClientHello &hello, bool may_guess) {
  if (!proto_is_protocol_enabled(find_protocol_by_id(enet_protocol()))) return nullptr;
  const bool has_name = is_named(pinfo);
  if (!has_name && !(may_be_godots(pinfo, hello) && may_guess)) return nullptr;
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
void update_client(DtlsClient &client, const packet_info *pinfo, const ClientHello &hello, std::size_t size) {
  if (hello.is_hello && direction_of(pinfo) == client.direction) {
    count_hello(client, hello, size);
  } else if (client.answered == 0) {
    client.answered = pinfo->num;
  }
}

// Records an ICMP error that quotes a datagram of the client.
void update_from_error(packet_info *pinfo) {
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
      "%sthe server uses ENet without DTLS, the address or port is wrong, no server runs there, or a firewall blocks it",
      client.is_named ? "" : "if this is a Godot game, ");
}

bool is_reported(const packet_info *pinfo, const DtlsClient &client) {
  return client.answered == 0 ? client.hellos >= min_hellos : client.answered == pinfo->num;
}

void report_client(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const DtlsClient &client) {
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
               : "If the client calls dtls_client_setup(), call dtls_server_setup() on the server, too. Check that the server runs at this address and port, and that the firewall allows UDP there.",
       .protocol = "ENet"});
}

}  // namespace

EncryptedKind inspect_dtls_client(Bytes payload, bool may_guess, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  if (!is_in_conversation(pinfo)) {
    if (!PINFO_FD_VISITED(pinfo)) update_from_error(pinfo);
    return EncryptedKind::other_dtls;
  }
  DtlsClient *client = find_client(pinfo);
  const ClientHello hello = godot_codec::read_client_hello(payload);
  if (client == nullptr && hello.is_hello && may_update_state(pinfo)) client = add_client(pinfo, hello, may_guess);
  if (client == nullptr || !godot_codec::is_dtls(payload)) return EncryptedKind::other_dtls;
  if (may_update_state(pinfo)) update_client(*client, pinfo, hello, payload.reported);
  if (is_reported(pinfo, *client)) report_client(tvb, pinfo, tree, *client);
  return client->is_named ? EncryptedKind::enet : EncryptedKind::godot_dtls;
}

const char *describe_dtls_client(packet_info *pinfo, const DtlsClient &client) {
  if (client.answered != 0) return wmem_strdup_printf(pinfo->pool, "DTLS, answered (frame %u)", client.answered);
  return wmem_strdup_printf(pinfo->pool, "no answer to %u DTLS ClientHellos: %s", client.hellos,
                            likely_cause(pinfo, client));
}

}  // namespace godot_plugin
