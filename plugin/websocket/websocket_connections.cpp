// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/websocket/websocket_connections.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "godot-codec/encryption/tls.h"
#include "godot-codec/stream/web_socket.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/server_indexes.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/statistics/flow_graph.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/problem_table.h"
#include "plugin/statistics/undecrypted_traffic.h"
#include "plugin/websocket/websocket_fields.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::HttpResponse;
using godot_codec::TcpSegment;
using godot_codec::WebSocketClose;
using godot_codec::WebSocketFrame;
using godot_codec::WebSocketRequest;

int proto_websocket = -1;
ConversationState<WebSocketConnection> connections;
CaptureState<std::unordered_set<unsigned>> game_servers;        // numbers of servers with proven game traffic
CaptureState<std::unordered_set<std::uint32_t>> within_frames;  // packets that begin within a WebSocket frame
CaptureState<std::uint32_t> followed;                           // count of connections that are still followed
CaptureState<bool> has_games;                                   // true if a connection may have to be reported

// The transports of HTTP.
enum HttpTransport : std::uint8_t { over_tcp, over_tls, http_transport_count };
int proto_http = -1;
dissector_handle_t http_handles[http_transport_count];    // Wireshark's own dissectors
dissector_handle_t http_observers[http_transport_count];  // dissect_http_upgrade()

// ---- connections

WebSocketConnection *find_web_socket(packet_info *pinfo) {
  return connections.empty() ? nullptr : connections.find(existing_conversation_of(pinfo));
}

// The packet that is being dissected. Not stored with the packet, because epan needs some hundred instructions for
// that.
CaptureState<WebSocketPacket> current_packet;

// True if this is the packet's WebSocket with the current ports. In a tunnel, the ports change.
bool is_packet_of(const WebSocketPacket &packet, const packet_info *pinfo) {
  return packet.frame_number == pinfo->num && packet.source_port == pinfo->srcport &&
         packet.destination_port == pinfo->destport;
}

void set_endpoints(WebSocketConnection &connection, const packet_info *pinfo) {
  const unsigned direction = direction_of(pinfo);
  connection.sides[direction].endpoint = endpoint_text(wmem_file_scope(), pinfo->src, pinfo->srcport);
  connection.sides[1 - direction].endpoint = endpoint_text(wmem_file_scope(), pinfo->dst, pinfo->destport);
}

// @param client the client's direction
WebSocketConnection &add_web_socket(packet_info *pinfo, unsigned client) {
  conversation_t *conversation = conversation_of(pinfo);
  const bool is_to_server = client == direction_of(pinfo);
  // Before the connection exists, because it may throw.
  const unsigned server_index = server_index_of(pinfo, is_to_server);
  auto *connection = &connections.of(conversation);
  connection->conversation = conversation;
  connection->server_index = server_index;
  connection->client_direction = client;
  connection->first_frame = conversation->setup_frame;
  connection->begin_time = connection->last_time = capture_time_of(pinfo);
  connection->path = connection->origin = connection->requested_subprotocols = connection->status_phrase =
      connection->selected_subprotocol = "";
  ++*followed;
  return *connection;
}

// Replaces the dissector of a connection's next packets, if it is the expected one.
void replace_dissector(const WebSocketConnection &connection, const packet_info *pinfo, dissector_handle_t expected,
                       dissector_handle_t other) {
  if (conversation_get_dissector(connection.conversation, pinfo->num) == expected)
    conversation_set_dissector_from_frame_number(connection.conversation, pinfo->num + 1, other);
}

void set_problem(WebSocketConnection &connection, const packet_info *pinfo, WebSocketProblem problem, unsigned by) {
  if (problem == WebSocketProblem::none || connection.problem != WebSocketProblem::none) return;
  connection.problem = problem;
  connection.problem_direction = by;
  connection.report_frame = pinfo->num;
}

// ---- first pass: the handshake

// Copies the beginning of a text to file scope.
const char *store_text(std::string_view text) {
  constexpr std::size_t max_length = 256;
  return text.empty() ? "" : printable(wmem_file_scope(), text.substr(0, max_length));
}

void record_request(WebSocketConnection &connection, const WebSocketRequest &request) {
  connection.path = store_text(request.path);
  connection.origin = store_text(request.origin);
  connection.requested_subprotocols = store_text(request.protocols);
  connection.is_like_godots = request.has_godot_headers;
  *has_games = *has_games || request.has_godot_headers;
}

