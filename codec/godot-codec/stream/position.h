// SPDX-License-Identifier: MIT
/// @file
/// Where in one direction of a TCP stream messages begin: remembered from segment to segment, found again after a gap.
/// Written in the order of a capture, asked about any of its moments.
///
/// A stream that is whole adds nothing: where a message goes on behind a segment, the rest of it is put together with
/// its beginning by whoever reads TCP, so every part of the stream that comes here begins with a message. Only where
/// that begins to be otherwise, or ends to, is a moment kept: at most 12 bytes for a segment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/stream/framing.h"

namespace godot_codec {

/// How a part of a stream begins.
struct StreamStart {
  bool is_boundary = true;     ///< a message is known to begin there
  bool has_gap = false;        ///< bytes in front of it have not come yet, or never will
  bool is_big_endian = false;  ///< the sender's lengths have had their high byte first so far

  bool operator==(const StreamStart &) const = default;
};

/// A part of one direction, as TCP hands it on: a segment, or what has been put together of several.
struct StreamPart {
  /// Number of its first byte, if it ends with a segment. A part that was put together may end before.
  std::uint32_t seq = 0;
  std::size_t length = 0;       ///< bytes on the wire
  bool is_reassembled = false;  ///< it begins where the message began that was not whole
  bool was_foreign = false;     ///< reassembled for another dissector: it begins at seq
};

/// How far one direction of a stream has been read.
class StreamPosition {
 public:
  explicit StreamPosition(std::pmr::memory_resource *memory) : changes_(memory) {}

  [[nodiscard]] bool was_seen() const { return was_seen_; }
  /// True after the first leave() or skip().
  [[nodiscard]] bool was_read() const { return was_read_; }
  /// The direction's first byte has this number: its beginning was seen.
  void begin_at(std::uint32_t seq);
  /// How the next part begins. Remembers it, if it does not begin as the one before did.
  StreamStart enter(PacketPosition moment, const StreamPart &part);
  /// The part was cut up by @p reader to its end.
  void leave(const StreamPart &part, const StreamReader &reader);
  /// The part was not read, and ends in the newest segment: the next part may begin within a message.
  void skip(const StreamPart &part);
  /// How a part began that was entered at a moment.
  [[nodiscard]] StreamStart start_at(PacketPosition moment) const;
  /// How many moments are kept.
  [[nodiscard]] std::size_t kept() const { return changes_.size(); }

  /// The number of a part's first byte; for one that was put together, where the unfinished message began.
  [[nodiscard]] std::uint32_t seq_of(const StreamPart &part) const {
    return continues(part) ? unfinished_seq_ : part.seq;
  }
  /// Where in a part that was put together its newest segment begins, which was not read before; 0 of a segment.
  [[nodiscard]] std::size_t newest_in(const StreamPart &part) const {
    return continues(part) ? std::min<std::size_t>(end_seq_ - unfinished_seq_, part.length) : 0;
  }

 private:
  /// True if a part begins with the unfinished message.
  [[nodiscard]] static bool continues(const StreamPart &part) { return part.is_reassembled && !part.was_foreign; }

  struct Change {
    PacketPosition moment;
    StreamStart start;
  };
  static_assert(sizeof(Change) <= 12);

  std::pmr::vector<Change> changes_;  // from its moment on parts begin so; before the first: as they should
  std::uint32_t next_seq_ = 0;        // where the next packet begins
  std::uint32_t end_seq_ = 0;         // behind the newest byte
  std::uint32_t unfinished_seq_ = 0;  // where the last message began that was not whole
  bool is_known_ = false;             // next_seq_ is
  bool was_seen_ = false;
  bool was_read_ = false;  // a part was
  bool is_big_endian_ = false;
};

}  // namespace godot_codec
