// SPDX-License-Identifier: GPL-2.0-or-later
// TCP streams: detects the protocol on ports that no preference names, by the rules of
// godot-codec/detection/stream_detection.h. Finds the position of a segment in its stream, and dissects the segment.
#include <algorithm>
#include <memory_resource>
#include <optional>

#include "godot-codec/detection/stream_detection.h"
#include "godot-codec/detection/weights.h"
#include "godot-codec/stream/stream_position.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/statistics/findings.h"
#include "plugin/transport/stream_segments.h"
#include "plugin/transport/transports.h"
#include "plugin/transport/websocket_detection.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::ChunkStart;
using godot_codec::DebugStreamKind;
using godot_codec::PacketPosition;
using godot_codec::StreamChunk;
using godot_codec::StreamDetection;
using godot_codec::StreamProtocol;
using godot_codec::StreamReader;

// ---- positions in a stream

// Written on the first pass only.
CaptureState<std::pmr::unsynchronized_pool_resource> memory;
ConversationState<StreamState> streams;

godot_codec::StreamPosition &position_of(const SegmentContext &segment) {
  return segment.stream->positions[direction_of(segment.pinfo)];
}

// Reports a gap. Out-of-order segments can be read only if TCP's preference reorders them.
void add_gap_expert(const SegmentContext &segment, ChunkStart start) {
  if (!start.has_gap) return;
  proto_tree_add_expert(segment.tree, segment.pinfo, &experts.out_of_order, segment.tvb, 0, 0);
}

// True if a segment consists of complete messages.
bool has_only_complete_messages(const SegmentContext &segment) {
  StreamReader reader = reader_of(segment, true);
  for (godot_codec::StreamItem found; reader.next(found);) continue;
  return reader.has_next_boundary() && reader.next_boundary() == bytes_of(segment.tvb).reported;
}

// True for the rest of a message that the port's registered dissector began before the detection. TCP passes this
// message to the plugin when it is complete. If it does not consist of complete Godot messages, decoding begins with
// the next packet.
bool is_foreign_message(const SegmentContext &segment, const StreamChunk &where) {
  std::uint32_t &foreign = segment.stream->foreign_message_packet[direction_of(segment.pinfo)];
  if (where.was_foreign && may_update_state(segment.pinfo) && !has_only_complete_messages(segment))
    foreign = segment.pinfo->num;
  return foreign == segment.pinfo->num;
}

// Returns the stream of a conversation; creates the stream if necessary.
StreamState &tcp_stream_of(conversation_t *conversation) { return streams.of(conversation, conversation, &*memory); }

// Returns the position of a segment, in absolute sequence numbers, because these do not depend on preferences.
StreamChunk tcp_position_of(conversation_t *conversation, packet_info *pinfo, const tcpinfo &tcp, Bytes bytes) {
  // If the tvb is not reassembled, its end is the end of the segment.
  const std::uint32_t end = tcp.nxtseq + tcp_base_seq(conversation, pinfo);
  return {end - static_cast<std::uint32_t>(bytes.reported), bytes.reported, tcp.is_reassembled != 0};
}

// Finds where messages begin in a segment. On the first pass, records the segment.
ChunkStart find_tcp_message_start(SegmentContext &segment, const StreamChunk &where) {
  godot_codec::StreamPosition &position = position_of(segment);
  if (!may_update_state(segment.pinfo)) return position.start_at(segment.position);
  if (!position.was_seen()) {
    if (const std::optional<std::uint32_t> first = tcp_first_byte_seq(segment.pinfo)) position.begin_at(*first);
  }
  segment.seq = position.first_seq_of(where);
  segment.newest_offset = position.newest_offset_in(where);
  return position.begin_chunk(segment.position, where);
}

// Reads a segment without showing it, to find where messages begin in the next segment.
void skip_tcp_segment(const SegmentContext &segment, const StreamChunk &where, ChunkStart start) {
  if (!may_update_state(segment.pinfo)) return;
  StreamReader reader = reader_of(segment, start.is_boundary, start.is_big_endian);
  for (godot_codec::StreamItem found; reader.next(found);) continue;
  position_of(segment).end_chunk(where, reader);
}