// Adds a connection if a client's first bytes are a WebSocket request or a TLS ClientHello. @returns null for other
// bytes
WebSocketConnection *begin_web_socket(packet_info *pinfo, const TcpSegment &segment, bool is_upgrade) {
  const WebSocketRequest request =
      is_upgrade ? godot_codec::read_web_socket_request(segment.payload) : WebSocketRequest{};
  const godot_codec::TlsStreamStart tls = godot_codec::read_tls_start(segment.payload);
  if (!request.is_request && !tls.is_client_hello) return nullptr;
  WebSocketConnection &connection = add_web_socket(pinfo, direction_of(pinfo));
  if (segment.is_ack()) connection.server_side().sequence.begin_at(segment.ack);
  connection.is_tls = tls.is_client_hello;
  connection.is_like_godots = tls.is_from_mbed_tls;
  connection.tls_flow = find_encrypted_flow(connection.conversation);
  *has_games = *has_games || tls.is_from_mbed_tls;
  if (request.is_request) record_request(connection, request);
  return &connection;
}

WebSocketProblem problem_of_answer(const WebSocketConnection &connection, const HttpResponse &answer) {
  constexpr std::uint16_t forbidden = 403;
  if (answer.requires_tls) return WebSocketProblem::server_requires_tls;
  if (answer.status == forbidden) return WebSocketProblem::forbidden;
  if (!answer.is_upgraded()) return WebSocketProblem::refused;
  if (answer.protocol.empty()) {
    return *connection.requested_subprotocols == '\0' ? WebSocketProblem::none
                                                      : WebSocketProblem::no_subprotocol_selected;
  }
  const bool is_asked = godot_codec::is_offered_protocol(connection.requested_subprotocols, answer.protocol);
  return is_asked ? WebSocketProblem::none : WebSocketProblem::unrequested_subprotocol;
}

void record_answer(WebSocketConnection &connection, const packet_info *pinfo, const HttpResponse &answer) {
  connection.answer_frame = pinfo->num;
  connection.http_status = answer.status;
  connection.status_phrase = store_text(answer.reason_phrase);
  connection.selected_subprotocol = store_text(answer.protocol);
  connection.sides[connection.client_direction].has_no_context_takeover = answer.has_no_client_context_takeover;
  connection.server_side().has_no_context_takeover = answer.has_no_server_context_takeover;
  set_problem(connection, pinfo, problem_of_answer(connection, answer), 1 - connection.client_direction);
}

void update_from_http(WebSocketConnection &connection, const packet_info *pinfo, Bytes bytes) {
  if (direction_of(pinfo) == connection.client_direction) {
    if (*connection.path != '\0') return;
    const WebSocketRequest request = godot_codec::read_web_socket_request(bytes);
    if (request.is_request) record_request(connection, request);
  } else if (*connection.path != '\0' && connection.answer_frame == 0) {
    const HttpResponse answer = godot_codec::read_http_response(bytes);
    if (answer.is_response) record_answer(connection, pinfo, answer);
  }
}

// Searches for the handshake in the segment, in data reassembled by TCP, and in data decrypted by TLS.
void update_from_handshake(WebSocketConnection &connection, const packet_info *pinfo, Bytes payload) {
  if (!connection.is_tls) update_from_http(connection, pinfo, payload);
  const GSList *frame = pinfo->data_src;
  for (const GSList *each = frame == nullptr ? nullptr : frame->next; each != nullptr; each = each->next) {
    update_from_http(connection, pinfo, bytes_of(get_data_source_tvb(static_cast<const data_source *>(each->data))));
  }
}

// ---- first pass: payload, first answer, and closing

void record_first_answer(WebSocketConnection &connection, const packet_info *pinfo, Bytes payload) {
  if (connection.has_answered) return;
  connection.has_answered = true;
  const unsigned server = 1 - connection.client_direction;
  if (!connection.is_tls && godot_codec::is_tls_answer(payload)) {
    set_problem(connection, pinfo, WebSocketProblem::server_requires_tls, server);
  } else if (connection.is_tls && godot_codec::read_http_response(payload).is_response) {
    set_problem(connection, pinfo, WebSocketProblem::client_requires_tls, server);
  }
}

