// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/streams.h"

#include <algorithm>

#include "godot-codec/debugger/message.h"
#include "plugin/debugger/packet-godot_debug.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Confidence;
using godot_codec::PacketPosition;
using godot_codec::StreamItem;
using godot_codec::StreamItemKind;
using godot_codec::StreamPart;
using godot_codec::StreamProtocol;
using godot_codec::StreamReader;
using godot_codec::StreamRule;

// ---- the protocols of streams

std::uint32_t max_length_of(StreamProtocol protocol) {
  constexpr std::uint32_t max_debug_packet = 8U << 20;  // the engine's buffer (RemoteDebuggerPeerTCP)
  return protocol == StreamProtocol::debugger ? max_debug_packet : preferred_max_length();
}

godot_codec::MeasureMessage measure_of(StreamProtocol protocol) {
  return protocol == StreamProtocol::debugger ? godot_codec::measure_debug_message : godot_codec::measure_packet;
}

const char *column_of(StreamProtocol protocol) { return protocol == StreamProtocol::debugger ? "GodotDebug" : "Godot"; }

// epan's number of the protocol.
int proto_of(StreamProtocol protocol) {
  static const int godot = proto_get_id_by_filter_name("godot");
  static const int debugger = proto_get_id_by_filter_name("godot_debug");
  return protocol == StreamProtocol::debugger ? debugger : godot;
}

// @returns how well the message matches
Confidence dissect_as(StreamProtocol protocol, const MessageContext &context) {
  if (protocol == StreamProtocol::variants) return dissect_variant_packet(context, godot_codec::stream_prefix_size);
  dissect_debug_message(context);
  return Confidence::neutral;
}

// The next message of the packet, in this pass.
MessageContext context_of(const SegmentContext &part, tvbuff_t *tvb, proto_tree *tree) {
  const PacketPosition position{part.pinfo->num, part.counts->messages++};
  return {part.pinfo, tree, tvb, message_from(tvb, part.pinfo, Transport::stream, position)};
}

// ---- the evidence of a message, on the first pass

// Records that the part has a complete message.
void record_framed(const SegmentContext &part) {
  PacketPosition &since = part.stream->framed_since[direction_of(part.pinfo)];
  if (may_learn(part.pinfo) && since == PacketPosition{}) since = part.position;
}

// A message after the decision confirms or contradicts it.
void update_detection(const SegmentContext &part, Confidence confidence) {
  godot_codec::StreamDetection &detection = part.stream->detection;
  if (may_learn(part.pinfo) && detection.protocol() == part.protocol && detection.since() < part.position)
    detection.weigh(confidence, part.position);
}

// Compares the byte order of a message's length with that of the other end. If they differ, neither end can read the
// packets of the other.
LengthOrder order_of(const Stream &stream, unsigned direction, bool is_big_endian) {
  const auto &[has_little, has_big] = stream.has_order[1 - direction];
  if (!is_big_endian) return LengthOrder::little_endian;
  if (has_big) return LengthOrder::big_endian;
  return has_little ? LengthOrder::differs : LengthOrder::unanswered;
}

// ---- a message is dissected by the stream's protocol; other bytes are shown as skipped

// The argument that tcp_dissect_pdus() passes to its callbacks.
struct MessageArguments {
  const SegmentContext *part;
  unsigned length;  // on the wire; fewer bytes may be captured
  bool is_big_endian;
  bool is_custom;  // custom payload, without a length prefix
};

unsigned length_of_message(packet_info * /*pinfo*/, tvbuff_t * /*tvb*/, int /*offset*/, void *data) {
  return static_cast<const MessageArguments *>(data)->length;
}

int dissect_single_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const MessageArguments &arguments = *static_cast<const MessageArguments *>(data);
  const SegmentContext &part = *arguments.part;
  const unsigned direction = direction_of(pinfo);
  MessageContext context = context_of(part, tvb, tree);
  context.conversation = part.stream->conversation;
  context.is_early = part.position < part.stream->detection.since();
  if (arguments.is_custom) {
    dissect_variant_packet(context, 0);
    return static_cast<int>(tvb_captured_length(tvb));
  }
  context.length_order = order_of(*part.stream, direction, arguments.is_big_endian);
  const Confidence confidence = dissect_as(part.protocol, context);
  update_detection(part, confidence);
  if (may_learn(pinfo) && confidence == Confidence::weak)
    part.stream->has_order[direction][arguments.is_big_endian ? 1 : 0] = true;
  return static_cast<int>(tvb_captured_length(tvb));
}