// Dissects a segment after find_tcp_message_start(). @returns its length
int dissect_tcp_from(const SegmentContext &segment, const StreamChunk &where, ChunkStart start) {
  add_gap_expert(segment, start);
  const StreamReader reader = dissect_items(segment, start.is_boundary, start.is_big_endian);
  if (may_update_state(segment.pinfo)) position_of(segment).end_chunk(where, reader);
  return static_cast<int>(tvb_captured_length(segment.tvb));
}

// Finds where messages begin in a segment, and dissects it.
// @returns 0 if the segment precedes the decision and its bytes were not kept
int dissect_tcp_stream(SegmentContext &segment, StreamChunk where) {
  StreamState &stream = *segment.stream;
  where.was_foreign = where.is_reassembled && stream.is_pinned_before_tcp && !position_of(segment).was_read();
  const bool is_chosen = stream.detection.protocol_at(segment.position) == segment.protocol;
  if (stream.detection.is_revoked() && !is_chosen) return 0;
  if (!where.is_reassembled && dissect_reassembled(segment, where))
    return static_cast<int>(tvb_captured_length(segment.tvb));
  if (is_chosen && segment.position < stream.detection.decided_since()) return 0;
  if (is_foreign_message(segment, where)) {
    if (may_update_state(segment.pinfo)) position_of(segment).skip(where);
    return call_data_dissector(segment.tvb, segment.pinfo, segment.tree);
  }
  if (!is_framing_known(segment)) detect_framing(segment, tcp_first_byte_seq(segment.pinfo).has_value());
  return dissect_tcp_from(segment, where, find_tcp_message_start(segment, where));
}

// ---- detection

const heur_dtbl_entry_t *heuristic;

// True after bytes of any stream were kept before the decision. From then on, a segment may continue such bytes.
CaptureState<bool> is_any_followed;

// Evaluates a segment for the candidates that are not disabled.
std::optional<StreamProtocol> evaluate_segment(StreamDetection &detection, unsigned direction, PacketPosition position,
                                               std::uint32_t seq, Bytes payload, int prior = 0) {
  return detection.add(direction, position, seq, payload, enabled_stream_candidates(), preferred_read_options(), prior);
}

// Quick check: true if a segment may begin a candidate's message.
bool may_begin_message(Bytes payload) {
  return godot_codec::may_begin_variant_packet(
      payload, std::max(max_length_of(StreamProtocol::debugger), max_length_of(StreamProtocol::variants)));
}

// Returns the dissector that epan calls with a stream's segments.
dissector_handle_t tcp_handle_of(StreamProtocol protocol) {
  static auto *const debugger = find_dissector("godot_debug");
  static auto *const variants = find_dissector("godot_tcp");
  return protocol == StreamProtocol::debugger ? debugger : variants;
}

// Returns the protocol of a stream if this segment alone decides it.
std::optional<StreamProtocol> tcp_protocol_of_segment(Bytes payload) {
  if (!may_begin_message(payload)) return std::nullopt;
  StreamDetection detection(stream_options(), &*memory);
  return evaluate_segment(detection, 0, {1, 0}, 0, payload, godot_codec::weights::registered_dissector);
}

// Pins a stream to its protocol's dissector, from the first kept segment on. The dissector then gets all later segments
// on any port, without the heuristic. On later passes, it also gets the earlier segments.
// @param seq sequence number of the segment that decided
void pin_tcp_stream(StreamState &stream, packet_info *pinfo, std::uint32_t seq) {
  conversation_t *conversation = stream.conversation;
  conversation_set_dissector_from_frame_number(conversation, conversation->setup_frame,
                                               tcp_handle_of(*stream.detection.protocol()));
  const unsigned direction = direction_of(pinfo);
  const unsigned other = 1 - direction;
  stream.positions[direction].begin_at(seq);
  stream.detection.hand_over(stream.reassemblers[direction], direction, true);
  stream.detection.hand_over(stream.reassemblers[other], other, false);
  const godot_codec::Reassembler &joined = stream.reassemblers[other];
  if (joined.stored_size() > 0 && !joined.is_open()) stream.positions[other].begin_at(joined.end_seq());
}

// ---- the heuristic