void update_from_payload(WebSocketConnection &connection, const packet_info *pinfo, const TcpSegment &segment) {
  const unsigned direction = direction_of(pinfo);
  const std::uint8_t alert = connection.is_tls ? godot_codec::read_fatal_tls_alert(segment.payload) : std::uint8_t{0};
  if (alert != 0 && connection.problem == WebSocketProblem::none) {
    connection.tls_alert = alert;
    set_problem(connection, pinfo, WebSocketProblem::tls_refused, direction);
  }
  WebSocketSide &side = connection.sides[direction];
  const std::size_t size = side.sequence.add(segment.seq, segment.payload.reported);
  if (size == 0) return;  // retransmission
  side.payload_bytes += size;
  const std::int64_t now = capture_time_of(pinfo);
  connection.longest_silence = std::max(connection.longest_silence, godot_codec::elapsed(connection.last_time, now));
  connection.last_time = now;
  if (direction != connection.client_direction) record_first_answer(connection, pinfo, segment.payload);
}

// True if the capture lacks bytes: bytes before the segment, a part of the segment, or bytes that the segment
// acknowledges.
bool shows_capture_gap(const WebSocketSide &sender, const WebSocketSide &receiver, const TcpSegment &segment) {
  return sender.sequence.has_gap_before(segment.seq) ||
         (segment.is_ack() && receiver.sequence.has_gap_before(segment.ack)) ||
         segment.payload.captured < segment.payload.reported;
}

// Records that a side closes the TCP connection. The side that closes first has ended the connection. The WebSocket
// close frame may be missing in the capture.
void record_tcp_end(WebSocketConnection &connection, const packet_info *pinfo, const TcpSegment &segment) {
  const unsigned direction = direction_of(pinfo);
  WebSocketSide &side = connection.sides[direction];
  const WebSocketSide &other = connection.sides[1 - direction];
  if ((!segment.is_fin() && !segment.is_reset()) || side.tcp_end_frame != 0) return;
  side.tcp_end_frame = pinfo->num;
  side.is_reset = segment.is_reset();
  if (other.tcp_end_frame != 0) return;
  connection.silence_before_end = godot_codec::elapsed(connection.last_time, capture_time_of(pinfo));
  const bool is_closed = side.close_frame != 0 || other.close_frame != 0;
  if (!connection.has_answered) {
    const bool is_by_client = direction == connection.client_direction;
    const godot_codec::TcpSequence &answer = connection.server_side().sequence;
    const std::uint32_t end = is_by_client ? segment.ack : segment.seq;
    // A single missing number is not an answer, because a FIN also takes one number.
    if (answer.has_gap_before(end - 1)) return;
    connection.last_time = capture_time_of(pinfo);
    // If the client acknowledges exactly one more sequence number, it acknowledges the server's FIN. The server then
    // ended the connection first, and the capture lacks the FIN.
    const bool is_second = is_by_client && answer.has_gap_before(end);
    set_problem(connection, pinfo, WebSocketProblem::unanswered, is_second ? 1 - direction : direction);
  } else if (connection.answer_frame != 0 && !is_closed && !connection.has_capture_gap) {
    set_problem(connection, pinfo, WebSocketProblem::aborted, direction);
  }
}

void record_close_frame(WebSocketConnection &connection, const packet_info *pinfo, const WebSocketClose &close) {
  constexpr std::uint16_t done = 1000;
  constexpr std::uint16_t going_away = 1001;
  const unsigned direction = direction_of(pinfo);
  WebSocketSide &side = connection.sides[direction];
  if (!close.is_read || side.close_frame != 0) return;
  side.close_frame = pinfo->num;
  side.close_code = close.code;
  side.close_reason = store_text(close.reason);
  if (connection.sides[1 - direction].close_frame != 0) return;
  connection.closing_direction = direction;
  const bool is_usual = close.code == done || close.code == going_away || close.code == WebSocketClose::no_code;
  if (!is_usual) set_problem(connection, pinfo, WebSocketProblem::closed_with_code, direction);
}

// ---- frames, after the handshake

