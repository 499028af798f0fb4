// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/stream_unfinished.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plugin/carriers/stream_messages.h"
#include "plugin/epan/captured.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/tvb.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::StreamPiece;
using godot_codec::StreamRule;

// epan puts a message together again with each segment that is asked for. One that is longer, and of which it is not
// known how long it is, is put together here.
constexpr std::size_t max_asked = std::size_t{64} << 10;

// TCP is not asked either for more of a message behind another one, if it begins in front of the newest segment: on the
// first pass alone TCP hands on again what stands in front of it. Nor where a message has just ended that was put
// together here, and the next one begins with the segment: later passes would not be handed the segment, and lose the
// first one.
bool is_joined_here(const SegmentContext &part, const StreamPiece &piece) {
  if (!may_learn(part.pinfo)) return part.stream->joins[direction_of(part.pinfo)].begins_at(part.moment);
  const bool is_long = !piece.extent.is_exact && piece.range.length > max_asked;
  const std::size_t start = piece.range.offset;
  const bool is_behind_joined = part.head > 0 && start == part.head;
  return is_long || is_behind_joined || (start > 0 && start <= part.newest);
}

void begin_join(const SegmentContext &part, const StreamPiece &piece) {
  if (!may_learn(part.pinfo)) return;
  const godot_codec::MeasureMessage measure =
      piece.is_big_endian ? godot_codec::measure_big_endian_packet : protocol_of(part.owner).measure;
  const StreamRule rule{measure, max_length_of(part.owner)};
  const std::uint32_t seq = part.seq + static_cast<std::uint32_t>(piece.range.offset);
  const Bytes bytes = bytes_of(part.tvb).slice(piece.range);
  part.stream->joins[direction_of(part.pinfo)].begin(part.moment, rule, seq, bytes, bytes.captured, true);
}

// A message goes on behind the segment. @returns whether there will be more of it
bool ask_for_more(const SegmentContext &part, const StreamPiece &piece) {
  const Bytes bytes = bytes_of(part.tvb);
  if (part.pinfo->can_desegment == 0 || bytes.captured < bytes.reported) return false;
  if (FrameRecord *record = begun_record(part.pinfo); record != nullptr) record->has_part = true;
  part.pinfo->desegment_offset = static_cast<int>(piece.range.offset - part.head);
  part.pinfo->desegment_len = piece.extent.is_exact
                                  ? static_cast<std::uint32_t>(piece.extent.length - piece.range.length)
                                  : static_cast<std::uint32_t>(DESEGMENT_ONE_MORE_SEGMENT);
  return true;
}

// The head of a message and the segment in which it goes on, as one.
tvbuff_t *join(tvbuff_t *segment, packet_info *pinfo, Bytes head) {
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

}  // namespace

void dissect_unfinished(const SegmentContext &part, const StreamPiece &piece) {
  const bool was_begun_earlier = piece.range.offset < part.head;
  if (was_begun_earlier) return tell_of_part(part);
  if (is_joined_here(part, piece)) {
    begin_join(part, piece);
    return tell_of_part(part);
  }
  if (ask_for_more(part, piece)) return;
  dissect_message(part, piece, std::max(piece.range.length, piece.extent.length));
}

void tell_of_part(const SegmentContext &part) {
  col_set_str(part.pinfo->cinfo, COL_PROTOCOL, protocol_of(part.owner).column);
  if (FrameRecord *record = counting_record(part.pinfo); record != nullptr) record->has_part = true;
  if (part.tree == nullptr) return;
  proto_item *item = add_captured(part.tree, proto_of(part.owner), part.segment, behind(part.segment, 0));
  proto_item_append_text(item, ": part of a message");
}

void put_in_front(SegmentContext &part, const godot_codec::StreamPart &where,
                  const godot_codec::Reassembler::Segment &segment) {
  part.head = segment.head.captured;
  part.seq = where.seq - static_cast<std::uint32_t>(part.head);
  part.tvb = join(part.tvb, part.pinfo, segment.head);
}

}  // namespace godot_plugin