// Calls tcp_dissect_pdus(), so that TCP counts the message and catches exceptions. It is called for one message at a
// time: given all of them, it would stop at the first byte that was not captured, and show the bytes between messages
// as messages.
void dissect_message(const SegmentContext &part, const StreamItem &found, std::size_t length, bool is_custom = false) {
  const Bytes bytes = bytes_of(part.tvb).slice(found.range);
  if (bytes.captured == 0) return;
  tvbuff_t *tvb = tvb_new_subset_length_caplen(part.tvb, static_cast<int>(found.range.offset),
                                               static_cast<int>(bytes.captured), static_cast<int>(length));
  MessageArguments message{&part, static_cast<unsigned>(length), found.is_big_endian, is_custom};
  tcp_dissect_pdus(tvb, part.pinfo, part.tree, false, 1, length_of_message, guarded<dissect_single_message>, &message);
}

void dissect_skipped(const SegmentContext &part, godot_codec::Range range) {
  const auto count = static_cast<std::uint32_t>(range.length);
  add_summary(context_of(part, part.tvb, part.tree), column_of(part.protocol),
              wmem_strdup_printf(part.pinfo->pool, "%u bytes skipped", count));
  if (FrameRecord *record = counting_record(part.pinfo); record != nullptr) {
    record->carried += range.length;
    record->cost(Cost::other) += count;
  }
  proto_item *item = add_captured(part.tree, proto_of(part.protocol), part.tvb, range);
  proto_tree *tree = proto_item_add_subtree(item, subtrees.packet);
  proto_item *skipped = add_captured(tree, fields.skipped, part.tvb, range);
  add_expert(part.pinfo, skipped, &experts.skipped);
  proto_item_set_generated(proto_tree_add_uint(tree, fields.skipped_length, part.tvb, 0, 0, count));
}

// ---- a message continues after the part: TCP is asked for the rest, or it is reassembled here

// epan reassembles a message again with each further segment that we request. So a message of unknown length that is
// longer than this is reassembled here.
constexpr std::size_t max_requested = std::size_t{64} << 10;

// The rest of a message is also not requested from TCP in two cases. First, if the message follows another one and
// begins before the newest segment, because only on the first pass TCP passes on the bytes before that segment again.
// Second, if a message that was reassembled here has just ended, and the next one begins with the segment: later passes
// would not get the segment, and would lose the first message.
bool is_reassembled_here(const SegmentContext &part, const StreamItem &found) {
  if (!may_learn(part.pinfo)) return part.stream->joins[direction_of(part.pinfo)].begins_at(part.position);
  const bool is_long = !found.extent.is_exact && found.range.length > max_requested;
  const std::size_t start = found.range.offset;
  const bool follows_reassembled = part.head > 0 && start == part.head;
  return is_long || follows_reassembled || (start > 0 && start <= part.newest);
}

void begin_reassembly(const SegmentContext &part, const StreamItem &found) {
  if (!may_learn(part.pinfo)) return;
  const StreamRule rule{found.is_big_endian ? godot_codec::measure_big_endian_packet : measure_of(part.protocol),
                        max_length_of(part.protocol)};
  const std::uint32_t seq = part.seq + static_cast<std::uint32_t>(found.range.offset);
  const Bytes bytes = bytes_of(part.tvb).slice(found.range);
  part.stream->joins[direction_of(part.pinfo)].begin(part.position, rule, seq, bytes, bytes.captured, true);
}

// @returns whether TCP will pass on more of the message
bool request_rest(const SegmentContext &part, const StreamItem &found) {
  const Bytes bytes = bytes_of(part.tvb);
  if (part.pinfo->can_desegment == 0 || bytes.captured < bytes.reported) return false;
  if (FrameRecord *record = existing_record(part.pinfo); record != nullptr) record->has_part = true;
  part.pinfo->desegment_offset = static_cast<int>(found.range.offset - part.head);
  part.pinfo->desegment_len = found.extent.is_exact
                                  ? static_cast<std::uint32_t>(found.extent.length - found.range.length)
                                  : static_cast<std::uint32_t>(DESEGMENT_ONE_MORE_SEGMENT);
  return true;
}

// Shows a part of a message. The message is shown in the segment where it ends.
void show_partial_message(const SegmentContext &part) {
  col_set_str(part.pinfo->cinfo, COL_PROTOCOL, column_of(part.protocol));
  if (FrameRecord *record = counting_record(part.pinfo); record != nullptr) record->has_part = true;
  if (part.tree == nullptr) return;
  proto_item *item = add_captured(part.tree, proto_of(part.protocol), part.segment, range_from(part.segment, 0));
  proto_item_append_text(item, ": part of a message");
}