// TCP may dissect the connection's first segment after the connection was added.
bool has_gap_before(WebSocketConnection &connection) {
  if (connection.tcp == nullptr) connection.tcp = tcp_analysis_of(connection.conversation);
  return has_gap_before_segment(connection.tcp);
}

void record_gap_frame(WebSocketConnection &connection, packet_info *pinfo) {
  std::uint32_t &gap = connection.sides[direction_of(pinfo)].gap_frame;
  if (may_update_state(pinfo) && gap == 0 && has_gap_before(connection)) gap = pinfo->num;
}

void record_undecodable_frame(WebSocketSide &side, const packet_info *pinfo) {
  const bool is_lost = side.gap_frame != 0 && !side.has_no_context_takeover;
  if (is_lost && side.undecodable_frame == 0) side.undecodable_frame = pinfo->num;
}

// Reads the frames in a part of a tvb. @param start offset of the first frame
void read_frames(WebSocketPacket &seen, tvbuff_t *tvb, std::size_t start, packet_info *pinfo) {
  WebSocketConnection &connection = *seen.connection;
  const Bytes bytes = bytes_of(tvb);
  seen.data_opcodes = 0;
  seen.has_masked = seen.has_compressed = false;
  seen.frame_source = tvb_get_ds_tvb(tvb);
  seen.next_frame = static_cast<std::size_t>(tvb_raw_offset(tvb)) + start;
  for (std::size_t at = start; at < bytes.captured;) {
    const WebSocketFrame frame = godot_codec::read_web_socket_frame(bytes, at);
    if (!frame.is_read || frame.content.end() > bytes.reported) return;
    seen.has_complete_frame = true;
    if (frame.opcode <= WebSocketFrame::binary) {
      seen.message_bytes += frame.content.length;
      seen.data_opcodes |= 1U << frame.opcode;
    }
    seen.has_masked = seen.has_masked || frame.is_masked;
    seen.has_compressed = seen.has_compressed || frame.is_compressed;
    if (frame.is_compressed && may_update_state(pinfo))
      record_undecodable_frame(connection.sides[direction_of(pinfo)], pinfo);
    if (frame.opcode == WebSocketFrame::close && may_update_state(pinfo))
      record_close_frame(connection, pinfo, godot_codec::read_web_socket_close(bytes, frame));
    at = frame.content.end();
  }
}

// True if the bytes begin within a frame, as they may after a capture gap. Such bytes must not be read as a frame
// header.
bool begins_within_frame(WebSocketConnection &connection, packet_info *pinfo, tvbuff_t *tvb) {
  if (connection.is_tls || !belongs_to_game(connection)) return false;
  if (!may_update_state(pinfo)) return within_frames->contains(pinfo->num);
  const unsigned direction = direction_of(pinfo);
  bool &is_after_gap = connection.sides[direction].is_after_gap;
  is_after_gap = is_after_gap || has_gap_before(connection);
  if (!is_after_gap) return false;
  is_after_gap = !godot_codec::consists_of_web_socket_frames(bytes_of(tvb), direction == connection.client_direction);
  if (is_after_gap) within_frames->insert(pinfo->num);
  return is_after_gap;
}

// Reads the frames that are in the same segment as the server's answer.
void read_frames_after_answer(WebSocketPacket &packet, tvbuff_t *tvb, packet_info *pinfo) {
  constexpr std::string_view end_of_headers = "\r\n\r\n";
  const Bytes bytes = bytes_of(tvb);
  const std::size_t headers = bytes.text().find(end_of_headers);
  const std::size_t start = headers + end_of_headers.size();
  if (headers == std::string_view::npos || start == bytes.reported) return;
  if (godot_codec::read_http_response(bytes).is_upgraded()) read_frames(packet, tvb, start, pinfo);
}

int dissect_frames(WebSocketPacket &packet, dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo,
                   proto_tree *tree, void *data) {
  if (packet.connection != nullptr) {
    if (begins_within_frame(*packet.connection, pinfo, tvb)) return call_data_dissector(tvb, pinfo, tree);
    record_gap_frame(*packet.connection, pinfo);
    read_frames(packet, tvb, 0, pinfo);
  }
  return call_instead_of(proto_http, dissector, tvb, pinfo, tree, data);
}

