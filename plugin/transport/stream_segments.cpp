// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/stream_segments.h"

#include <algorithm>

#include "godot-codec/debugger/message.h"
#include "plugin/debugger/packet-godot_debug.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame_record.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Confidence;
using godot_codec::PacketPosition;
using godot_codec::StreamItem;
using godot_codec::StreamItemKind;
using godot_codec::StreamProtocol;
using godot_codec::StreamReader;

// ---- the protocols of streams, and their dissectors

const char *protocol_column_of(StreamProtocol protocol) {
  return protocol == StreamProtocol::debugger ? "GodotDebug" : "Godot";
}

// Returns epan's ID of the protocol.
int proto_of(StreamProtocol protocol) {
  static const int godot = proto_get_id_by_filter_name("godot");
  static const int debugger = proto_get_id_by_filter_name("godot_debug");
  return protocol == StreamProtocol::debugger ? debugger : godot;
}

// Dissects a message as the protocol. @returns how well the message matches the protocol
Confidence dissect_as(StreamProtocol protocol, const MessageContext &context) {
  if (protocol == StreamProtocol::variants) return dissect_variant_packet(context, godot_codec::stream_prefix_size);
  dissect_debug_message(context);
  return Confidence::neutral;
}

// Returns the context of the packet's next message, in this pass.
MessageContext context_of(const SegmentContext &segment, tvbuff_t *tvb, proto_tree *tree) {
  const PacketPosition position{segment.pinfo->num, segment.counts->messages++};
  return {segment.pinfo, tree, tvb, make_message(tvb, segment.pinfo, Transport::stream, position)};
}

// ---- first pass: evidence from a message

// Records that the segment has a complete message.
void record_framed_segment(const SegmentContext &segment) {
  PacketPosition &since = segment.stream->first_framed_position[direction_of(segment.pinfo)];
  if (may_update_state(segment.pinfo) && since == PacketPosition{}) since = segment.position;
}

// Updates the decision: a message after the decision confirms or contradicts it.
void update_detection(const SegmentContext &segment, Confidence confidence) {
  godot_codec::StreamDetection &detection = segment.stream->detection;
  if (may_update_state(segment.pinfo) && detection.protocol() == segment.protocol &&
      detection.decided_since() < segment.position)
    detection.add_confidence(confidence, segment.position);
}

// Compares the byte orders of the lengths that both sides send. If the orders differ, neither side can read the other
// side's packets.
LengthByteOrder length_order_of(const StreamState &stream, unsigned direction, bool is_big_endian) {
  const auto &[has_little, has_big] = stream.has_length_order[1 - direction];
  if (!is_big_endian) return LengthByteOrder::little_endian;
  if (has_big) return LengthByteOrder::big_endian;
  return has_little ? LengthByteOrder::differs : LengthByteOrder::unanswered;
}

// ---- dissection of a message, and of skipped bytes

// The argument that tcp_dissect_pdus() passes to its callbacks.
struct PduCallbackData {
  const SegmentContext *segment;
  unsigned wire_length;  // length on the wire; fewer bytes may be captured
  bool is_big_endian;
  bool is_custom_payload;  // true for a custom payload without a length prefix
};

unsigned length_of_message(packet_info * /*pinfo*/, tvbuff_t * /*tvb*/, int /*offset*/, void *data) {
  return static_cast<const PduCallbackData *>(data)->wire_length;
}

int dissect_single_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const PduCallbackData &arguments = *static_cast<const PduCallbackData *>(data);
  const SegmentContext &segment = *arguments.segment;
  const unsigned direction = direction_of(pinfo);
  MessageContext context = context_of(segment, tvb, tree);
  context.conversation = segment.stream->conversation;
  context.is_pre_detection = segment.position < segment.stream->detection.decided_since();
  if (arguments.is_custom_payload) {
    dissect_variant_packet(context, 0);
    return static_cast<int>(tvb_captured_length(tvb));
  }
  context.transport_info = length_order_of(*segment.stream, direction, arguments.is_big_endian);
  const Confidence confidence = dissect_as(segment.protocol, context);
  update_detection(segment, confidence);
  if (may_update_state(pinfo) && confidence == Confidence::weak)
    segment.stream->has_length_order[direction][arguments.is_big_endian ? 1 : 0] = true;
  return static_cast<int>(tvb_captured_length(tvb));
}

// Calls tcp_dissect_pdus(), so that TCP counts the message and catches exceptions. Passes one message at a time. With
// all messages, tcp_dissect_pdus() would stop at the first byte that was not captured, and show the bytes between
// messages as messages.
void dissect_message(const SegmentContext &segment, const StreamItem &found, std::size_t length,
                     bool is_custom_payload = false) {
  const Bytes bytes = bytes_of(segment.tvb).slice(found.range);
  if (bytes.captured == 0) return;
  tvbuff_t *tvb = tvb_new_subset_length_caplen(segment.tvb, static_cast<int>(found.range.offset),
                                               static_cast<int>(bytes.captured), static_cast<int>(length));
  PduCallbackData message{&segment, static_cast<unsigned>(length), found.is_big_endian, is_custom_payload};
  tcp_dissect_pdus(tvb, segment.pinfo, segment.tree, false, 1, length_of_message, guarded<dissect_single_message>,
                   &message);
}