void dissect_unfinished(const SegmentContext &part, const StreamItem &found) {
  const bool was_begun_earlier = found.range.offset < part.head;
  if (was_begun_earlier) return show_partial_message(part);
  if (is_reassembled_here(part, found)) {
    begin_reassembly(part, found);
    return show_partial_message(part);
  }
  if (request_rest(part, found)) return;
  dissect_message(part, found, std::max(found.range.length, found.extent.length));
}

// Joins the beginning of a message and the segment in which it continues.
tvbuff_t *prepend(tvbuff_t *segment, packet_info *pinfo, Bytes head) {
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

// ---- pieces

void dissect_item(const SegmentContext &part, const StreamItem &found) {
  switch (found.kind) {
    case StreamItemKind::message:
      record_framed(part);
      return dissect_message(part, found, found.range.length);
    case StreamItemKind::broken:
      return dissect_message(part, found, found.range.length);
    case StreamItemKind::skipped:
      if (!part.is_framed) return dissect_message(part, found, found.range.length, true);
      update_detection(part, Confidence::none);
      return dissect_skipped(part, found.range);
    case StreamItemKind::unfinished:
      return dissect_unfinished(part, found);
  }
}

}  // namespace

godot_codec::StreamRules stream_rules() {
  const auto rule_of = [](StreamProtocol protocol) {
    return StreamRule{measure_of(protocol), max_length_of(protocol)};
  };
  return {rule_of(StreamProtocol::debugger), rule_of(StreamProtocol::variants)};
}

godot_codec::StreamCandidates enabled_stream_candidates() {
  return {is_enabled(proto_of(StreamProtocol::debugger)), is_enabled(proto_of(StreamProtocol::variants))};
}

godot_codec::StreamOptions options_of(StreamProtocol protocol) {
  return {max_length_of(protocol), preferred_read_options()};
}

SegmentContext begin_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, StreamProtocol protocol,
                             Stream *stream) {
  PacketCounts *counts = &counts_of(pinfo);
  const PacketPosition position{pinfo->num, counts->parts++};
  return {tvb, tvb, pinfo, tree, protocol, counts, stream, position, 0, 0};
}

bool is_framing_known(const SegmentContext &part) {
  const godot_codec::StreamDetection &detection = part.stream->detection;
  return part.protocol != StreamProtocol::variants ||
         (detection.protocol_at(part.position) && !detection.is_without_length());
}

void detect_framing(SegmentContext &part, bool has_beginning) {
  if (is_framing_known(part)) return;
  const PacketPosition since = part.stream->framed_since[direction_of(part.pinfo)];
  const bool is_ever_framed = since != PacketPosition{};
  // If the beginning was not captured, this may be the rest of a packet. Only later passes know for certain.
  part.is_framed = has_beginning ? is_ever_framed && since < part.position : is_ever_framed || may_learn(part.pinfo);
}

StreamReader reader_of(const SegmentContext &part, bool is_boundary, bool is_big_endian) {
  godot_codec::StreamOptions options = options_of(part.protocol);
  options.is_big_endian = is_big_endian;
  options.is_framed = part.is_framed;
  return {bytes_of(part.tvb), is_boundary, options, measure_of(part.protocol)};
}

StreamReader dissect_items(const SegmentContext &part, bool is_boundary, bool is_big_endian) {
  StreamReader reader = reader_of(part, is_boundary, is_big_endian);
  for (StreamItem found; reader.next(found);) dissect_item(part, found);
  return reader;
}

bool dissect_joined(SegmentContext part, const StreamPart &where) {
  const unsigned direction = direction_of(part.pinfo);
  godot_codec::Reassembler &joined = part.stream->joins[direction];
  if (may_learn(part.pinfo)) joined.follow(part.position, where.seq, bytes_of(part.tvb));
  const godot_codec::Reassembler::Segment segment = joined.find(part.position, where.seq, where.length);
  if (!segment.is_covered) return false;
  if (segment.is_quiet) {
    show_partial_message(part);
    return true;
  }
  part.head = segment.head.captured;
  part.seq = where.seq - static_cast<std::uint32_t>(part.head);
  part.tvb = prepend(part.tvb, part.pinfo, segment.head);
  const StreamReader reader = dissect_items(part, true, segment.is_big_endian);
  if (may_learn(part.pinfo) && !joined.is_open()) {
    part.stream->positions[direction].leave({part.seq, where.length + part.head, false}, reader);
  }
  return true;
}

}  // namespace godot_plugin