// Dissects HTTP with a WebSocket request. Reads the frames before HTTP passes them to Wireshark's WebSocket dissector.
template <HttpTransport transport>
int dissect_http_upgrade(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  WebSocketPacket &packet = web_socket_packet_of(pinfo);
  const WebSocketConnection *connection = packet.connection;
  const bool is_answered =
      connection != nullptr && connection->answer_frame != 0 && connection->answer_frame < pinfo->num;
  if (is_answered && connection->is_upgraded()) {
    return dissect_frames(packet, http_handles[transport], tvb, pinfo, tree, data);
  }
  if (connection != nullptr) read_frames_after_answer(packet, tvb, pinfo);
  return call_instead_of(proto_http, http_handles[transport], tvb, pinfo, tree, data);
}

bool is_https_port(std::uint32_t port) {
  static auto *const ports = find_dissector_table("tls.port");
  dissector_handle_t registered = dissector_get_uint_handle(ports, port);
  return registered != nullptr && dissector_handle_get_protocol_index(registered) == proto_http;
}

// Makes TLS call the observer from the next record on. On a port that is not HTTPS, TLS does not know the protocol of
// its payload, and then shows the observer's protocol. So connections on those ports are only observed if they belong
// to a game. In Wireshark 4.4 and later, TLS forgets the observer before a later pass.
void observe_in_tls(WebSocketConnection &connection, packet_info *pinfo) {
  static auto *const tls = find_dissector("tls");
  const bool is_http = *connection.path != '\0' && has_layer(pinfo, "http");
  if (may_update_state(pinfo) && connection.observed_since == 0 && is_http &&
      (belongs_to_game(connection) || is_https_port(pinfo->srcport) || is_https_port(pinfo->destport))) {
    connection.observed_since = pinfo->num;
  }
  if (connection.observed_since == pinfo->num) tls_set_appdata_dissector(tls, pinfo, http_observers[over_tls]);
}

// ---- tree, problems and Info column

void add_text_field(proto_tree *tree, int field, const char *text) {
  if (*text != '\0') proto_item_set_generated(proto_tree_add_string(tree, field, nullptr, 0, 0, text));
}

void add_connection_items(const WebSocketConnection &connection, proto_tree *tree) {
  add_text_field(tree, websocket_fields.path, connection.path);
  add_text_field(tree, websocket_fields.origin, connection.origin);
  add_text_field(tree, websocket_fields.requested_subprotocols, connection.requested_subprotocols);
  add_text_field(tree, websocket_fields.selected_subprotocol, connection.selected_subprotocol);
  if (connection.http_status != 0) {
    proto_item_set_generated(
        proto_tree_add_uint(tree, websocket_fields.http_status, nullptr, 0, 0, connection.http_status));
  }
  const WebSocketSide &closer = connection.sides[connection.closing_direction];
  if (closer.close_frame == 0) return;
  proto_item_set_generated(proto_tree_add_uint(tree, websocket_fields.close_code, nullptr, 0, 0, closer.close_code));
  add_text_field(tree, websocket_fields.close_reason, closer.close_reason);
}

// True if the way in which a connection ended is a problem. In Godot 4, WebSocketMultiplayerPeer.close() ends TCP
// without a close frame, and so does a program that quits. TCP sends an RST if unread data remains. A client that
// leaves is not a problem, but a server that ends a connection may be a problem.
bool is_reported_as_problem(const WebSocketConnection &connection) {
  return connection.problem != WebSocketProblem::aborted || connection.problem_direction != connection.client_direction;
}

void report_connection(const WebSocketConnection &connection, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  Finding finding = problem_of_web_socket(pinfo, connection);
  finding.protocol = "WebSocket";
  proto_item *item =
      proto_tree_add_protocol_format(tree, proto_websocket, tvb, 0, 0, "Godot WebSocket connection: %s", finding.text);
  proto_item_set_generated(item);
  if (tree != nullptr) add_connection_items(connection, proto_item_add_subtree(item, websocket_subtree));
  if (is_reported_as_problem(connection)) {
    finding.from = connection.sides[connection.problem_direction].endpoint;
    finding.to = connection.sides[1 - connection.problem_direction].endpoint;
    finding.filter = wmem_strdup_printf(pinfo->pool, "tcp.stream == %u", connection.tcp_stream());
    add_problem(pinfo, item, finding);
  } else {
    add_expert_only(pinfo, item, finding);
  }
  if (finding.info_mark != nullptr) append_info(pinfo, wmem_strdup_printf(pinfo->pool, " [%s]", finding.info_mark));
}

