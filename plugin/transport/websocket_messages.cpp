// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/transport/transports.h"
#include "plugin/transport/websocket_detection.h"
#include "plugin/transport/websocket_message_facts.h"
#include "plugin/webrtc/ice.h"
#include "plugin/websocket/websocket_connections.h"

namespace godot_plugin {
namespace {

WebSocketPortPreference multiplayer_ports;
WebSocketPortPreference variant_ports;
int proto_mp = -1;
dissector_handle_t text_handle;

// True if a message goes to the server.
bool is_to_server(tvbuff_t *tvb, packet_info *pinfo) {
  // Only clients mask their messages.
  if (is_websocket_masked(tvb, pinfo)) return true;
  if (has_adjacent_websocket_header(tvb)) return false;
  if (multiplayer_ports.contains(pinfo->destport) || multiplayer_ports.contains(pinfo->srcport)) {
    return multiplayer_ports.contains(pinfo->destport);
  }
  const tcp_analysis *tcp = get_tcp_conversation_data(nullptr, pinfo);
  return tcp == nullptr || tcp->server_port == 0 ? pinfo->destport < pinfo->srcport
                                                 : tcp->server_port == pinfo->destport;
}

ConversationState<PeerLink *> links{ConversationSlot::websocket_link};

PeerLink *link_of(conversation_t *conversation, tvbuff_t *tvb, packet_info *pinfo) {
  PeerLink *&link = links.of(conversation);
  if (link == nullptr) link = new_peer_link(pinfo, {is_to_server(tvb, pinfo), false, false});
  return link;
}

// Updates the state from a text, which may be WebRTC signalling.
void update_from_text(tvbuff_t *tvb, const packet_info *pinfo, bool is_from_server) {
  constexpr std::size_t max_text_size = 16384;
  if (!may_update_state(pinfo)) return;
  const godot_codec::Bytes bytes = bytes_of(tvb);
  update_from_signalling({reinterpret_cast<const char *>(bytes.data), std::min(bytes.captured, max_text_size)},
                         is_from_server);
}

godot_codec::PayloadFormat payload_format_of(tvbuff_t *tvb, packet_info *pinfo) {
  using godot_codec::PayloadFormat;
  if (is_websocket_text(tvb, pinfo)) return PayloadFormat::text;
  return websocket_message_kind(tvb, pinfo) == WebSocketMessageKind::binary ? PayloadFormat::binary
                                                                            : PayloadFormat::unspecified;
}

MessageContext context_of(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  return {pinfo, tree, tvb, make_message(tvb, pinfo, Transport::websocket, heuristic_position(pinfo))};
}

// @param running the protocol of the running dissector
int dissect_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool is_configured, int running) {
  if (tvb_reported_length(tvb) == 0 || is_websocket_compressed(tvb, pinfo)) return 0;
  if (is_websocket_undecodable(tvb, pinfo)) return 0;
  // Wireshark reads each HTTP/2 DATA frame as the beginning of a WebSocket frame. A DATA frame that continues a
  // WebSocket frame therefore looks like a fragment, and the message is lost. Godot itself never sends fragments.
  const bool is_in_http2 = has_layer(pinfo, "http2");
  if (is_in_http2 && !has_adjacent_websocket_header(tvb) && !is_websocket_masked(tvb, pinfo)) return 0;
  conversation_t *conversation = conversation_of(pinfo);
  MessageContext context = context_of(tvb, pinfo, tree);
  context.conversation = conversation;
  context.game_link = link_of(conversation, tvb, pinfo);
  godot_codec::Message &message = context.message;
  message.sender_side = sending_end(pinfo, *context.game_link);
  message.format = payload_format_of(tvb, pinfo);
  if (message.format == godot_codec::PayloadFormat::text) update_from_text(tvb, pinfo, message.sender_side == 0);
  if (may_update_state(pinfo) && (is_in_http2 || has_web_socket_capture_gap(pinfo))) {
    context.game_link->mp_connection->record_capture_gap(message.sender_side, message.position, message.time);
  }
  godot_codec::PeerDetectionOptions options = enabled_peer_protocols();
  options.is_multiplayer_configured = is_configured;
  DetectedMessage detected = detect_message(context, options);
  if (detected.decision.protocol != godot_codec::PeerProtocol::unclaimed)
    mark_web_socket_game(pinfo, context.game_link->client_direction);
  return dissect_detected_message(detected, running);
}

ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  return dissect_message(tvb, pinfo, tree, false, detection_protocol_id()) > 0;
}

int dissect_multiplayer_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  // Text messages belong to another protocol, so pass them on.
  const int size = dissect_message(tvb, pinfo, tree, true, proto_mp);
  return size > 0 ? size : call_data_dissector(tvb, pinfo, tree);
}

int dissect_variant_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  if (tvb_reported_length(tvb) == 0) return 0;
  if (text_handle != nullptr && is_websocket_text(tvb, pinfo)) return call_dissector(text_handle, tvb, pinfo, tree);
  dissect_variant_packet(context_of(tvb, pinfo, tree), 0);
  return static_cast<int>(tvb_captured_length(tvb));
}

}  // namespace

const PeerLink *find_websocket_link(const conversation_t *conversation) {
  PeerLink *const *link = links.find(conversation);
  return link == nullptr ? nullptr : *link;
}

void register_websocket_ports() {
  variant_ports.register_preference(prefs_find_module("godot"),
                                    "TCP ports of servers whose WebSocket messages are Variants.");
  multiplayer_ports.register_preference(
      prefs_find_module("godot_mp"),
      "TCP ports of servers whose WebSocket messages are of the high-level multiplayer.");
}

void handoff_websocket_transport() {
  handoff_web_sockets();
  handoff_websocket_detection();
  proto_mp = proto_get_id_by_filter_name("godot_mp");
  text_handle = find_dissector("data-text-lines");
  register_heuristic("ws", "godot_ws", guarded<detect>, "Godot multiplayer and Variants over WebSocket");
  multiplayer_ports.set_dissector(register_dissector("godot_mp", guarded<dissect_multiplayer_on_port>, proto_mp));
  variant_ports.set_dissector(
      register_dissector("godot.ws", guarded<dissect_variant_on_port>, proto_get_id_by_filter_name("godot")));
}

void apply_websocket_ports() {
  multiplayer_ports.apply();
  variant_ports.apply();
}

}  // namespace godot_plugin
