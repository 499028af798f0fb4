// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "godot-codec/detection/weights.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/transport/tcp.h"
#include "plugin/transport/websocket_detection.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::PacketPosition;
using godot_codec::StreamChunk;
using godot_codec::StreamDetection;
using godot_codec::StreamProtocol;

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
  const auto &[debugger, variants] = stream_rules();
  return godot_codec::may_begin_variant_packet(payload, std::max(debugger.max_length, variants.max_length));
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

}  // namespace

dissector_handle_t tcp_handle_of(StreamProtocol protocol) {
  static auto *const debugger = find_dissector("godot_debug");
  static auto *const variants = find_dissector("godot_tcp");
  return protocol == StreamProtocol::debugger ? debugger : variants;
}

std::optional<StreamProtocol> tcp_protocol_of_segment(Bytes payload) {
  if (!may_begin_message(payload)) return std::nullopt;
  StreamDetection detection(stream_rules(), tcp_memory());
  return evaluate_segment(detection, 0, {1, 0}, 0, payload, godot_codec::weights::registered_dissector);
}

bool is_tcp_heuristic_enabled() { return is_enabled(heuristic); }

bool may_detect_before_tcp(Bytes payload) { return *is_any_followed || may_begin_message(payload); }

void detect_before_tcp(Bytes payload, packet_info *pinfo, conversation_t *conversation, std::uint32_t seq) {
  const bool is_begun = may_begin_message(payload);
  if (!is_begun && (conversation == nullptr || find_tcp_stream(conversation) == nullptr)) return;
  // Without a conversation, continue only if this segment alone decides. Otherwise TCP creates the conversation.
  if (conversation == nullptr && !tcp_protocol_of_segment(payload)) return;
  StreamState &stream = tcp_stream_of(conversation == nullptr ? conversation_of(pinfo) : conversation);
  if (stream.detection.protocol()) return;
  const unsigned direction = direction_of(pinfo);
  // Unless this direction is already followed, skip two kinds of segments. The first kind cannot begin a message of
  // ours. The second kind continues a message of the registered dissector.
  if (!stream.detection.has_pending_bytes(direction) && (!is_begun || continues_tcp_reassembly(pinfo, seq))) return;
  const bool is_decided = evaluate_segment(stream.detection, direction, {pinfo->num, 0}, seq, payload,
                                           godot_codec::weights::registered_dissector)
                              .has_value();
  *is_any_followed = *is_any_followed || stream.detection.has_pending_bytes(direction);
  if (!is_decided) return;
  stream.is_pinned_before_tcp = true;
  pin_tcp_stream(stream, pinfo, seq);
}

void handoff_tcp_detection() {
  heuristic = register_heuristic("tcp", "godot_tcp", guarded<detect>,
                                 "Godot Variants, Remote Debugger and WebSockets without their beginning over TCP");
}

}  // namespace godot_plugin
