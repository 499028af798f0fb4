// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/tcp_owner.h"

#include <algorithm>
#include <utility>

#include "plugin/epan/conversation.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/preferences.h"
#include "plugin/transport/tcp_streams.h"
#include "plugin/transport/websocket_messages.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::PacketPosition;
using godot_codec::StreamChooser;
using godot_codec::StreamOwner;
using godot_codec::StreamPart;

const heur_dtbl_entry_t *heuristic;

// Number of directions in the capture of which Stream::before_tcp keeps bytes, on the first pass. While it is zero, no
// stream need be looked up.
std::size_t followed;

void end_capture() { followed = 0; }

// Evaluates a segment for the candidates that the user has not disabled.
std::optional<StreamOwner> ask(StreamChooser &chooser, unsigned direction, PacketPosition moment, std::uint32_t seq,
                               Bytes payload) {
  return chooser.add(direction, moment, seq, payload, enabled_stream_owners(), preferred_read_options());
}

// True if a segment may begin a candidate's message. Takes no time.
bool may_begin_tcp(Bytes payload) {
  const auto &[debugger, variants] = stream_rules();
  return godot_codec::may_begin_packet(payload, std::max(debugger.max_length, variants.max_length));
}

// Gives a stream to its owner from the first kept segment on. The owner then gets all later segments without the
// heuristics being asked, whatever the ports are, and on later passes those before.
// @param seq sequence number of the segment by which the stream was recognised
void pin_tcp(Stream &stream, packet_info *pinfo, std::uint32_t seq) {
  conversation_t *conversation = stream.conversation;
  conversation_set_dissector_from_frame_number(conversation, conversation->setup_frame,
                                               tcp_handle_of(*stream.chooser.owner()));
  const unsigned direction = direction_of(pinfo);
  const unsigned other = 1 - direction;
  stream.positions[direction].begin_at(seq);
  stream.chooser.hand_over(stream.joins[direction], direction, true);
  stream.chooser.hand_over(stream.joins[other], other, false);
  const godot_codec::Reassembler &joined = stream.joins[other];
  if (joined.kept() > 0 && !joined.is_open()) stream.positions[other].begin_at(joined.end_seq());
}

// ---- the heuristic

// Follows where messages begin in a stream that was taken back: later passes need that if it gets its owner again.
void follow_disowned(Stream &stream, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const StreamPart &where) {
  SegmentContext part = begin_part(tvb, pinfo, tree, StreamOwner::variants, &stream);
  pass_over_tcp(part, where, enter_tcp(part, where));
}

// Returns the dissector of a stream's protocol if this segment has shown the protocol.
dissector_handle_t detect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const tcpinfo &tcp) {
  conversation_t *conversation = conversation_of(pinfo);
  Stream &stream = tcp_stream_of(conversation);
  if (stream.chooser.owner()) return nullptr;
  const Bytes bytes = bytes_of(tvb);
  const StreamPart where = tcp_part_of(conversation, pinfo, tcp, bytes);
  const bool was_owned = stream.chooser.is_taken_back();
  const std::optional<StreamOwner> owner = ask(stream.chooser, direction_of(pinfo), {pinfo->num, 0}, where.seq, bytes);
  if (!owner && was_owned) follow_disowned(stream, tvb, pinfo, tree, where);
  if (!owner) return nullptr;
  pin_tcp(stream, pinfo, where.seq);
  return tcp_handle_of(*owner);
}

ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr || !may_learn(pinfo) || is_decided_by_user(pinfo)) return false;
  const auto &tcp = *static_cast<const tcpinfo *>(data);
  if (tcp.is_reassembled != 0 || tvb_reported_length(tvb) == 0) return false;
  dissector_handle_t detected = detect_late_websocket(tvb, pinfo, tcp);
  if (detected == nullptr) detected = detect_stream(tvb, pinfo, tree, tcp);
  return detected != nullptr && call_detected(detected, tvb, pinfo, tree, data) > 0;
}

// ---- before TCP

// @returns whether the stream has an owner now
bool offer_before_tcp(Stream &stream, unsigned direction, PacketPosition moment, std::uint32_t seq, Bytes payload) {
  if (!stream.before_tcp) stream.before_tcp.emplace(stream_rules(), tcp_memory(), true);
  StreamChooser &chooser = *stream.before_tcp;
  followed -= chooser.is_followed(direction) ? 1 : 0;
  if (!ask(chooser, direction, moment, seq, payload)) {
    followed += chooser.is_followed(direction) ? 1 : 0;
    return false;
  }
  followed -= chooser.is_followed(1 - direction) ? 1 : 0;
  stream.chooser = std::move(chooser);
  stream.before_tcp.reset();
  return true;
}

}  // namespace

dissector_handle_t tcp_handle_of(StreamOwner owner) {
  static auto *const debugger = find_dissector("godot_debug");
  static auto *const variants = find_dissector("godot_tcp");
  return owner == StreamOwner::debugger ? debugger : variants;
}

std::optional<StreamOwner> tcp_owner_alone(Bytes payload) {
  if (!may_begin_tcp(payload)) return std::nullopt;
  StreamChooser chooser(stream_rules(), tcp_memory(), true);
  return ask(chooser, 0, {}, 0, payload);
}

bool is_tcp_detected() { return is_enabled(heuristic); }

bool may_claim_segment(Bytes payload) { return followed > 0 || may_begin_tcp(payload); }

void claim_segment(Bytes payload, packet_info *pinfo, std::uint32_t seq) {
  const bool is_begun = may_begin_tcp(payload);
  // A conversation is TCP's to make, but where there is no doubt.
  conversation_t *conversation = known_conversation_of(pinfo);
  if (conversation == nullptr && !tcp_owner_alone(payload)) return;
  Stream &stream = tcp_stream_of(conversation == nullptr ? conversation_of(pinfo) : conversation);
  if (stream.chooser.owner()) return;
  const unsigned direction = direction_of(pinfo);
  // Leaves a segment that cannot begin a message of ours, or that goes on with a message of the port's owner, unless
  // this direction is followed already.
  const bool is_followed = stream.before_tcp && stream.before_tcp->is_followed(direction);
  if (!is_followed && (!is_begun || is_message_of_tcp(pinfo, seq))) return;
  if (!offer_before_tcp(stream, direction, {pinfo->num, 0}, seq, payload)) return;
  stream.is_claimed = true;
  pin_tcp(stream, pinfo, seq);
}

void register_tcp_owner() { register_cleanup_routine(guarded<end_capture>); }

void handoff_tcp_owner() {
  heuristic = register_heuristic("tcp", "godot_tcp", guarded<detect>,
                                 "Godot Variants, Remote Debugger and WebSockets without their beginning over TCP");
}

}  // namespace godot_plugin