// ---- undecrypted traffic

// Stops following a connection that cannot turn out to be a game's any more: undecrypted TLS, or a connection that
// ended without a request.
void ignore_if_over(WebSocketConnection &connection, const packet_info *pinfo) {
  const bool is_ended = connection.sides[0].tcp_end_frame != 0 && connection.sides[1].tcp_end_frame != 0;
  const godot_codec::EncryptedFlow *flow = connection.tls_flow;
  const bool is_undecrypted = flow != nullptr && flow->report_frame != 0 && !connection.is_like_godots;
  const bool may_be_reported =
      *connection.path != '\0' || connection.is_game || connection.problem != WebSocketProblem::none;
  if (!may_be_reported && (is_ended || is_undecrypted)) ignore_web_socket(connection, pinfo);
}

void report_undecodable(const WebSocketConnection &connection, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  const char *text = wmem_strdup_printf(
      pinfo->pool,
      "WebSocket messages from frame %u on cannot be decompressed (permessage-deflate), because they refer to earlier messages that the capture does not contain",
      connection.sides[direction_of(pinfo)].gap_frame);
  proto_item *item = proto_tree_add_protocol_format(tree, proto_websocket, tvb, 0, 0, "%s", text);
  proto_item_set_generated(item);
  add_problem(pinfo, item,
              {.expert = &websocket_experts.undecodable,
               .text = text,
               .filter = wmem_strdup_printf(pinfo->pool, "tcp.stream == %u", connection.tcp_stream()),
               .protocol = "WebSocket"});
  append_info(pinfo, wmem_strdup_printf(pinfo->pool, " [%s]", text));
}

#if WIRESHARK_VERSION_MAJOR == 4 && WIRESHARK_VERSION_MINOR < 6

CaptureState<std::uint32_t>
    pack_frame;  // first frame in which a browser requests a game's pack by HTTP/2; 0: not seen yet

// Returns what a packet requests by HTTP/2. Wireshark stores the decompressed header fields as data sources of the
// packet.
godot_codec::Http2Request http2_request_of(const packet_info *pinfo) {
  godot_codec::Http2Request request;
  for (const GSList *each = pinfo->data_src; each != nullptr; each = each->next) {
    const auto *source = static_cast<const data_source *>(each->data);
    const godot_codec::Http2Request found = godot_codec::read_http2_request(bytes_of(get_data_source_tvb(source)));
    request.requests_web_socket = request.requests_web_socket || found.requests_web_socket;
    request.requests_pack = request.requests_pack || found.requests_pack;
  }
  return request;
}

// Reports a WebSocket over HTTP/2 if a browser has fetched a game's pack earlier. The WebSocket then probably belongs
// to the game, although its own data does not show this.
void inspect_http2(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  if (!has_decrypted_data(pinfo)) return;
  const godot_codec::Http2Request request = http2_request_of(pinfo);
  if (request.requests_pack && *pack_frame == 0) *pack_frame = pinfo->num;
  if (!request.requests_web_socket || *pack_frame == 0 || *pack_frame > pinfo->num) return;
  report_undecrypted(godot_codec::EncryptedKind::godot_tls, "This Wireshark does not decode WebSocket over HTTP/2",
                     "Open the capture in Wireshark 4.6 or later, or let the proxy use HTTP/1.1 with browsers.", tvb,
                     pinfo, tree);
}

bool is_game_pack_seen() { return *pack_frame != 0; }

#else

void inspect_http2(tvbuff_t * /*tvb*/, packet_info * /*pinfo*/, proto_tree * /*tree*/) {}
bool is_game_pack_seen() { return false; }

#endif

