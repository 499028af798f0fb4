// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/stream_part.h"

#include "plugin/epan/endpoints.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/of_packet.h"
#include "plugin/epan/tvb.h"

namespace godot_plugin {

using godot_codec::Confidence;
using godot_codec::PacketPosition;
using godot_codec::StreamOwner;

SegmentContext begin_part(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, StreamOwner owner, Stream *stream) {
  Met *met = &of_packet<Met>(pinfo, proto_of(StreamOwner::debugger), PacketDataKey::stream_parts);
  const PacketPosition moment{pinfo->num, met->parts++};
  return {tvb, tvb, pinfo, tree, owner, met, stream, moment, 0, 0};
}

bool is_framing_known(const SegmentContext &part) {
  const godot_codec::StreamChooser &chooser = part.stream->chooser;
  return part.owner != StreamOwner::variants || (chooser.owner_at(part.moment) && !chooser.is_without_length());
}

void judge_framing(SegmentContext &part, bool has_beginning) {
  if (is_framing_known(part)) return;
  const PacketPosition since = part.stream->framed_since[direction_of(part.pinfo)];
  const bool is_ever_framed = since != PacketPosition{};
  // Where the beginning was not captured, this may be the rest of a packet, until all is known.
  part.is_framed = has_beginning ? is_ever_framed && since < part.moment : is_ever_framed || may_learn(part.pinfo);
}

void note_framed(const SegmentContext &part) {
  PacketPosition &since = part.stream->framed_since[direction_of(part.pinfo)];
  if (may_learn(part.pinfo) && since == PacketPosition{}) since = part.moment;
}

void weigh(const SegmentContext &part, Confidence confidence) {
  godot_codec::StreamChooser &chooser = part.stream->chooser;
  if (may_learn(part.pinfo) && chooser.owner() == part.owner && chooser.since() < part.moment)
    chooser.weigh(confidence, part.moment);
}

godot_codec::StreamReader reader_of(const SegmentContext &part, bool is_boundary, bool is_big_endian) {
  godot_codec::StreamOptions options = options_of(part.owner);
  options.is_big_endian = is_big_endian;
  options.is_framed = part.is_framed;
  return {bytes_of(part.tvb), is_boundary, options, protocol_of(part.owner).measure};
}

}  // namespace godot_plugin
