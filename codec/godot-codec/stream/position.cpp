// SPDX-License-Identifier: MIT
#include "godot-codec/stream/position.h"

#include <algorithm>

#include "godot-codec/stream/tcp_segment.h"

namespace godot_codec {

void StreamPosition::begin_at(std::uint32_t seq) {
  was_seen_ = true;
  is_known_ = true;
  next_seq_ = seq;
  end_seq_ = seq;
  unfinished_seq_ = seq;
}

StreamStart StreamPosition::enter(PacketPosition position, const StreamPart &part) {
  StreamStart start;
  if (!part.is_reassembled) {
    start.is_boundary = is_known_ && next_seq_ == part.seq;
    start.has_gap = was_seen_ && is_seq_before(end_seq_, part.seq);
  }
  start.is_big_endian = is_big_endian_;
  const StreamStart before = changes_.empty() ? StreamStart{} : changes_.back().start;
  if (start != before) changes_.push_back({position, start});
  return start;
}

void StreamPosition::leave(const StreamPart &part, const StreamReader &reader) {
  const std::uint32_t seq = seq_of(part);
  was_seen_ = true;
  was_read_ = true;
  is_known_ = reader.has_next_boundary();
  is_big_endian_ = reader.is_big_endian();
  next_seq_ = seq + static_cast<std::uint32_t>(reader.next_boundary());
  unfinished_seq_ = seq + static_cast<std::uint32_t>(reader.unfinished());
  end_seq_ = seq + static_cast<std::uint32_t>(part.length);
}

void StreamPosition::skip(const StreamPart &part) {
  was_seen_ = true;
  was_read_ = true;
  is_known_ = false;
  end_seq_ = part.seq + static_cast<std::uint32_t>(part.length);
}

StreamStart StreamPosition::start_at(PacketPosition position) const {
  const auto later =
      std::upper_bound(changes_.begin(), changes_.end(), position,
                       [](PacketPosition value, const StartChange &change) { return value < change.position; });
  return later == changes_.begin() ? StreamStart{} : std::prev(later)->start;
}

}  // namespace godot_codec
