// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "godot-codec/stream/web_socket.h"
#include "godot-codec/variant/variant_text.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_data.h"
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

// State of the search for a packet's masked frames. The search finds them one after the other.
struct MaskedFrameSearch {
  const tvbuff_t *cached_message;  // the last message
  WebSocketFrame frame;
  const tvbuff_t *frame_source;  // data source that contains the frame
  std::size_t frame_end;
  unsigned failed_searches;
  bool is_decompressed;  // true if the message is the frame's decompressed content
};

tvbuff_t *tvb_of(const GSList *source) { return get_data_source_tvb(static_cast<const data_source *>(source->data)); }

// Searches all bytes of the packet, including decrypted and reassembled bytes, for the frame that contains @p content.
WebSocketFrame find_frame_of(MaskedFrameSearch &frames, tvbuff_t *content, const packet_info *pinfo) {
  for (const GSList *each = pinfo->data_src; each != nullptr && tvb_of(each) != content; each = each->next) {
    tvbuff_t *source = tvb_of(each);
    const std::size_t from = source == frames.frame_source ? frames.frame_end : 0;
    const WebSocketFrame frame = godot_codec::find_masked_frame(bytes_of(source), from, bytes_of(content));
    if (!frame.is_read) continue;
    frames.frame_source = source;
    frames.frame_end = frame.content.end();
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

const MaskedFrameSearch &search_masked_frame(tvbuff_t *message, packet_info *pinfo) {
  // Maximum number of failed searches. It limits the work for hostile packets in which the search finds nothing.
  constexpr unsigned max_misses = 64;
  MaskedFrameSearch &frames = packet_data<MaskedFrameSearch>(pinfo, PacketDataKey::masked_frames);
  if (frames.cached_message == message) return frames;
  frames.cached_message = message;
  frames.frame = {};
  frames.is_decompressed = false;
  if (tvb_get_ds_tvb(message) != message || frames.failed_searches >= max_misses) return frames;
  frames.frame = find_frame_of(frames, message, pinfo);
  tvbuff_t *before = frames.frame.is_read ? nullptr : data_source_before(message, pinfo);
  if (before != nullptr) frames.frame = find_frame_of(frames, before, pinfo);
  frames.is_decompressed = before != nullptr;
  if (before != nullptr) frames.frame.is_compressed = false;  // the frame is compressed, but the message is not
  if (!frames.frame.is_read) ++frames.failed_searches;
  return frames;
}

WebSocketFrame masked_frame_of(tvbuff_t *message, packet_info *pinfo) {
  return search_masked_frame(message, pinfo).frame;
}

// True if the message was masked, which proves that a client sent the message.
bool is_websocket_masked(tvbuff_t *message, packet_info *pinfo) { return masked_frame_of(message, pinfo).is_read; }

// True if the message is still compressed. Wireshark does not decompress messages over HTTP/2. It also does not
// decompress messages if the handshake is not in the capture.
bool is_websocket_compressed(tvbuff_t *message, packet_info *pinfo) {
  return frame_before(message).is_compressed || masked_frame_of(message, pinfo).is_compressed;
}

// True if the frame's header directly precedes the message. That is so for uncompressed messages of a server.
bool has_adjacent_websocket_header(tvbuff_t *message) {
  return format_of_frame(frame_before(message)) != PayloadFormat::unspecified;
}

// True if Wireshark decompressed the message wrongly, because it refers to messages that are not in the capture.
bool is_websocket_undecodable(tvbuff_t *message, packet_info *pinfo) {
  if (!has_undecodable_web_socket_frames(pinfo) || has_adjacent_websocket_header(message)) return false;
  const MaskedFrameSearch &frames = search_masked_frame(message, pinfo);
  return !frames.frame.is_read || frames.is_decompressed;
}

// Returns the format of a message from its frame. If the frame is not found, the format is text if all bytes are
// printable.
PayloadFormat format_of(tvbuff_t *message, packet_info *pinfo) {
  PayloadFormat format = format_of_frame(frame_before(message));
  if (format != PayloadFormat::unspecified) return format;
  const WebSocketFrame frame = masked_frame_of(message, pinfo);
  // The frame of a server's compressed message cannot be found. If all frames of the segment have the same format, the
  // message has this format, too.
  format = frame.is_read ? format_of_frame(frame) : format_of_web_socket_frames(pinfo);
  const godot_codec::Bytes bytes = bytes_of(message);
  const std::string_view text(reinterpret_cast<const char *>(bytes.data), bytes.captured);
  return format == PayloadFormat::unspecified && godot_codec::is_plain_text(text) ? PayloadFormat::text : format;
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

ConversationState<PeerLink *> links;

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
  message.format = format_of(tvb, pinfo);
  if (message.format == PayloadFormat::text) update_from_text(tvb, pinfo, message.sender_side == 0);
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
  if (text_handle != nullptr && format_of(tvb, pinfo) == PayloadFormat::text)
    return call_dissector(text_handle, tvb, pinfo, tree);
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