// Records where messages begin in a stream with a revoked decision. Later passes need these positions if the protocol
// is decided again.
void track_revoked_stream(StreamState &stream, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                          const StreamChunk &where) {
  SegmentContext segment = begin_segment(tvb, pinfo, tree, StreamProtocol::variants, &stream);
  skip_tcp_segment(segment, where, find_tcp_message_start(segment, where));
}

// Returns the dissector of a stream's protocol if this segment decides the protocol.
dissector_handle_t detect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const tcpinfo &tcp) {
  conversation_t *conversation = conversation_of(pinfo);
  StreamState &stream = tcp_stream_of(conversation);
  if (stream.detection.protocol()) return nullptr;
  const Bytes bytes = bytes_of(tvb);
  const StreamChunk where = tcp_position_of(conversation, pinfo, tcp, bytes);
  const bool was_revoked = stream.detection.is_revoked();
  const std::optional<StreamProtocol> protocol =
      evaluate_segment(stream.detection, direction_of(pinfo), {pinfo->num, 0}, where.seq, bytes);
  if (!protocol && was_revoked) track_revoked_stream(stream, tvb, pinfo, tree, where);
  if (!protocol) return nullptr;
  pin_tcp_stream(stream, pinfo, where.seq);
  return tcp_handle_of(*protocol);
}

ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr || !may_update_state(pinfo) || is_dissector_chosen_by_user(pinfo)) return false;
  const auto &tcp = *static_cast<const tcpinfo *>(data);
  if (tcp.is_reassembled != 0 || tvb_reported_length(tvb) == 0) return false;
  dissector_handle_t detected = detect_late_websocket(tvb, pinfo, tcp);
  if (detected == nullptr) detected = detect_stream(tvb, pinfo, tree, tcp);
  return detected != nullptr && call_detected_dissector(detected, tvb, pinfo, tree, data) > 0;
}

// ---- ports that preferences name

// If the editor debugs several games at once, each game has its own port. X11 uses these ports, too.
constexpr const char *debugger_ports = "6007-6013";
constexpr std::uint32_t first_x11_port = 6000;
constexpr std::uint32_t last_x11_port = 6063;

int proto_godot_debug = -1;

int dissect_variants_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0 || data == nullptr) return 0;
  conversation_t *conversation = conversation_of(pinfo);
  SegmentContext segment = begin_segment(tvb, pinfo, tree, StreamProtocol::variants, &tcp_stream_of(conversation));
  return dissect_tcp_stream(segment,
                            tcp_position_of(conversation, pinfo, *static_cast<const tcpinfo *>(data), bytes_of(tvb)));
}

// ---- the debugger's ports

// On X11's ports, returns the X11 dissector. That dissector has no name, so it is found by X11's first port, which is
// not a debugger port. @returns null on other ports
dissector_handle_t find_x11_dissector(const packet_info *pinfo) {
  const auto is_x11 = [](std::uint32_t port) { return port >= first_x11_port && port <= last_x11_port; };
  if (!is_x11(pinfo->srcport) && !is_x11(pinfo->destport)) return nullptr;
  dissector_handle_t x11 = dissector_get_uint_handle(port_table_of(PT_TCP), first_x11_port);
  return x11 == tcp_handle_of(StreamProtocol::debugger) ? nullptr : x11;
}

// Passes traffic that is not the debugger's to the X11 dissector.
// @param x11 null: do nothing @param is_certain true if the traffic certainly is not the debugger's
int dissect_as_x11(dissector_handle_t x11, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
                   bool is_certain) {
  if (x11 == nullptr) return 0;
  // Let X11 ask TCP for more bytes, but not while the traffic may still be the debugger's.
  if (is_certain) allow_desegment(pinfo);
  // The packet belongs to X11, so remove the debugger's layer that epan has added.
  remove_last_layer(pinfo, proto_godot_debug);
  return call_dissector_only(x11, tvb, pinfo, tree, data);
}

// Reports that a stream on a debugger port contains Variants, which are not shown on that port. Reports once per
// stream.
void report_variants_on_debug_port(const SegmentContext &segment) {
  StreamState &stream = *segment.stream;
  const bool may_be_first = may_update_state(segment.pinfo) && stream.first_variants_position == PacketPosition{};
  if (may_be_first && tcp_protocol_of_segment(bytes_of(segment.tvb)) == StreamProtocol::variants)
    stream.first_variants_position = segment.position;
  if (stream.first_variants_position != segment.position) return;
  proto_item *item = proto_tree_add_expert(segment.tree, segment.pinfo, &experts.on_debug_port, segment.tvb, 0, 0);
  report_finding(segment.pinfo, item, {.expert = &experts.on_debug_port});
}

