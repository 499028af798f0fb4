// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>

#include "godot-codec/stream/web_socket.h"
#include "godot-codec/variant/variant_text.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/transport/transports.h"
#include "plugin/transport/websocket_detection.h"
#include "plugin/webrtc/ice.h"
#include "plugin/websocket/websocket_connections.h"

namespace godot_plugin {
namespace {

using godot_codec::PayloadFormat;
using godot_codec::WebSocketFrame;

// ---- facts about a message, which Wireshark's WebSocket dissector does not pass on

// Returns the frame of a server's message if the frame header directly precedes the message; otherwise an empty frame.
WebSocketFrame frame_before(tvbuff_t *message) {
  constexpr std::size_t long_length = 126;
  constexpr std::size_t short_header = 2;
  const std::size_t length = tvb_reported_length(message);
  const std::size_t header = length < long_length ? short_header : short_header + (length <= UINT16_MAX ? 2 : 8);
  tvbuff_t *source = tvb_get_ds_tvb(message);
  const auto start = static_cast<std::size_t>(tvb_raw_offset(message));
  if (source == message || start < header) return {};
  const WebSocketFrame frame = godot_codec::read_web_socket_frame(bytes_of(source), start - header);
  const bool is_its = !frame.is_masked && frame.content.offset == start && frame.content.length == length;
  return is_its ? frame : WebSocketFrame{};
}

PayloadFormat format_of_frame(const WebSocketFrame &frame) {
  if (!frame.is_read || !frame.is_final) return PayloadFormat::unspecified;
  if (frame.opcode == WebSocketFrame::text) return PayloadFormat::text;
  return frame.opcode == WebSocketFrame::binary ? PayloadFormat::binary : PayloadFormat::unspecified;
}

tvbuff_t *tvb_of(const GSList *source) { return get_data_source_tvb(static_cast<const data_source *>(source->data)); }

// Searches for the masked frame that contains @p content. If the packet's frames are not known, searches all bytes of
// the packet, including decrypted and reassembled bytes.
WebSocketFrame find_masked_frame(WebSocketPacket &packet, tvbuff_t *content, const packet_info *pinfo) {
  for (const GSList *each = pinfo->data_src; each != nullptr && tvb_of(each) != content; each = each->next) {
    tvbuff_t *source = tvb_of(each);
    const bool is_source = source == packet.frame_source;
    if (packet.data_opcodes != 0 && !is_source) continue;
    const WebSocketFrame frame =
        godot_codec::find_masked_frame(bytes_of(source), is_source ? packet.next_frame : 0, bytes_of(content));
    if (!frame.is_read) continue;
    packet.frame_source = source;
    packet.next_frame = frame.content.end();
    return frame;
  }
  return {};
}

// Returns the data source before @p content: the unmasked bytes if @p content was decompressed.
tvbuff_t *data_source_before(tvbuff_t *content, const packet_info *pinfo) {
  tvbuff_t *before = nullptr;
  for (const GSList *each = pinfo->data_src; each != nullptr && tvb_of(each) != content; each = each->next) {
    before = tvb_of(each);
  }
  return before;
}

// What a message's frame shows.
struct MessageFrame {
  PayloadFormat format = PayloadFormat::unspecified;
  // True if the message is still compressed. Wireshark does not decompress messages over HTTP/2. It also does not
  // decompress messages if the handshake is not in the capture.
  bool is_compressed = false;
  bool has_adjacent_header = false;  // true if the frame's header directly precedes the message: an uncompressed
                                     // message of a server
  bool is_masked = false;            // true if the message was masked, which proves that a client sent the message
  bool is_decompressed = false;      // true if the message is the decompressed content of a masked frame
};

// Finds the masked frame of a message.
void read_masked_frame(MessageFrame &message, tvbuff_t *tvb, packet_info *pinfo, WebSocketPacket &packet) {
  // Maximum number of failed searches. It limits the work for hostile packets in which the search finds nothing.
  constexpr unsigned max_misses = 64;
  if (tvb_get_ds_tvb(tvb) != tvb || packet.failed_searches >= max_misses) return;
  if (packet.data_opcodes != 0 && !packet.has_masked) return;
  tvbuff_t *before = data_source_before(tvb, pinfo);
  // The second content is only searched for if the first content is not found, so the more likely content is first.
  std::array<tvbuff_t *, 2> contents{tvb, before};
  if (packet.has_compressed) std::ranges::reverse(contents);
  WebSocketFrame frame;
  for (tvbuff_t *content : contents) {
    if (frame.is_read || content == nullptr) continue;
    frame = find_masked_frame(packet, content, pinfo);
    message.is_decompressed = content == before;
  }
  if (!frame.is_read) ++packet.failed_searches;
  message.is_masked = frame.is_read;
  message.is_compressed = message.is_compressed || (frame.is_compressed && !message.is_decompressed);
  message.format = format_of_frame(frame);
}

PayloadFormat guess_format(tvbuff_t *tvb) {
  return godot_codec::is_plain_text(bytes_of(tvb).text()) ? PayloadFormat::text : PayloadFormat::unspecified;
}

// True if the connection's frames are not read, because it belongs to another program. Over TLS, they are read.
bool is_unread(const WebSocketPacket &packet) {
  return packet.connection != nullptr && packet.connection->is_ignored && !packet.connection->is_tls;
}

MessageFrame frame_of(tvbuff_t *tvb, packet_info *pinfo, WebSocketPacket &packet) {
  if (is_unread(packet)) return {guess_format(tvb)};
  const PayloadFormat format = packet.format();
  // If all frames of the segment have the same format, the message's frame need not be found.
  if (format != PayloadFormat::unspecified && !packet.has_compressed)
    return {.format = format, .has_adjacent_header = !packet.has_masked, .is_masked = packet.has_masked};
  const WebSocketFrame before = frame_before(tvb);
  MessageFrame message{format_of_frame(before), before.is_compressed};
  message.has_adjacent_header = message.format != PayloadFormat::unspecified;
  if (message.has_adjacent_header) return message;
  read_masked_frame(message, tvb, pinfo, packet);
  // The frame of a server's compressed message cannot be found.
  if (!message.is_masked) message.format = format;
  // Without a frame, the format is text if all bytes are printable.
  if (message.format == PayloadFormat::unspecified) message.format = guess_format(tvb);
  return message;
}

// True if Wireshark decompressed the message wrongly, because it refers to messages that are not in the capture.
bool is_undecodable(const MessageFrame &frame, const WebSocketPacket &packet, const packet_info *pinfo) {
  return packet.is_undecodable(pinfo) && !frame.has_adjacent_header && (!frame.is_masked || frame.is_decompressed);
}

// ---- port preferences

// A port preference for a protocol. epan's own port preferences need a table with Decode As, but ws.port has no Decode
// As.
class WebSocketPortPreference {
 public:
  // Registers the preference. The module's callback must call apply().
  void register_preference(module_t *module, const char *description) {
    constexpr std::uint32_t max_port = 65535;
    configured_ports_ = range_empty(wmem_epan_scope());
    registered_ports_ = range_empty(wmem_epan_scope());
    prefs_register_range_preference(module, "ws.port", "WebSocket port(s)", description, &configured_ports_, max_port);
  }