// Counts the bytes of a segment. If the segment contains a decoded message, the message's dissector has counted them.
void count_segment(const WebSocketConnection &connection, packet_info *pinfo, std::uint64_t payload) {
  FrameRecord *record = frame_record(pinfo);
  if (record == nullptr) return;
  record->web_socket = &connection;
  if (record->dissected_bytes != 0 || record->has_message_chunk) return;
  constexpr std::uint64_t max_header = 14;  // Godot may send the frame header in a separate segment
  const WebSocketPacket &frames = web_socket_packet_of(pinfo);
  const bool is_handshake = connection.answer_frame == 0 || pinfo->num <= connection.answer_frame;
  const bool is_whole = frames.has_complete_frame && frames.message_bytes <= payload;
  const std::uint64_t messages = is_whole ? frames.message_bytes : is_handshake || payload <= max_header ? 0 : payload;
  record->bytes_in(is_whole ? ByteCategory::other : ByteCategory::segments) += static_cast<std::int64_t>(messages);
  record->dissected_bytes = messages;
  record->is_stream_segment = true;
}

// Adds an arrow for the request, the answer or the closing. A segment contains at most one of these.
void add_flow_arrows(const WebSocketConnection &connection, packet_info *pinfo, Bytes payload) {
  if (!wants_arrows(pinfo)) return;
  wmem_allocator_t *pool = pinfo->pool;
  const unsigned direction = direction_of(pinfo);
  const WebSocketSide &side = connection.sides[direction];
  const char *label = nullptr;
  if (direction == connection.client_direction && read_web_socket_request(payload).is_request) {
    label = wmem_strdup_printf(pool, "WebSocket %s", connection.path);
  } else if (connection.answer_frame == pinfo->num) {
    label = wmem_strdup_printf(pool, "HTTP %u %s", connection.http_status, connection.status_phrase);
  } else if (side.close_frame == pinfo->num) {
    label = "WebSocket close";
  } else if (side.tcp_end_frame == pinfo->num) {
    label = side.tcp_end_name();
  }
  if (label == nullptr) return;
  const bool has_problem = connection.report_frame == pinfo->num;
  add_arrow(pinfo, label,
            has_problem ? wmem_strdup_printf(pool, "%s: %s", label, describe_web_socket(pinfo, connection)) : label);
}

// ---- segments

// Quick check: false for most segments that neither begin a connection nor belong to a followed connection.
bool needs_inspection(const Bytes &payload, bool is_upgrade, const packet_info *pinfo) {
  if (!may_update_state(pinfo)) return is_outside_icmp_error(pinfo) && (*has_games || is_game_pack_seen());
  if (*followed > 0 || is_upgrade) return true;
  return godot_codec::may_be_client_hello(payload);
}

// Updates the connection's state on the first pass.
void update_from_segment(WebSocketConnection &connection, const TcpSegment &segment, packet_info *pinfo) {
  WebSocketSide &sender = connection.sides[direction_of(pinfo)];
  const WebSocketSide &receiver = connection.sides[1 - direction_of(pinfo)];
  connection.last_frame = pinfo->num;
  connection.has_capture_gap = connection.has_capture_gap || shows_capture_gap(sender, receiver, segment);
  record_gap_frame(connection, pinfo);
  if (segment.payload.reported > 0) {
    update_from_payload(connection, pinfo, segment);
    if (connection.answer_frame == 0) update_from_handshake(connection, pinfo, segment.payload);
  }
  record_tcp_end(connection, pinfo, segment);
  if (segment.is_fin()) sender.sequence.add(segment.seq, segment.payload.reported + 1);
  ignore_if_over(connection, pinfo);
}

[[gnu::noinline]] void inspect_segment(const TcpSegment &segment, bool is_upgrade, tvbuff_t *tvb, packet_info *pinfo,
                                       proto_tree *tree) {
  WebSocketConnection *connection = web_socket_packet_of(pinfo).connection;
  if (connection == nullptr && may_update_state(pinfo)) connection = begin_web_socket(pinfo, segment, is_upgrade);
  if (connection == nullptr || (may_update_state(pinfo) && connection->is_ignored)) return;
  if (may_update_state(pinfo)) update_from_segment(*connection, segment, pinfo);
  if (connection->is_tls) inspect_http2(tvb, pinfo, tree);
  if (connection->is_tls) observe_in_tls(*connection, pinfo);
  if (!belongs_to_game(*connection)) return;
  if (connection->sides[0].endpoint == nullptr) set_endpoints(*connection, pinfo);
  if (connection->sides[direction_of(pinfo)].undecodable_frame == pinfo->num)
    report_undecodable(*connection, tvb, pinfo, tree);
  count_segment(*connection, pinfo, segment.payload.reported);
  add_flow_arrows(*connection, pinfo, segment.payload);
  if (connection->report_frame == pinfo->num) report_connection(*connection, tvb, pinfo, tree);
}

}  // namespace

