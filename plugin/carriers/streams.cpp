// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/streams.h"

#include "plugin/carriers/stream_messages.h"
#include "plugin/carriers/stream_unfinished.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/learning.h"

namespace godot_plugin {
namespace {

using godot_codec::StreamPart;
using godot_codec::StreamPiece;
using godot_codec::StreamReader;

void dissect_piece(const SegmentContext &part, const StreamPiece &piece) {
  switch (piece.kind) {
    case StreamPiece::Kind::message:
      note_framed(part);
      return dissect_message(part, piece, piece.range.length);
    case StreamPiece::Kind::broken:
      return dissect_message(part, piece, piece.range.length);
    case StreamPiece::Kind::skipped:
      if (!part.is_framed) return dissect_own_bytes(part, piece);
      weigh(part, godot_codec::Confidence::none);
      return dissect_skipped(part, piece.range);
    case StreamPiece::Kind::unfinished:
      return dissect_unfinished(part, piece);
  }
}

}  // namespace

void dissect_pieces(const SegmentContext &part, StreamReader &reader) {
  for (StreamPiece piece; reader.next(piece);) dissect_piece(part, piece);
}

int dissect_joined(SegmentContext part, const StreamPart &where, const godot_codec::Reassembler::Segment &segment) {
  const int length = static_cast<int>(tvb_captured_length(part.tvb));
  if (segment.is_quiet) {
    tell_of_part(part);
    return length;
  }
  put_in_front(part, where, segment);
  StreamReader reader = reader_of(part, true, segment.is_big_endian);
  dissect_pieces(part, reader);
  const unsigned direction = direction_of(part.pinfo);
  if (may_learn(part.pinfo) && !part.stream->joins[direction].is_open()) {
    part.stream->positions[direction].leave({part.seq, where.length + part.head, false}, reader);
  }
  return length;
}

}  // namespace godot_plugin