  // Sets the dissector. Wireshark ignores the return value of a `ws.port` dissector, so the dissector itself must pass
  // on foreign messages.
  void set_dissector(dissector_handle_t dissector) {
    dissector_ = dissector;
    apply();
  }

  // Registers the dissector on the configured ports.
  void apply() {
    if (dissector_ == nullptr) return;
    dissector_delete_uint_range("ws.port", registered_ports_, dissector_);
    wmem_free(wmem_epan_scope(), registered_ports_);
    registered_ports_ = range_copy(wmem_epan_scope(), configured_ports_);
    dissector_add_uint_range("ws.port", registered_ports_, dissector_);
  }

  [[nodiscard]] bool contains(std::uint32_t port) const { return value_is_in_range(configured_ports_, port); }

 private:
  range_t *configured_ports_ = nullptr;
  range_t *registered_ports_ = nullptr;
  dissector_handle_t dissector_ = nullptr;
};

WebSocketPortPreference multiplayer_ports;
WebSocketPortPreference variant_ports;
int proto_mp = -1;
dissector_handle_t text_handle;

// ---- the game link of a WebSocket

// True if a message goes to the server.
bool is_to_server(const MessageFrame &frame, const conversation_t *conversation, const packet_info *pinfo) {
  // Only clients mask their messages.
  if (frame.is_masked) return true;
  if (frame.has_adjacent_header) return false;
  if (multiplayer_ports.contains(pinfo->destport) || multiplayer_ports.contains(pinfo->srcport)) {
    return multiplayer_ports.contains(pinfo->destport);
  }
  const tcp_analysis *tcp = tcp_analysis_of(conversation);
  return tcp == nullptr || tcp->server_port == 0 ? pinfo->destport < pinfo->srcport
                                                 : tcp->server_port == pinfo->destport;
}

ConversationState<PeerLink *> links;

PeerLink *find_link(const conversation_t *conversation) {
  PeerLink *const *link = links.find(conversation);
  return link == nullptr ? nullptr : *link;
}

PeerLink *link_of(conversation_t *conversation, const MessageFrame &frame, const WebSocketConnection *connection,
                  const packet_info *pinfo) {
  PeerLink *&link = links.of(conversation);
  if (link != nullptr) return link;
  PeerLinkStart start{is_to_server(frame, conversation, pinfo), false, false};
  if (connection != nullptr) start.server_index = connection->server_index;
  link = new_peer_link(pinfo, start);
  return link;
}

// Updates the state from a text, which may be WebRTC signalling.
void update_from_text(const godot_codec::Message &message) {
  constexpr std::size_t max_text_size = 16384;
  update_from_signalling(message.bytes.text().substr(0, max_text_size), message.sender_side == 0);
}

MessageContext context_of(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  return {pinfo, tree, tvb, make_message(tvb, pinfo, Transport::websocket, heuristic_position(pinfo))};
}

// Quick check: true for a binary message of a connection that does not belong to a game.
bool is_foreign_message(const WebSocketPacket &packet, tvbuff_t *tvb, const packet_info *pinfo) {
  if (!may_update_state(pinfo)) return is_unread(packet);
  if (!is_unread(packet) && packet.format() != PayloadFormat::binary) return false;
  const godot_codec::Bytes message = bytes_of(tvb);
  PeerLink *link = find_link(packet.connection->conversation);
  // The frames of an ignored connection are not read. Its texts may be signalling.
  const bool is_text = is_unread(packet) && godot_codec::is_plain_text(message.text());
  if (is_text || link == nullptr || !link->detection.refuse(message)) return false;
  ignore_web_socket(*packet.connection, pinfo);
  return true;
}

// @param running the protocol of the running dissector
int dissect_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool is_configured, int running) {
  if (tvb_reported_length(tvb) == 0) return 0;
  WebSocketPacket &packet = web_socket_packet_of(pinfo);
  if (!is_configured && is_foreign_message(packet, tvb, pinfo)) return 0;
  const MessageFrame frame = frame_of(tvb, pinfo, packet);
  if (frame.is_compressed || is_undecodable(frame, packet, pinfo)) return 0;
  // Wireshark reads each HTTP/2 DATA frame as the beginning of a WebSocket frame. A DATA frame that continues a
  // WebSocket frame therefore looks like a fragment, and the message is lost. Godot itself never sends fragments.
  const WebSocketConnection *connection = packet.connection;
  const bool may_be_http2 = packet.data_opcodes == 0 && (connection == nullptr || !connection->is_upgraded());
  const bool is_in_http2 = may_be_http2 && has_layer(pinfo, "http2");
  if (is_in_http2 && !frame.has_adjacent_header && !frame.is_masked) return 0;
  conversation_t *conversation = connection != nullptr ? connection->conversation : conversation_of(pinfo);
  MessageContext context = context_of(tvb, pinfo, tree);
  context.conversation = conversation;
  context.game_link = link_of(conversation, frame, connection, pinfo);
  godot_codec::Message &message = context.message;
  message.sender_side = sending_end(pinfo, *context.game_link);
  message.format = frame.format;
  const bool is_new_text = message.format == PayloadFormat::text && may_update_state(pinfo);
  if (is_new_text) update_from_text(message);
  if (may_update_state(pinfo) && (is_in_http2 || (connection != nullptr && connection->has_capture_gap))) {
    context.game_link->mp_connection->record_capture_gap(message.sender_side, message.position, message.time);
  }
  if (is_new_text && !is_configured && context.game_link->detection.refuse_text(message)) return 0;
  godot_codec::PeerDetectionOptions options = enabled_peer_protocols();
  options.is_multiplayer_configured = is_configured;
  DetectedMessage detected = detect_message(context, options);
  if (detected.decision.protocol != godot_codec::PeerProtocol::unclaimed)
    mark_web_socket_game(packet, pinfo, context.game_link->client_direction);
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
  if (text_handle != nullptr && frame_of(tvb, pinfo, web_socket_packet_of(pinfo)).format == PayloadFormat::text)
    return call_dissector(text_handle, tvb, pinfo, tree);
  dissect_variant_packet(context_of(tvb, pinfo, tree), 0);
  return static_cast<int>(tvb_captured_length(tvb));
}

}  // namespace

const PeerLink *find_websocket_link(const conversation_t *conversation) { return find_link(conversation); }

void register_websocket_ports() {
  variant_ports.register_preference(prefs_find_module("godot"),
                                    "TCP ports of servers that send and receive Variants as WebSocket messages.");
  multiplayer_ports.register_preference(prefs_find_module("godot_mp"),
                                        "TCP ports of servers with the high-level multiplayer over WebSockets.");
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
