// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/streams.h"

#include <algorithm>

#include "plugin/debugger/packet-godot_debug.h"
#include "plugin/epan/captured.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/message.h"
#include "plugin/epan/of_packet.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/preferences.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Likeness;
using godot_codec::Moment;
using godot_codec::StreamOwner;
using godot_codec::StreamPart;
using godot_codec::StreamPiece;
using godot_codec::StreamReader;
using godot_codec::StreamRule;

// Godot's own buffer has so many bytes (RemoteDebuggerPeerTCP).
constexpr std::uint32_t max_debug_packet = 8U << 20;

// ---- who may have sent a stream

struct StreamProtocol {
  const char *column;  // the protocol's name in the list
  godot_codec::MeasureMessage measure;
  // @returns how well the message fits
  Likeness (*dissect)(const Message &message, packet_info *pinfo, proto_tree *tree);
};

Likeness dissect_debug(const Message &message, packet_info *pinfo, proto_tree *tree) {
  dissect_debug_message(message, pinfo, tree);
  return Likeness::neutral;
}

Likeness dissect_variant(const Message &message, packet_info *pinfo, proto_tree *tree) {
  return dissect_variant_packet(message, pinfo, tree, godot_codec::stream_prefix_size);
}

constexpr StreamProtocol debugger_protocol = {"GodotDebug", godot_codec::measure_debug_message, dissect_debug};
constexpr StreamProtocol variants_protocol = {"Godot", godot_codec::measure_packet, dissect_variant};

const StreamProtocol &protocol_of(StreamOwner owner) {
  return owner == StreamOwner::debugger ? debugger_protocol : variants_protocol;
}

int proto_of(StreamOwner owner) {
  static const int godot = proto_get_id_by_filter_name("godot");
  static const int debugger = proto_get_id_by_filter_name("godot_debug");
  return owner == StreamOwner::debugger ? debugger : godot;
}

// ---- a piece of a part

// The argument that tcp_dissect_pdus() hands to its callbacks.
struct OneMessage {
  const PartAtHand *part;
  unsigned length;
  bool is_big_endian;
  bool is_own;  // bytes without a length in front
};

unsigned length_of_message(packet_info * /*pinfo*/, tvbuff_t * /*tvb*/, int /*offset*/, void *data) {
  return static_cast<const OneMessage *>(data)->length;
}

// A message behind those that have told whose the stream is says whether that was right.
void weigh(const PartAtHand &part, Likeness likeness) {
  godot_codec::StreamChooser &chooser = part.stream->chooser;
  if (may_learn(part.pinfo) && chooser.owner() == part.owner && chooser.since() < part.moment) chooser.weigh(likeness);
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
  const PartAtHand &part = *one.part;
  const unsigned direction = direction_of(pinfo);
  const bool is_early = part.moment < part.stream->chooser.since();
  Message message{tvb, Carrier::stream, {pinfo->num, part.met->messages++}, is_early};
  if (one.is_own) {
    dissect_variant_packet(message, pinfo, tree, 0);
    return static_cast<int>(tvb_captured_length(tvb));
  }
  message.length_order = order_of(*part.stream, direction, one.is_big_endian);
  const Likeness likeness = protocol_of(part.owner).dissect(message, pinfo, tree);
  weigh(part, likeness);
  if (may_learn(pinfo) && likeness == Likeness::weak)
    part.stream->has_order[direction][one.is_big_endian ? 1 : 0] = true;
  return static_cast<int>(tvb_captured_length(tvb));
}

// TCP counts messages, and catches what one of them may throw.
// @param length on the wire, of which there may be less
// @param is_own bytes of the game's own, without a length
void dissect_message(const PartAtHand &part, const StreamPiece &piece, std::size_t length, bool is_own = false) {
  const std::size_t offset = piece.range.offset;
  const Bytes bytes = bytes_of(part.tvb).slice(piece.range);
  if (bytes.captured == 0) return;
  tvbuff_t *tvb = tvb_new_subset_length_caplen(part.tvb, static_cast<int>(offset), static_cast<int>(bytes.captured),
                                               static_cast<int>(length));
  OneMessage message{&part, static_cast<unsigned>(length), piece.is_big_endian, is_own};
  tcp_dissect_pdus(tvb, part.pinfo, part.tree, false, 1, length_of_message, guarded<dissect_one_message>, &message);
}

void dissect_skipped(const PartAtHand &part, godot_codec::Range range) {
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
  expert_add_info(part.pinfo, skipped, &experts.skipped);
  proto_item_set_generated(proto_tree_add_uint(tree, fields.skipped_length, part.tvb, 0, 0, count));
}

// epan puts a message together again with each segment that is asked for. One that is longer, and of which it is not
// known how long it is, is put together here.
constexpr std::size_t max_asked = std::size_t{64} << 10;

// TCP is not asked either for more of a message behind another one, if it begins in front of the newest segment: on the
// first pass alone TCP hands on again what stands in front of it. Nor where a message has just ended that was put
// together here, and the next one begins with the segment: later passes would not be handed the segment, and lose the
// first one.
bool is_joined_here(const PartAtHand &part, const StreamPiece &piece) {
  if (!may_learn(part.pinfo)) return part.stream->joins[direction_of(part.pinfo)].begins_at(part.moment);
  const bool is_long = !piece.extent.is_exact && piece.range.length > max_asked;
  const std::size_t start = piece.range.offset;
  const bool is_behind_joined = part.head > 0 && start == part.head;
  return is_long || is_behind_joined || (start > 0 && start <= part.newest);
}

