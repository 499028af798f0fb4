// SPDX-License-Identifier: MIT
/// @file
/// Tracks the message boundaries in one direction of a TCP stream, from segment to segment and across gaps. Updated in
/// capture order, queried as of a position.
///
/// An undamaged stream needs no memory. TCP reassembly joins the beginning and the rest of a message, so each chunk of
/// the stream begins with a message. Memory is only used where this rule begins or ceases to hold: at most 12 bytes per
/// segment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "godot-codec/core/history.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/stream/stream_reader.h"
#include "godot-codec/stream/tcp_segment.h"

namespace godot_codec {

/// How a chunk of a stream begins.
struct ChunkStart {
  bool is_boundary = true;     ///< true if a message is known to begin there
  bool has_gap = false;        ///< true if bytes before the chunk are missing
  bool is_big_endian = false;  ///< true if the sender's lengths have been big-endian so far

  bool operator==(const ChunkStart &) const = default;
};

/// A chunk of one direction, as TCP's dissector provides it: a segment, or several reassembled segments.
struct StreamChunk {
  /// Sequence number of the first byte. If the chunk is reassembled and ends within a segment, this number is too high.
  std::uint32_t seq = 0;
  std::size_t length = 0;       ///< in bytes on the wire
  bool is_reassembled = false;  ///< true if the chunk begins with the unfinished message
  bool was_foreign = false;     ///< true if it was reassembled for another dissector, so it begins at `seq`
};

/// How far one direction of a stream has been read.
class StreamPosition {
 public:
  explicit StreamPosition(std::pmr::memory_resource *memory) : starts_(memory) {}

  [[nodiscard]] bool was_seen() const { return read_.has_begun(); }
  /// True after the first call of end_chunk() or skip().
  [[nodiscard]] bool was_read() const { return was_read_; }
  /// Call this if the start of the direction was captured.
  /// @param seq sequence number of the direction's first byte
  void begin_at(std::uint32_t seq);
  /// Returns how the next chunk begins. Records the result if it differs from that of the previous chunk.
  ChunkStart begin_chunk(PacketPosition position, const StreamChunk &chunk);
  /// Call this after @p reader has read the chunk to its end.
  void end_chunk(const StreamChunk &chunk, const StreamReader &reader);
  /// Call this instead of end_chunk() if the chunk was not read. The chunk must end with the newest segment.
  /// Afterwards, it is unknown whether the next chunk begins with a message.
  void skip(const StreamChunk &chunk);
  /// Returns how the chunk at a position begins.
  [[nodiscard]] ChunkStart start_at(PacketPosition position) const { return starts_.at(position); }
  [[nodiscard]] std::size_t change_count() const { return starts_.change_count(); }

  /// Returns the sequence number of a chunk's first byte; for a reassembled chunk, that of the unfinished message.
  [[nodiscard]] std::uint32_t first_seq_of(const StreamChunk &chunk) const {
    return continues_message(chunk) ? unfinished_seq_ : chunk.seq;
  }
  /// Offset of a reassembled chunk's newest segment, that is, of the bytes that were not read yet. 0 if the chunk is a
  /// single segment.
  [[nodiscard]] std::size_t newest_offset_in(const StreamChunk &chunk) const {
    return continues_message(chunk) ? std::min<std::size_t>(read_.next() - unfinished_seq_, chunk.length) : 0;
  }

 private:
  /// True if a chunk begins with the unfinished message.
  [[nodiscard]] static bool continues_message(const StreamChunk &chunk) {
    return chunk.is_reassembled && !chunk.was_foreign;
  }

  History<ChunkStart> starts_;  // how chunks start from a position on
  static_assert(sizeof(History<ChunkStart>::Change) <= 12);
  TcpSequence read_;                  // begins again at the end of each chunk, because chunks may arrive out of order
  std::uint32_t next_seq_ = 0;        // sequence number of the next packet boundary
  std::uint32_t unfinished_seq_ = 0;  // sequence number of the last unfinished message
  bool is_boundary_known_ = false;    // true if next_seq_ is known
  bool was_read_ = false;             // true if at least one chunk was read or skipped
  bool is_big_endian_ = false;
};

inline void StreamPosition::begin_at(std::uint32_t seq) {
  is_boundary_known_ = true;
  read_.begin_at(seq);
  next_seq_ = seq;
  unfinished_seq_ = seq;
}

inline ChunkStart StreamPosition::begin_chunk(PacketPosition position, const StreamChunk &chunk) {
  ChunkStart start;
  if (!chunk.is_reassembled) {
    start.is_boundary = is_boundary_known_ && next_seq_ == chunk.seq;
    start.has_gap = read_.has_gap_before(chunk.seq);
  }
  start.is_big_endian = is_big_endian_;
  starts_.record(position, start);
  return start;
}

inline void StreamPosition::end_chunk(const StreamChunk &chunk, const StreamReader &reader) {
  const std::uint32_t seq = first_seq_of(chunk);
  was_read_ = true;
  is_boundary_known_ = reader.has_next_boundary();
  is_big_endian_ = reader.is_big_endian();
  next_seq_ = seq + static_cast<std::uint32_t>(reader.next_boundary());
  unfinished_seq_ = seq + static_cast<std::uint32_t>(reader.unfinished_offset());
  read_.begin_at(seq + static_cast<std::uint32_t>(chunk.length));
}

inline void StreamPosition::skip(const StreamChunk &chunk) {
  was_read_ = true;
  is_boundary_known_ = false;
  read_.begin_at(chunk.seq + static_cast<std::uint32_t>(chunk.length));
}

}  // namespace godot_codec