bool belongs_to_game(const WebSocketConnection &connection) {
  if (connection.is_ignored) return false;
  // TLS may contain any protocol, so require a request, a message, or a failed connection.
  if (*connection.path == '\0' && !connection.is_game && connection.problem == WebSocketProblem::none) return false;
  return connection.is_like_godots || connection.is_game || game_servers->contains(connection.server_index);
}

void inspect_web_socket(const TcpSegment &segment, bool is_upgrade, tvbuff_t *tvb, packet_info *pinfo,
                        proto_tree *tree) {
  if (segment.is_syn() && !segment.is_ack() && may_update_state(pinfo)) drop_recent_conversation(pinfo);
  if (needs_inspection(segment.payload, is_upgrade, pinfo)) inspect_segment(segment, is_upgrade, tvb, pinfo, tree);
  if (segment.is_reset()) report_refused_connection(pinfo);
}

void ignore_web_socket(WebSocketConnection &connection, const packet_info *pinfo) {
  if (connection.is_ignored || belongs_to_game(connection)) return;
  connection.is_ignored = true;
  --*followed;
  replace_dissector(connection, pinfo, http_observers[over_tcp], http_handles[over_tcp]);
}

void begin_web_socket_packet() { *current_packet = {}; }

WebSocketPacket &web_socket_packet_of(packet_info *pinfo) {
  WebSocketPacket &packet = *current_packet;
  if (!is_packet_of(packet, pinfo)) packet = {pinfo->num, pinfo->srcport, pinfo->destport, find_web_socket(pinfo)};
  return packet;
}

int dissect_web_socket_frames(dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                              void *data) {
  return dissect_frames(web_socket_packet_of(pinfo), dissector, tvb, pinfo, tree, data);
}

bool WebSocketPacket::is_undecodable(const packet_info *pinfo) const {
  if (!has_compressed) return false;
  const std::uint32_t undecodable = connection->sides[direction_of(pinfo)].undecodable_frame;
  return undecodable != 0 && undecodable <= pinfo->num;
}

void mark_web_socket_game(WebSocketPacket &packet, packet_info *pinfo, unsigned client) {
  if (!may_update_state(pinfo)) return;
  WebSocketConnection *&connection = packet.connection;
  if (connection == nullptr) {
    connection = &add_web_socket(pinfo, client);
    connection->has_answered = true;
  }
  if (connection->is_game) return;
  connection->is_game = *has_games = true;
  if (std::exchange(connection->is_ignored, false)) {
    ++*followed;
    replace_dissector(*connection, pinfo, http_handles[over_tcp], http_observers[over_tcp]);
  }
  game_servers->insert(connection->server_index);
}

godot_codec::PayloadFormat WebSocketPacket::format() const {
  using godot_codec::PayloadFormat;
  if (data_opcodes == 1U << WebSocketFrame::text) return PayloadFormat::text;
  return data_opcodes == 1U << WebSocketFrame::binary ? PayloadFormat::binary : PayloadFormat::unspecified;
}

void register_web_sockets() {
  proto_websocket = proto_register_protocol("Godot WebSocket Connections", "Godot-WebSocket", "godot_websocket");
}

dissector_handle_t web_socket_observer() { return http_observers[over_tcp]; }

void handoff_web_sockets() {
  constexpr const char *names[] = {"http-over-tcp", "http-over-tls"};
  constexpr dissector_t observers[] = {guarded<dissect_http_upgrade<over_tcp>>,
                                       guarded<dissect_http_upgrade<over_tls>>};
  proto_http = proto_get_id_by_filter_name("http");
  // Over TCP, the observer has no protocol, so it adds no layer. TLS shows the name of its payload's dissector, so this
  // observer has HTTP's protocol and name.
  const int protocols[] = {-1, proto_http};
  for (unsigned i = 0; i < http_transport_count; ++i) {
    http_handles[i] = find_dissector(names[i]);
    http_observers[i] = create_dissector_handle_with_name_and_description(
        observers[i], protocols[i], names[i], "HTTP that becomes a WebSocket, to detect Godot games");
  }
}

}  // namespace godot_plugin
