// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/websocket_messages.h"

#include <algorithm>

#include "godot-codec/detection/websocket_chain.h"
#include "plugin/epan/by_conversation.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/preferences.h"
#include "plugin/transport/peers.h"
#include "plugin/transport/websocket.h"
#include "plugin/webrtc/ice.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {
namespace {

using godot_codec::PeerOptions;
using godot_codec::PeerProtocol;

WebSocketPorts multiplayer_ports;
WebSocketPorts variant_ports;
int proto_mp = -1;
int proto_godot = -1;
dissector_handle_t text_handle;

// True if a message goes to the server.
bool is_to_server(tvbuff_t *tvb, packet_info *pinfo) {
  // A client masks what it sends.
  if (is_websocket_masked(tvb, pinfo)) return true;
  if (has_websocket_header(tvb)) return false;
  if (multiplayer_ports.contains(pinfo->destport) || multiplayer_ports.contains(pinfo->srcport)) {
    return multiplayer_ports.contains(pinfo->destport);
  }
  const tcp_analysis *tcp = get_tcp_conversation_data(nullptr, pinfo);
  return tcp == nullptr || tcp->server_port == 0 ? pinfo->destport < pinfo->srcport
                                                 : tcp->server_port == pinfo->destport;
}

PeerLink *link_of(conversation_t *conversation, tvbuff_t *tvb, packet_info *pinfo) {
  auto *link = static_cast<PeerLink *>(conversation_get_proto_data(conversation, proto_mp));
  if (link == nullptr) {
    link = new_peer_link(pinfo, {is_to_server(tvb, pinfo), false, false});
    conversation_add_proto_data(conversation, proto_mp, link);
  }
  return link;
}

// A text may be signalling, by which peers of WebRTC find each other.
void learn_text(tvbuff_t *tvb, const packet_info *pinfo, bool is_from_server) {
  constexpr std::size_t longest = 16384;
  if (!may_learn(pinfo)) return;
  const godot_codec::Bytes bytes = bytes_of(tvb);
  learn_signalling({reinterpret_cast<const char *>(bytes.data), std::min(bytes.captured, longest)}, is_from_server);
}

godot_codec::PayloadFormat format_of(tvbuff_t *tvb, packet_info *pinfo) {
  using godot_codec::PayloadFormat;
  if (is_websocket_text(tvb, pinfo)) return PayloadFormat::text;
  return websocket_kind(tvb, pinfo) == WebSocketKind::binary ? PayloadFormat::binary : PayloadFormat::unspecified;
}

MessageContext context_of(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  return {pinfo, tree, tvb, message_from(tvb, pinfo, Transport::websocket, moment_of_heuristic(pinfo))};
}

// @param running the protocol of the running dissector
int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool is_told, int running) {
  if (tvb_reported_length(tvb) == 0 || is_websocket_compressed(tvb, pinfo)) return 0;
  if (is_websocket_garbled(tvb, pinfo)) return 0;
  // Wireshark takes each DATA frame of HTTP/2 for the beginning of a WebSocket's frame. One that goes on with such a
  // frame looks like a fragment, which Godot does not send, and its message is missing.
  const bool is_in_http2 = has_layer(pinfo, "http2");
  if (is_in_http2 && !has_websocket_header(tvb) && !is_websocket_masked(tvb, pinfo)) return 0;
  conversation_t *conversation = conversation_of(pinfo);
  MessageContext context = context_of(tvb, pinfo, tree);
  context.conversation = conversation;
  context.link = link_of(conversation, tvb, pinfo);
  godot_codec::Message &message = context.message;
  message.end = end_of(pinfo, *context.link);
  message.format = format_of(tvb, pinfo);
  if (message.format == godot_codec::PayloadFormat::text) learn_text(tvb, pinfo, message.end == 0);
  if (may_learn(pinfo) && (is_in_http2 || has_web_socket_hole(pinfo))) {
    context.link->game->learn_hole(message.end, message.moment, message.time);
  }
  PeerOptions options = enabled_peer_protocols();
  options.is_told_multiplayer = is_told;
  DetectedMessage detected = detect_message(context, options);
  if (detected.verdict.protocol != PeerProtocol::nobody) mark_web_socket_game(pinfo, context.link->client_direction);
  return dissect_detected(detected, running);
}

ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  return dissect(tvb, pinfo, tree, false, detection_protocol()) > 0;
}

int dissect_multiplayer_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  // Text messages belong to another protocol.
  const int size = dissect(tvb, pinfo, tree, true, proto_mp);
  return size > 0 ? size : call_data_dissector(tvb, pinfo, tree);
}

int dissect_variant_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  if (tvb_reported_length(tvb) == 0) return 0;
  if (text_handle != nullptr && is_websocket_text(tvb, pinfo)) return call_dissector(text_handle, tvb, pinfo, tree);
  dissect_variant_packet(context_of(tvb, pinfo, tree), 0);
  return static_cast<int>(tvb_captured_length(tvb));
}

