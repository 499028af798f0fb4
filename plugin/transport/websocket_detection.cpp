// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/websocket_detection.h"

#include "godot-codec/detection/websocket_frame_chain.h"
#include "godot-codec/stream/web_socket.h"
#include "plugin/detection/message_detection.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/websocket/websocket_connections.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::WebSocketFrameChain;

// ---- upgrades

struct HttpUpgrade {
  bool has_request;
  bool has_answer;

  // True if the capture lacks the request or its answer. HTTP then does not pass on the frames.
  [[nodiscard]] bool is_incomplete() const { return has_request != has_answer; }
};
ConversationState<HttpUpgrade> upgrades;
CaptureState<int> incomplete_upgrades;  // number of conversations with an incomplete upgrade

bool is_http_dissector(dissector_handle_t dissector) {
  static const int proto_http = proto_get_id_by_filter_name("http");
  return dissector != nullptr && dissector_handle_get_protocol_index(dissector) == proto_http;
}

// ---- WebSockets without their beginning in the capture

ConversationState<WebSocketFrameChain> late_sockets;
dissector_handle_t websocket_handle;
dissector_handle_t late_handle;  // used in place of websocket_handle for a late WebSocket

int dissect_late_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect_web_socket_frames(websocket_handle, tvb, pinfo, tree, data);
}

// Evaluates a segment. If the frames so far prove a game, pins the conversation from the first of these frames on.
bool evaluate_frames(Bytes segment, packet_info *pinfo, conversation_t *conversation, std::uint32_t seq) {
  if (late_sockets.find(conversation) == nullptr && !godot_codec::may_begin_websocket_frame(segment)) return false;
  const godot_codec::PeerDetectionOptions enabled = enabled_peer_protocols();
  if (!enabled.may_be_multiplayer && !enabled.may_be_variant) return false;
  WebSocketFrameChain &chain = late_sockets.of(conversation);
  if (!chain.add(direction_of(pinfo), {pinfo->num, 0}, seq, segment, preferred_read_options())) return false;
  conversation_set_dissector_from_frame_number(conversation, chain.first_segment().packet, late_handle);
  return true;
}

// True if the registered dissector waits for the rest of a message. If the connection's beginning is not in the
// capture, this is no evidence, because the dissector may have read the middle of a frame as a message.
bool is_foreign_message(conversation_t *conversation, packet_info *pinfo, std::uint32_t seq) {
  const WebSocketFrameChain *chain = late_sockets.find(conversation);
  const bool is_begun = chain != nullptr && chain->has_frames();
  return !is_begun && continues_tcp_reassembly(conversation, pinfo, seq) && tcp_first_byte_seq(pinfo);
}

}  // namespace

bool has_incomplete_upgrade() { return *incomplete_upgrades > 0; }

bool may_be_late_websocket(Bytes segment) {
  const bool may_be = !late_sockets.empty() || godot_codec::may_begin_websocket_frame(segment);
  return may_be && websocket_handle != nullptr && segment.reported > 0;
}

void pin_http_upgrade(Bytes segment, packet_info *pinfo, RegisteredDissector registered) {
  conversation_t *conversation = conversation_of(pinfo);
  HttpUpgrade &upgrade = upgrades.of(conversation);
  const bool was_incomplete = upgrade.is_incomplete();
  (segment.data[0] == 'G' ? upgrade.has_request : upgrade.has_answer) = true;  // GET
  if (upgrade.is_incomplete() != was_incomplete) *incomplete_upgrades += was_incomplete ? -1 : 1;
  // If no dissector is registered on the port, HTTP's own heuristic accepts the request.
  const bool is_registered = registered == RegisteredDissector::debugger || registered == RegisteredDissector::other;
  if (is_registered || is_http_dissector(conversation_get_dissector(conversation, pinfo->num)) ||
      is_http_dissector(dissector_get_uint_handle(port_table_of(PT_TCP), pinfo->srcport)) ||
      is_http_dissector(dissector_get_uint_handle(port_table_of(PT_TCP), pinfo->destport)))
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, web_socket_observer());
}

bool detect_websocket_before_tcp(Bytes segment, packet_info *pinfo, conversation_t *conversation, std::uint32_t seq,
                                 RegisteredDissector registered) {
  if (conversation == nullptr) return false;
  const HttpUpgrade *upgrade = upgrades.find(conversation);
  if (upgrade != nullptr && !upgrade->is_incomplete())
    return true;  // HTTP passes each frame to Wireshark's WebSocket dissector
  if (upgrade == nullptr && registered != RegisteredDissector::other) return false;
  const auto is_late = [&] {
    if (!may_be_late_websocket(segment)) return false;
    if (conversation_get_dissector(conversation, pinfo->num) == late_handle) return true;
    return !is_foreign_message(conversation, pinfo, seq) && evaluate_frames(segment, pinfo, conversation, seq);
  };
  return is_late() || upgrade != nullptr;
}

dissector_handle_t detect_late_websocket(tvbuff_t *tvb, packet_info *pinfo, const tcpinfo &tcp) {
  const Bytes bytes = bytes_of(tvb);
  if (!may_be_late_websocket(bytes)) return nullptr;
  const std::uint32_t seq = tcp.nxtseq - static_cast<std::uint32_t>(bytes.reported);
  return evaluate_frames(bytes, pinfo, conversation_of(pinfo), seq) ? late_handle : nullptr;
}

void handoff_websocket_detection() {
  // Wireshark 4.6 has two WebSocket dissectors: "websocket" for data from HTTP after an upgrade, and "websocket_tcp"
  // for data from TCP.
  websocket_handle = find_dissector("websocket_tcp");
  if (websocket_handle == nullptr) websocket_handle = find_dissector("websocket");
  late_handle = create_dissector_handle_with_name_and_description(guarded<dissect_late_websocket>, -1, "websocket",
                                                                  "WebSocket without its beginning");
}

}  // namespace godot_plugin