int dissect_debug_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0 || data == nullptr) return 0;
  conversation_t *conversation = conversation_of(pinfo);
  StreamState &stream = tcp_stream_of(conversation);
  const bool is_chosen = stream.detection.protocol() == StreamProtocol::debugger;
  dissector_handle_t x11 = find_x11_dissector(pinfo);
  const bool is_x11 = stream.debug_program.at({pinfo->num, 0}) == DebugStreamKind::other && x11 != nullptr;
  if (is_x11 && !is_chosen) return dissect_as_x11(x11, tvb, pinfo, tree, data, true);
  SegmentContext segment = begin_segment(tvb, pinfo, tree, StreamProtocol::debugger, &stream);
  const StreamChunk where = tcp_position_of(conversation, pinfo, *static_cast<const tcpinfo *>(data), bytes_of(tvb));
  if (is_chosen || stream.debug_program.at(segment.position) == DebugStreamKind::debugger) {
    return dissect_tcp_stream(segment, where);
  }
  const ChunkStart start = find_tcp_message_start(segment, where);
  if (may_update_state(pinfo)) {
    stream.debug_program.update(segment.position, bytes_of(tvb), start.is_boundary,
                                options_of(StreamProtocol::debugger));
  }
  const DebugStreamKind kind = stream.debug_program.at(segment.position);
  if (kind == DebugStreamKind::debugger) return dissect_tcp_from(segment, where, start);
  skip_tcp_segment(segment, where, start);
  const int taken = dissect_as_x11(x11, tvb, pinfo, tree, data, kind == DebugStreamKind::other);
  if (taken == 0) report_variants_on_debug_port(segment);
  return taken;
}

}  // namespace

bool is_tcp_heuristic_enabled() { return is_enabled(heuristic); }

bool may_detect_before_tcp(Bytes payload) { return *is_any_followed || may_begin_message(payload); }

void detect_before_tcp(Bytes payload, packet_info *pinfo, conversation_t *conversation, std::uint32_t seq) {
  const bool is_begun = may_begin_message(payload);
  if (!is_begun && (conversation == nullptr || streams.find(conversation) == nullptr)) return;
  // Without a conversation, continue only if this segment alone decides. Otherwise TCP creates the conversation.
  if (conversation == nullptr && !tcp_protocol_of_segment(payload)) return;
  StreamState &stream = tcp_stream_of(conversation == nullptr ? conversation_of(pinfo) : conversation);
  if (stream.detection.protocol()) return;
  const unsigned direction = direction_of(pinfo);
  // Unless this direction is already followed, skip two kinds of segments. The first kind cannot begin a message of
  // ours. The second kind continues a message of the registered dissector.
  if (!stream.detection.has_pending_bytes(direction) &&
      (!is_begun || continues_tcp_reassembly(conversation, pinfo, seq)))
    return;
  const bool is_decided = evaluate_segment(stream.detection, direction, {pinfo->num, 0}, seq, payload,
                                           godot_codec::weights::registered_dissector)
                              .has_value();
  *is_any_followed = *is_any_followed || stream.detection.has_pending_bytes(direction);
  if (!is_decided) return;
  stream.is_pinned_before_tcp = true;
  pin_tcp_stream(stream, pinfo, seq);
}

void handoff_tcp_transport() {
  proto_godot_debug = proto_get_id_by_filter_name("godot_debug");
  dissector_handle_t debugger = register_dissector("godot_debug", guarded<dissect_debug_tcp>, proto_godot_debug);
  dissector_handle_t variants =
      register_dissector("godot_tcp", guarded<dissect_variants_tcp>, proto_get_id_by_filter_name("godot"));
  dissector_add_uint_range_with_preference("tcp.port", debugger_ports, debugger);
  dissector_add_uint_range_with_preference("tcp.port", "", variants);
  heuristic = register_heuristic("tcp", "godot_tcp", guarded<detect>,
                                 "Godot Variants, Remote Debugger and WebSockets without their beginning over TCP");
}

}  // namespace godot_plugin
