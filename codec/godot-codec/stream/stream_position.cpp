// SPDX-License-Identifier: MIT
#include "godot-codec/stream/stream_position.h"

#include <algorithm>

namespace godot_codec {

void StreamPosition::begin_at(std::uint32_t seq) {
  is_boundary_known_ = true;
  read_.begin_at(seq);
  next_seq_ = seq;
  unfinished_seq_ = seq;
}

ChunkStart StreamPosition::begin_chunk(PacketPosition position, const StreamChunk &chunk) {
  ChunkStart start;
  if (!chunk.is_reassembled) {
    start.is_boundary = is_boundary_known_ && next_seq_ == chunk.seq;
    start.has_gap = read_.has_gap_before(chunk.seq);
  }
  start.is_big_endian = is_big_endian_;
  const ChunkStart before = changes_.empty() ? ChunkStart{} : changes_.back().start;
  if (start != before) changes_.push_back({position, start});
  return start;
}

void StreamPosition::end_chunk(const StreamChunk &chunk, const StreamReader &reader) {
  const std::uint32_t seq = first_seq_of(chunk);
  was_read_ = true;
  is_boundary_known_ = reader.has_next_boundary();
  is_big_endian_ = reader.is_big_endian();
  next_seq_ = seq + static_cast<std::uint32_t>(reader.next_boundary());
  unfinished_seq_ = seq + static_cast<std::uint32_t>(reader.unfinished_offset());
  read_.begin_at(seq + static_cast<std::uint32_t>(chunk.length));
}

void StreamPosition::skip(const StreamChunk &chunk) {
  was_read_ = true;
  is_boundary_known_ = false;
  read_.begin_at(chunk.seq + static_cast<std::uint32_t>(chunk.length));
}

ChunkStart StreamPosition::start_at(PacketPosition position) const {
  const auto later =
      std::upper_bound(changes_.begin(), changes_.end(), position,
                       [](PacketPosition value, const StartChange &change) { return value < change.position; });
  return later == changes_.begin() ? ChunkStart{} : std::prev(later)->start;
}

}  // namespace godot_codec