void dissect_skipped_bytes(const SegmentContext &segment, godot_codec::Range range) {
  const auto count = static_cast<std::uint32_t>(range.length);
  add_summary(context_of(segment, segment.tvb, segment.tree), protocol_column_of(segment.protocol),
              wmem_strdup_printf(segment.pinfo->pool, "%u bytes skipped", count));
  if (FrameRecord *record = frame_record_if_counted(segment.pinfo); record != nullptr) {
    record->dissected_bytes += range.length;
    record->bytes_in(ByteCategory::other) += count;
  }
  proto_item *item = add_captured(segment.tree, proto_of(segment.protocol), segment.tvb, range);
  proto_tree *tree = proto_item_add_subtree(item, subtrees.packet);
  proto_item *skipped = add_captured(tree, fields.skipped, segment.tvb, range);
  add_expert(segment.pinfo, skipped, &experts.skipped);
  proto_item_set_generated(proto_tree_add_uint(tree, fields.skipped_length, segment.tvb, 0, 0, count));
}

// ---- messages that continue after the segment: reassembled by TCP, or by this plugin

// Maximum size that we request from epan for a message of unknown length, in bytes. epan would reassemble it anew with
// each segment, so this plugin reassembles longer messages.
constexpr std::size_t max_requested = std::size_t{64} << 10;

// In two more cases, this plugin does not request the rest from TCP. First, the message follows another message and
// begins before the newest segment: TCP passes on these bytes again only on the first pass. Second, a message that this
// plugin reassembled has just ended, and the next message begins with the segment: later passes would not get the
// segment, and would lose the first message.
bool is_reassembled_by_plugin(const SegmentContext &segment, const StreamItem &found) {
  if (!may_update_state(segment.pinfo))
    return segment.stream->reassemblers[direction_of(segment.pinfo)].begins_message_at(segment.position);
  const bool is_long = !found.extent.is_exact && found.range.length > max_requested;
  const std::size_t start = found.range.offset;
  const bool follows_reassembled = segment.head_size > 0 && start == segment.head_size;
  return is_long || follows_reassembled || (start > 0 && start <= segment.newest_offset);
}

void begin_reassembly(const SegmentContext &segment, const StreamItem &found) {
  if (!may_update_state(segment.pinfo)) return;
  godot_codec::StreamOptions options = options_of(segment.protocol);
  options.is_big_endian = found.is_big_endian;
  const std::uint32_t seq = segment.seq + static_cast<std::uint32_t>(found.range.offset);
  const Bytes bytes = bytes_of(segment.tvb).slice(found.range);
  segment.stream->reassemblers[direction_of(segment.pinfo)].begin(segment.position, options, seq, bytes, bytes.captured,
                                                                  true);
}

// Requests the rest of a message from TCP. @returns true if TCP will pass on more of the message
bool request_rest_of_message(const SegmentContext &segment, const StreamItem &found) {
  const Bytes bytes = bytes_of(segment.tvb);
  if (segment.pinfo->can_desegment == 0 || bytes.captured < bytes.reported) return false;
  if (FrameRecord *record = find_frame_record(segment.pinfo); record != nullptr) record->has_message_chunk = true;
  segment.pinfo->desegment_offset = static_cast<int>(found.range.offset - segment.head_size);
  segment.pinfo->desegment_len = found.extent.is_exact
                                     ? static_cast<std::uint32_t>(found.extent.length - found.range.length)
                                     : static_cast<std::uint32_t>(DESEGMENT_ONE_MORE_SEGMENT);
  return true;
}

// Shows the bytes of an incomplete message. The message itself is shown in the segment that contains its end.
void show_partial_message(const SegmentContext &segment) {
  col_set_str(segment.pinfo->cinfo, COL_PROTOCOL, protocol_column_of(segment.protocol));
  if (FrameRecord *record = frame_record_if_counted(segment.pinfo); record != nullptr) record->has_message_chunk = true;
  if (segment.tree == nullptr) return;
  proto_item *item =
      add_captured(segment.tree, proto_of(segment.protocol), segment.original_tvb, range_from(segment.original_tvb, 0));
  proto_item_append_text(item, ": part of a message");
}

void dissect_unfinished_message(const SegmentContext &segment, const StreamItem &found) {
  const bool was_begun_earlier = found.range.offset < segment.head_size;
  if (was_begun_earlier) return show_partial_message(segment);
  if (is_reassembled_by_plugin(segment, found)) {
    begin_reassembly(segment, found);
    return show_partial_message(segment);
  }
  if (request_rest_of_message(segment, found)) return;
  dissect_message(segment, found, std::max(found.range.length, found.extent.length));
}