void begin_join(const PartAtHand &part, const StreamPiece &piece) {
  if (!may_learn(part.pinfo)) return;
  const godot_codec::MeasureMessage measure =
      piece.is_big_endian ? godot_codec::measure_big_endian_packet : protocol_of(part.owner).measure;
  const StreamRule rule{measure, max_length_of(part.owner)};
  const std::uint32_t seq = part.seq + static_cast<std::uint32_t>(piece.range.offset);
  const Bytes bytes = bytes_of(part.tvb).slice(piece.range);
  part.stream->joins[direction_of(part.pinfo)].begin(part.moment, rule, seq, bytes, bytes.captured, true);
}

// A message goes on behind the segment. @returns whether there will be more of it
bool ask_for_more(const PartAtHand &part, const StreamPiece &piece) {
  const Bytes bytes = bytes_of(part.tvb);
  if (part.pinfo->can_desegment == 0 || bytes.captured < bytes.reported) return false;
  if (FrameRecord *record = begun_record(part.pinfo); record != nullptr) record->has_part = true;
  part.pinfo->desegment_offset = static_cast<int>(piece.range.offset - part.head);
  part.pinfo->desegment_len = piece.extent.is_exact
                                  ? static_cast<std::uint32_t>(piece.extent.length - piece.range.length)
                                  : static_cast<std::uint32_t>(DESEGMENT_ONE_MORE_SEGMENT);
  return true;
}

// A message of which a part came before the stream was known to be its protocol's: it is shown where it ends.
void tell_of_part(const PartAtHand &part) {
  col_set_str(part.pinfo->cinfo, COL_PROTOCOL, protocol_of(part.owner).column);
  if (FrameRecord *record = counting_record(part.pinfo); record != nullptr) record->has_part = true;
  if (part.tree == nullptr) return;
  proto_item *item = add_captured(part.tree, proto_of(part.owner), part.segment, behind(part.segment, 0));
  proto_item_append_text(item, ": part of a message");
}

void note_framed(const PartAtHand &part) {
  Moment &since = part.stream->framed_since[direction_of(part.pinfo)];
  if (may_learn(part.pinfo) && since == Moment{}) since = part.moment;
}

void dissect_piece(const PartAtHand &part, const StreamPiece &piece) {
  const std::size_t offset = piece.range.offset;
  switch (piece.kind) {
    case StreamPiece::Kind::message:
      note_framed(part);
      return dissect_message(part, piece, piece.range.length);
    case StreamPiece::Kind::broken:
      return dissect_message(part, piece, piece.range.length);
    case StreamPiece::Kind::skipped:
      if (!part.is_framed) return dissect_message(part, piece, piece.range.length, true);
      weigh(part, Likeness::none);
      return dissect_skipped(part, piece.range);
    case StreamPiece::Kind::unfinished:
      if (offset < part.head) return tell_of_part(part);
      if (is_joined_here(part, piece)) {
        begin_join(part, piece);
        return tell_of_part(part);
      }
      if (ask_for_more(part, piece)) return;
      return dissect_message(part, piece, std::max(piece.range.length, piece.extent.length));
  }
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

PartAtHand begin_part(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, StreamOwner owner, Stream *stream) {
  Met *met = &of_packet<Met>(pinfo, proto_of(StreamOwner::debugger), OfPacket::stream_parts);
  const Moment moment{pinfo->num, met->parts++};
  return {tvb, tvb, pinfo, tree, owner, met, stream, moment, 0, 0};
}

std::uint32_t max_length_of(StreamOwner owner) {
  return owner == StreamOwner::debugger ? max_debug_packet : preferred_max_length();
}

// By StreamOwner.
godot_codec::StreamRules stream_rules() {
  return {StreamRule{godot_codec::measure_debug_message, max_length_of(StreamOwner::debugger)},
          StreamRule{godot_codec::measure_packet, max_length_of(StreamOwner::variants)}};
}

godot_codec::StreamOptions options_of(StreamOwner owner) { return {max_length_of(owner), preferred_read_options()}; }

void dissect_pieces(const PartAtHand &part, StreamReader &reader) {
  for (StreamPiece piece; reader.next(piece);) dissect_piece(part, piece);
}

void judge_framing(PartAtHand &part, bool has_beginning) {
  if (part.owner != StreamOwner::variants || part.stream->chooser.owner()) return;
  const Moment since = part.stream->framed_since[direction_of(part.pinfo)];
  const bool is_ever_framed = since != Moment{};
  // Where the beginning was not captured, this may be the rest of a packet, until all is known.
  part.is_framed = has_beginning ? is_ever_framed && since < part.moment : is_ever_framed || may_learn(part.pinfo);
}

StreamReader reader_of(const PartAtHand &part, bool is_boundary, bool is_big_endian) {
  godot_codec::StreamOptions options = options_of(part.owner);
  options.is_big_endian = is_big_endian;
  options.is_framed = part.is_framed;
  return {bytes_of(part.tvb), is_boundary, options, protocol_of(part.owner).measure};
}

int dissect_joined(PartAtHand part, const StreamPart &where, const godot_codec::StreamJoin::Segment &segment) {
  const int length = static_cast<int>(tvb_captured_length(part.tvb));
  if (segment.is_quiet) {
    tell_of_part(part);
    return length;
  }
  part.head = segment.head.captured;
  part.seq = where.seq - static_cast<std::uint32_t>(part.head);
  part.tvb = join(part.tvb, part.pinfo, segment.head);
  StreamReader reader = reader_of(part, true, segment.is_big_endian);
  dissect_pieces(part, reader);
  const unsigned direction = direction_of(part.pinfo);
  if (may_learn(part.pinfo) && !part.stream->joins[direction].is_open()) {
    part.stream->positions[direction].leave({part.seq, where.length + part.head, false}, reader);
  }
  return length;
}

}  // namespace godot_plugin