// ---- a capture that begins later than its WebSocket

ByConversation<godot_codec::WebSocketChain> late_sockets;
// How many are followed in the capture: while there is none, a segment that begins no frame takes no time.
std::uint32_t followed;

void forget_followed() { followed = 0; }

dissector_handle_t websocket_handle;
dissector_handle_t late_handle;  // replaces websocket_handle for bytes that TCP hands on

int dissect_late(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect_web_socket_frames(websocket_handle, tvb, pinfo, tree, data);
}

bool may_be_late(godot_codec::Bytes segment) {
  if (followed == 0 && !godot_codec::may_begin_websocket_frame(segment)) return false;
  if (websocket_handle == nullptr || segment.reported == 0) return false;
  return is_enabled(proto_mp) || is_enabled(proto_godot);
}

// If a segment shows a WebSocket, the conversation is given to it from the first segment on that led there.
bool offer(godot_codec::Bytes segment, packet_info *pinfo, conversation_t *conversation, std::uint32_t seq) {
  if (late_sockets.find(conversation) == nullptr && !godot_codec::may_begin_websocket_frame(segment)) return false;
  godot_codec::WebSocketChain &chain = late_sockets.of(conversation);
  followed -= chain.is_begun() ? 1 : 0;
  if (!chain.add(direction_of(pinfo), {pinfo->num, 0}, seq, segment, preferred_read_options())) {
    followed += chain.is_begun() ? 1 : 0;
    return false;
  }
  conversation_set_dissector_from_frame_number(conversation, chain.first().packet, late_handle);
  return true;
}

bool is_websocket_at(conversation_t *conversation, std::uint32_t frame) {
  return conversation_get_dissector(conversation, frame) == late_handle;
}

// True if the port's owner is in the middle of a message of its own. If the connection's beginning is not in the
// capture, the owner may have taken the middle of a frame for one.
bool is_owners(conversation_t *conversation, packet_info *pinfo, std::uint32_t seq) {
  const godot_codec::WebSocketChain *chain = late_sockets.find(conversation);
  const bool is_begun = chain != nullptr && chain->is_begun();
  return !is_begun && first_byte_of_tcp(pinfo) && is_message_of_tcp(pinfo, seq);
}

}  // namespace

dissector_handle_t detect_late_websocket(tvbuff_t *tvb, packet_info *pinfo, const tcpinfo &tcp) {
  const godot_codec::Bytes bytes = bytes_of(tvb);
  if (!may_be_late(bytes)) return nullptr;
  const std::uint32_t seq = tcp.nxtseq - static_cast<std::uint32_t>(bytes.reported);
  return offer(bytes, pinfo, conversation_of(pinfo), seq) ? late_handle : nullptr;
}

bool may_claim_late_websocket(godot_codec::Bytes segment) { return may_be_late(segment); }

bool claim_late_websocket(godot_codec::Bytes segment, packet_info *pinfo, std::uint32_t seq) {
  if (!may_be_late(segment)) return false;
  // Leaves it to TCP to make the conversation.
  conversation_t *conversation = known_conversation_of(pinfo);
  if (conversation == nullptr) return false;
  if (is_websocket_at(conversation, pinfo->num)) return true;
  return !is_owners(conversation, pinfo, seq) && offer(segment, pinfo, conversation, seq);
}

void register_websocket_messages() {
  register_web_sockets();
  late_sockets.register_state();
  register_init_routine(guarded<forget_followed>);
  variant_ports.register_preference(prefs_find_module("godot"),
                                    "TCP ports of servers whose WebSocket messages are Variants.");
  multiplayer_ports.register_preference(
      prefs_find_module("godot_mp"),
      "TCP ports of servers whose WebSocket messages are of the high-level multiplayer.");
}

void handoff_websocket_messages() {
  handoff_web_sockets();
  proto_mp = proto_get_id_by_filter_name("godot_mp");
  proto_godot = proto_get_id_by_filter_name("godot");
  text_handle = find_dissector("data-text-lines");
  register_heuristic("ws", "godot_ws", guarded<detect>, "Godot multiplayer and Variants over WebSocket");
  // 4.6 has two: "websocket" takes what HTTP tells of an upgrade, and the other one what TCP hands on.
  websocket_handle = find_dissector("websocket_tcp");
  if (websocket_handle == nullptr) websocket_handle = find_dissector("websocket");
  late_handle = create_dissector_handle_with_name_and_description(guarded<dissect_late>, -1, "websocket",
                                                                  "WebSocket whose beginning is missing");
  multiplayer_ports.set_dissector(register_dissector("godot_mp", guarded<dissect_multiplayer_on_port>, proto_mp));
  variant_ports.set_dissector(register_dissector("godot.ws", guarded<dissect_variant_on_port>, proto_godot));
}

void apply_websocket_ports() {
  multiplayer_ports.apply();
  variant_ports.apply();
}

}  // namespace godot_plugin