// Joins the beginning of a message with the segment that continues the message.
tvbuff_t *prepend_bytes(tvbuff_t *segment, packet_info *pinfo, Bytes head) {
  if (head.captured == 0) return segment;
  const Bytes rest = bytes_of(segment);
  const std::size_t length = head.captured + rest.captured;
  auto *memory = static_cast<std::uint8_t *>(wmem_alloc(pinfo->pool, length));
  std::copy_n(head.data, head.captured, memory);
  std::copy_n(rest.data, rest.captured, memory + head.captured);
  tvbuff_t *joined = tvb_new_child_real_data(segment, memory, static_cast<unsigned>(length),
                                             static_cast<int>(head.captured + rest.reported));
  add_new_data_source(pinfo, joined, "Message begun earlier");
  return joined;
}

// ---- stream items

void dissect_item(const SegmentContext &segment, const StreamItem &found) {
  switch (found.kind) {
    case StreamItemKind::message:
      record_framed_segment(segment);
      return dissect_message(segment, found, found.range.length);
    case StreamItemKind::broken:
      return dissect_message(segment, found, found.range.length);
    case StreamItemKind::skipped:
      if (!segment.is_framed) return dissect_message(segment, found, found.range.length, true);
      update_detection(segment, Confidence::none);
      return dissect_skipped_bytes(segment, found.range);
    case StreamItemKind::unfinished:
      return dissect_unfinished_message(segment, found);
  }
}

}  // namespace

godot_codec::StreamCandidateOptions stream_options() {
  return {options_of(StreamProtocol::debugger), options_of(StreamProtocol::variants)};
}

godot_codec::StreamCandidates enabled_stream_candidates() {
  return {is_enabled(proto_of(StreamProtocol::debugger)), is_enabled(proto_of(StreamProtocol::variants))};
}

std::uint32_t max_length_of(StreamProtocol protocol) {
  constexpr std::uint32_t max_debug_packet = 8U << 20;  // size of the engine's buffer (RemoteDebuggerPeerTCP)
  return protocol == StreamProtocol::debugger ? max_debug_packet : preferred_max_length();
}

godot_codec::StreamOptions options_of(StreamProtocol protocol) {
  return {.max_length = max_length_of(protocol),
          .read = preferred_read_options(),
          .measure =
              protocol == StreamProtocol::debugger ? godot_codec::measure_debug_message : godot_codec::measure_packet};
}

SegmentContext begin_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, StreamProtocol protocol,
                             StreamState *stream) {
  PacketCounts *counts = &packet_counts_of(pinfo);
  const PacketPosition position{pinfo->num, counts->stream_segments++};
  return {tvb, tvb, pinfo, tree, protocol, counts, stream, position, 0, 0};
}

bool is_framing_known(const SegmentContext &segment) {
  const godot_codec::StreamDetection &detection = segment.stream->detection;
  return segment.protocol != StreamProtocol::variants ||
         (detection.protocol_at(segment.position) && !detection.has_no_length_prefix());
}

void detect_framing(SegmentContext &segment, bool has_beginning) {
  if (is_framing_known(segment)) return;
  const PacketPosition since = segment.stream->first_framed_position[direction_of(segment.pinfo)];
  const bool is_ever_framed = since != PacketPosition{};
  // If the stream's beginning was not captured, these bytes may be the rest of a packet. Only later passes know for
  // certain.
  segment.is_framed =
      has_beginning ? is_ever_framed && since < segment.position : is_ever_framed || may_update_state(segment.pinfo);
}

StreamReader reader_of(const SegmentContext &segment, bool is_boundary, bool is_big_endian) {
  godot_codec::StreamOptions options = options_of(segment.protocol);
  options.is_big_endian = is_big_endian;
  options.has_known_framing = segment.is_framed;
  return {bytes_of(segment.tvb), is_boundary, options};
}

StreamReader dissect_items(const SegmentContext &segment, bool is_boundary, bool is_big_endian) {
  StreamReader reader = reader_of(segment, is_boundary, is_big_endian);
  for (StreamItem found; reader.next(found);) dissect_item(segment, found);
  return reader;
}

bool dissect_reassembled(SegmentContext segment, const godot_codec::StreamChunk &where) {
  const unsigned direction = direction_of(segment.pinfo);
  godot_codec::Reassembler &joined = segment.stream->reassemblers[direction];
  if (may_update_state(segment.pinfo)) joined.add_segment(segment.position, where.seq, bytes_of(segment.tvb));
  const godot_codec::Reassembler::SegmentLookup joined_segment = joined.find(segment.position, where.seq, where.length);
  if (!joined_segment.is_covered) return false;
  if (joined_segment.has_no_message_end) {
    show_partial_message(segment);
    return true;
  }
  segment.head_size = joined_segment.head.captured;
  segment.seq = where.seq - static_cast<std::uint32_t>(segment.head_size);
  segment.tvb = prepend_bytes(segment.tvb, segment.pinfo, joined_segment.head);
  const StreamReader reader = dissect_items(segment, true, joined_segment.is_big_endian);
  if (may_update_state(segment.pinfo) && !joined.is_open()) {
    segment.stream->positions[direction].end_chunk({segment.seq, where.length + segment.head_size, false}, reader);
  }
  return true;
}

}  // namespace godot_plugin
