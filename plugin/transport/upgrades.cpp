// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/upgrades.h"

#include "godot-codec/stream/web_socket.h"
#include "plugin/epan/by_conversation.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/guard.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;

// True once a conversation of the capture has been upgraded: before that, none need be looked up.
bool has_any_upgraded = false;

void end_capture() { has_any_upgraded = false; }

// The upgrade to a WebSocket, from which on the conversation is HTTP's own. Zeros at first.
struct Upgraded {
  bool is_asked;
  bool is_answered;
};
ByConversation<Upgraded> upgraded_conversations;

const Upgraded *find_upgraded(packet_info *pinfo) {
  if (!has_any_upgraded) return nullptr;
  const conversation_t *conversation = known_conversation_of(pinfo);
  return conversation == nullptr ? nullptr : upgraded_conversations.find(conversation);
}

dissector_handle_t owner_of(std::uint32_t port) {
  static auto *const tcp_ports = find_dissector_table("tcp.port");
  return dissector_get_uint_handle(tcp_ports, port);
}

bool is_http_dissector(dissector_handle_t dissector) {
  static const int proto_http = proto_get_id_by_filter_name("http");
  return dissector != nullptr && dissector_handle_get_protocol_index(dissector) == proto_http;
}

}  // namespace

bool claim_upgrade(Bytes payload, packet_info *pinfo, bool is_owned) {
  if (!godot_codec::is_web_socket_upgrade(payload)) return false;
  conversation_t *conversation = conversation_of(pinfo);
  Upgraded &upgraded = upgraded_conversations.of(conversation);
  (payload.data[0] == 'G' ? upgraded.is_asked : upgraded.is_answered) = true;  // GET
  has_any_upgraded = true;
  // If no dissector is registered on the ports, HTTP's own heuristic takes the request.
  const bool is_http = is_http_dissector(conversation_get_dissector(conversation, pinfo->num)) ||
                       is_http_dissector(owner_of(pinfo->srcport)) || is_http_dissector(owner_of(pinfo->destport));
  if (is_owned || is_http)
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, web_socket_observer());
  return true;
}

bool is_upgraded(packet_info *pinfo) { return find_upgraded(pinfo) != nullptr; }

bool may_be_upgraded(Bytes payload) { return has_any_upgraded || godot_codec::is_web_socket_upgrade(payload); }

bool is_half_upgraded(packet_info *pinfo) {
  const Upgraded *upgraded = find_upgraded(pinfo);
  return upgraded != nullptr && upgraded->is_asked != upgraded->is_answered;
}

void register_upgrades() {
  upgraded_conversations.register_state();
  register_cleanup_routine(guarded<end_capture>);
}

}  // namespace godot_plugin
