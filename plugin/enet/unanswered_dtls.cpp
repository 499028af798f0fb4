// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/unanswered_dtls.h"

#include "godot-codec/encryption/dtls.h"
#include "plugin/enet/fields.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame_record.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::ClientHello;
using godot_codec::EncryptedKind;

// Minimum number of ClientHellos without an answer: a single one may be lost.
constexpr std::uint32_t min_hellos = 2;

int enet_protocol_id() {
  static const int proto = proto_get_id_by_filter_name("enet");
  return proto;
}

ConversationState<DtlsClient> clients;

// ---- server ports

// Returns the dissector that is registered for the server's port in DTLS; null if there is none.
dissector_handle_t dtls_port_dissector(const packet_info *pinfo) {
  static dissector_table *const ports = find_dissector_table("dtls.port");
  return dissector_get_uint_handle(ports, pinfo->destport);
}

bool is_enet_dissector(dissector_handle_t handle) {
  return handle != nullptr && dissector_handle_get_protocol_index(handle) == enet_protocol_id();
}

bool is_configured_as_enet(const packet_info *pinfo) {
  return is_enet_dissector(dissector_get_uint_handle(port_table_of(PT_UDP), pinfo->destport)) ||
         is_enet_dissector(dtls_port_dissector(pinfo));
}

// True if the client may be a Godot client: its ClientHello is like Godot's, no dissector is registered for the port in
// DTLS, and the user has not changed the port's dissector.
bool may_be_godot_client(const packet_info *pinfo, const ClientHello &hello) {
  return hello.is_from_mbed_tls && dtls_port_dissector(pinfo) == nullptr &&
         !dissector_is_uint_changed(port_table_of(PT_UDP), pinfo->destport);
}

// ---- state, updated on the first pass

DtlsClient *find_dtls_client(packet_info *pinfo) {
  return clients.empty() ? nullptr : clients.find(existing_conversation_of(pinfo));
}

// Stores a client when its first ClientHello is captured. @returns null if the client is not relevant
DtlsClient *add_dtls_client(packet_info *pinfo, const ClientHello &hello, bool may_guess) {
  if (!proto_is_protocol_enabled(find_protocol_by_id(enet_protocol_id()))) return nullptr;
  const bool has_name = is_configured_as_enet(pinfo);
  if (!has_name && !(may_be_godot_client(pinfo, hello) && may_guess)) return nullptr;
  DtlsClient *client = &clients.of(conversation_of(pinfo));
  client->direction = direction_of(pinfo);
  client->is_enet_port = has_name;
  return client;
}

void count_hello(DtlsClient &client, const ClientHello &hello, std::size_t size) {
  const bool is_captured_twice = client.hello_count > 0 && hello.record_number == client.last_record_number;
  if (is_captured_twice) return;
  client.last_record_number = hello.record_number;
  client.hello_bytes += size;
  ++client.hello_count;
}

// Updates the client's state. Any DTLS record from the server is an answer. A record of the client that is no
// ClientHello shows an answer as well.
void update_dtls_client(DtlsClient &client, const packet_info *pinfo, const ClientHello &hello, std::size_t size) {
  if (hello.is_client_hello && direction_of(pinfo) == client.direction) {
    count_hello(client, hello, size);
  } else if (client.answered_in == 0) {
    client.answered_in = pinfo->num;
  }
}

// Records an ICMP error that quotes a datagram of the client.
void record_icmp_error(packet_info *pinfo) {
  DtlsClient *client = find_dtls_client(pinfo);
  if (client == nullptr || direction_of(pinfo) != client->direction || client->refused_in != 0) return;
  client->refused_in = pinfo->num;
}

// ---- tree, Info column and problems

const char *describe_likely_cause(packet_info *pinfo, const DtlsClient &client) {
  if (client.refused_in != 0) {
    return wmem_strdup_printf(
        pinfo->pool,
        ": an ICMP error reports that the port is closed (frame %u), so no server runs at this port, or a firewall rejects the datagrams",
        client.refused_in);
  }
  return wmem_strdup_printf(
      pinfo->pool,
      ". Possible causes%s: ENet without DTLS on the server, a wrong address or port, no running server, or a firewall",
      client.is_enet_port ? "" : " in a Godot game");
}

bool should_report(const packet_info *pinfo, const DtlsClient &client) {
  return client.answered_in == 0 ? client.hello_count >= min_hellos : client.answered_in == pinfo->num;
}

void report_dtls_client(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const DtlsClient &client) {
  FrameRecord *record = frame_record(pinfo);
  if (record != nullptr) record->dtls_client = &client;
  if (client.answered_in != 0) return;
  proto_item *item = proto_tree_add_uint(tree, enet_fields.unanswered_hellos, tvb, 0, 0, client.hello_count);
  proto_item_set_generated(item);
  add_problem(
      pinfo, item,
      {.expert = &enet_experts.unanswered_connect,
       .text = capitalize_first_letter(pinfo, describe_dtls_client(pinfo, client)),
       .advice =
           client.refused_in != 0
               ? "Start the server before the client, and check that create_server() returns OK for this port."
               : "If the client calls dtls_client_setup(), the server must call dtls_server_setup(). Check that the server runs at this address and port, and that its firewall allows this UDP port.",
       .protocol = "ENet"});
}

}  // namespace

EncryptedKind inspect_dtls_client(Bytes payload, bool may_guess, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  if (!is_outside_icmp_error(pinfo)) {
    if (!PINFO_FD_VISITED(pinfo)) record_icmp_error(pinfo);
    return EncryptedKind::other_dtls;
  }
  DtlsClient *client = find_dtls_client(pinfo);
  const ClientHello hello = godot_codec::read_client_hello(payload);
  if (client == nullptr && hello.is_client_hello && may_update_state(pinfo))
    client = add_dtls_client(pinfo, hello, may_guess);
  if (client == nullptr || !godot_codec::is_dtls(payload)) return EncryptedKind::other_dtls;
  if (may_update_state(pinfo)) update_dtls_client(*client, pinfo, hello, payload.reported);
  if (should_report(pinfo, *client)) report_dtls_client(tvb, pinfo, tree, *client);
  return client->is_enet_port ? EncryptedKind::enet : EncryptedKind::godot_dtls;
}

const char *describe_dtls_client(packet_info *pinfo, const DtlsClient &client) {
  if (client.answered_in != 0) return wmem_strdup_printf(pinfo->pool, "DTLS, answered (frame %u)", client.answered_in);
  return wmem_strdup_printf(pinfo->pool, "the client got no answer to %u DTLS ClientHellos%s", client.hello_count,
                            describe_likely_cause(pinfo, client));
}

}  // namespace godot_plugin
