// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/stream_messages.h"

#include <cstdint>

#include "plugin/epan/captured.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/message.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Confidence;
using godot_codec::StreamPiece;

// The argument that tcp_dissect_pdus() hands to its callbacks.
struct OneMessage {
  const SegmentContext *part;
  unsigned length;
  bool is_big_endian;
  bool is_own;  // bytes without a length in front
};

unsigned length_of_message(packet_info * /*pinfo*/, tvbuff_t * /*tvb*/, int /*offset*/, void *data) {
  return static_cast<const OneMessage *>(data)->length;
}

// Where the ends of a stream differ in it, neither can read the other's packets.
LengthOrder order_of(const Stream &stream, unsigned direction, bool is_big_endian) {
  const auto &[has_little, has_big] = stream.has_order[1 - direction];
  if (!is_big_endian) return LengthOrder::little_endian;
  if (has_big) return LengthOrder::big_endian;
  return has_little ? LengthOrder::differs : LengthOrder::unanswered;
}

int dissect_one_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const OneMessage &one = *static_cast<const OneMessage *>(data);
  const SegmentContext &part = *one.part;
  const unsigned direction = direction_of(pinfo);
  const bool is_early = part.moment < part.stream->chooser.since();
  Message message{tvb, Carrier::stream, {pinfo->num, part.met->messages++}, is_early};
  if (one.is_own) {
    dissect_variant_packet(message, pinfo, tree, 0);
    return static_cast<int>(tvb_captured_length(tvb));
  }
  message.length_order = order_of(*part.stream, direction, one.is_big_endian);
  const Confidence confidence = protocol_of(part.owner).dissect(message, pinfo, tree);
  weigh(part, confidence);
  if (may_learn(pinfo) && confidence == Confidence::weak)
    part.stream->has_order[direction][one.is_big_endian ? 1 : 0] = true;
  return static_cast<int>(tvb_captured_length(tvb));
}

// TCP counts messages, and catches what one of them may throw.
void hand_on(const SegmentContext &part, const StreamPiece &piece, std::size_t length, bool is_own) {
  const std::size_t offset = piece.range.offset;
  const Bytes bytes = bytes_of(part.tvb).slice(piece.range);
  if (bytes.captured == 0) return;
  tvbuff_t *tvb = tvb_new_subset_length_caplen(part.tvb, static_cast<int>(offset), static_cast<int>(bytes.captured),
                                               static_cast<int>(length));
  OneMessage message{&part, static_cast<unsigned>(length), piece.is_big_endian, is_own};
  tcp_dissect_pdus(tvb, part.pinfo, part.tree, false, 1, length_of_message, guarded<dissect_one_message>, &message);
}

}  // namespace

void dissect_message(const SegmentContext &part, const StreamPiece &piece, std::size_t length) {
  hand_on(part, piece, length, false);
}

void dissect_own_bytes(const SegmentContext &part, const StreamPiece &piece) {
  hand_on(part, piece, piece.range.length, true);
}

void dissect_skipped(const SegmentContext &part, godot_codec::Range range) {
  const auto count = static_cast<std::uint32_t>(range.length);
  const Message message{part.tvb, Carrier::stream, {part.pinfo->num, part.met->messages++}, false};
  tell_message(part.pinfo, message, protocol_of(part.owner).column,
               wmem_strdup_printf(part.pinfo->pool, "%u bytes passed over", count));
  if (FrameRecord *record = counting_record(part.pinfo); record != nullptr) {
    record->carried += range.length;
    record->cost(Cost::other) += count;
  }
  proto_item *item = add_captured(part.tree, proto_of(part.owner), part.tvb, range);
  proto_tree *tree = proto_item_add_subtree(item, subtrees.packet);
  proto_item *skipped = add_captured(tree, fields.skipped, part.tvb, range);
  add_expert(part.pinfo, skipped, &experts.skipped);
  proto_item_set_generated(proto_tree_add_uint(tree, fields.skipped_length, part.tvb, 0, 0, count));
}

}  // namespace godot_plugin
