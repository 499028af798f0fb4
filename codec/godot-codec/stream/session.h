// SPDX-License-Identifier: MIT
/// @file
/// Where in the two directions of a TCP stream messages begin: remembered from segment to segment, found again after
/// a gap. Written in the order of a capture, asked about any of its moments.
///
/// A stream that is whole adds nothing: where a message goes on behind a segment, the rest of it is put together with
/// its beginning by whoever reads TCP, so every part of the stream that comes here begins with a message. Only where
/// that begins to be otherwise, or ends to, is a moment kept: at most 12 bytes for a segment.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/moment.h"
#include "godot-codec/stream/framing.h"

namespace godot_codec {

/// Sequence numbers wrap: whether @p first comes before @p second in a window of 2 GiB.
[[nodiscard]] constexpr bool is_seq_before(std::uint32_t first, std::uint32_t second) {
  return static_cast<std::int32_t>(first - second) < 0;
}

/// How a part of a stream begins.
struct StreamStart {
  bool is_boundary = true;     ///< a message is known to begin there
  bool has_gap = false;        ///< bytes in front of it have not come yet, or never will
  bool is_big_endian = false;  ///< the sender's lengths have had their high byte first so far

  bool operator==(const StreamStart &) const = default;
};

/// A part of one direction, as TCP hands it on: a segment, or what has been put together of several.
struct StreamPart {
  std::uint32_t seq = 0;        ///< number of its first byte; not looked at where it was put together
  std::size_t length = 0;       ///< bytes on the wire
  bool is_reassembled = false;  ///< it begins where the message began that was not whole
};

/// How far one direction of a stream has been read.
class StreamPosition {
 public:
  explicit StreamPosition(std::pmr::memory_resource *memory) : changes_(memory) {}

  [[nodiscard]] bool was_seen() const { return was_seen_; }
  /// The direction's first byte has this number: its beginning was seen.
  void begin_at(std::uint32_t seq);
  /// How the next part begins. Remembers it, if it does not begin as the one before did.
  StreamStart enter(Moment moment, const StreamPart &part);
  /// The part was cut up by @p reader to its end.
  void leave(const StreamPart &part, const StreamReader &reader);
  /// How a part began that was entered at a moment.
  [[nodiscard]] StreamStart start_at(Moment moment) const;
  /// How many moments are kept.
  [[nodiscard]] std::size_t kept() const { return changes_.size(); }

  /// The number of a part's first byte; of one that was put together, where the message began that was not whole.
  [[nodiscard]] std::uint32_t seq_of(const StreamPart &part) const {
    return part.is_reassembled ? unfinished_seq_ : part.seq;
  }
  /// Where in a part that was put together its newest segment begins, which was not read before; 0 of a segment.
  [[nodiscard]] std::size_t newest_in(const StreamPart &part) const {
    return part.is_reassembled ? std::min<std::size_t>(end_seq_ - unfinished_seq_, part.length) : 0;
  }

 private:
  struct Change {
    Moment moment;
    StreamStart start;
  };
  static_assert(sizeof(Change) <= 12);

  std::pmr::vector<Change> changes_;  // from its moment on parts begin so; before the first: as they should
  std::uint32_t next_seq_ = 0;        // where the next packet begins
  std::uint32_t end_seq_ = 0;         // behind the newest byte
  std::uint32_t unfinished_seq_ = 0;  // where the last message began that was not whole
  bool is_known_ = false;             // next_seq_ is
  bool was_seen_ = false;
  bool is_big_endian_ = false;
};

/// Who may have sent a stream, in the order in which they are asked.
inline constexpr std::size_t stream_candidates = 2;

/// How to measure a candidate's messages.
struct StreamRule {
  MeasureMessage measure = measure_packet;
  std::uint32_t max_length = 8U << 20;  ///< a packet's
};
using StreamRules = std::array<StreamRule, stream_candidates>;

/// Parts of one direction whose segments are put together here: what came before the stream had an owner, since a
/// reader of TCP puts together for an owner only, and messages that are too long to be read again with each segment.
class StreamJoin {
 public:
  /// A message that goes on is not kept any longer.
  static constexpr std::size_t max_size = std::size_t{64} << 20;

  explicit StreamJoin(std::pmr::memory_resource *memory) : runs_(memory) {}

  /// On the first pass: a run of segments begins, with all of it that has come.
  /// @param segment where the newest segment begins in it
  /// @param is_message it is one message that goes on; if not, whole ones are in front
  void begin(Moment moment, const StreamRule &rule, std::uint32_t seq, Bytes bytes, std::size_t segment,
             bool is_message);
  /// On the first pass: takes a segment, if a message goes on in it.
  void follow(Moment moment, std::uint32_t seq, Bytes segment);
  /// A message that began in the newest run is not whole yet.
  [[nodiscard]] bool is_open() const { return !runs_.empty() && runs_.back().is_open; }
  /// True if a run of one message began at a moment.
  [[nodiscard]] bool begins_at(Moment moment) const;
  /// Behind the newest run.
  [[nodiscard]] std::uint32_t end_seq() const { return runs_.empty() ? 0 : runs_.back().end_seq(); }

  /// A segment, and the bytes to be read with it.
  struct Segment {
    bool is_covered = false;  ///< its messages are to be read with the head in front
    bool is_quiet = false;    ///< no message ends in it
    Bytes head;               ///< earlier bytes of the message that it begins in
    bool is_big_endian = false;
  };
  /// Finds a segment, with equal results in every pass; lives until the next call of begin() or follow().
  [[nodiscard]] Segment find(Moment moment, std::uint32_t seq, std::size_t length) const;

  /// How many bytes are kept.
  [[nodiscard]] std::size_t kept() const;

 private:
  struct Run {
    std::pmr::vector<std::uint8_t> bytes;
    StreamRule rule;
    Moment begun;
    std::uint32_t first_seq = 0;
    std::uint32_t last_packet = 0;  // number of the frame in the capture
    std::size_t covered = 0;        // bytes of segments, the last one's with them
    std::size_t quiet = 0;          // before this offset no message ends, if it is one message
    std::size_t start = 0;          // start of the message that is not whole
    std::size_t least = 0;          // bytes that it has
    std::size_t next = 0;           // where the packet begins behind those of it that were looked at
    std::size_t missing = 0;        // how many follow there at least
    bool is_open = true;

    [[nodiscard]] std::uint32_t end_seq() const { return first_seq + static_cast<std::uint32_t>(covered); }
    void close_if_whole(std::size_t segment);
    bool is_short_of_packets();
  };

  std::pmr::vector<Run> runs_;
};

/// The beginning of one direction of a stream of which it is not known yet whose it is, so that messages that are cut
/// over segments are recognised, and read.
///
/// So many bytes are kept at most, whole messages go first, and nothing where the lengths could not be those of
/// messages. More are kept of a single message that begins as a Variant does: only its end tells.
class StreamPrefix {
 public:
  static constexpr std::size_t max_size = std::size_t{16} << 10;
  static constexpr std::size_t max_variant = std::size_t{1} << 20;

  /// @param rules each candidate's; the last one's messages are single packets
  StreamPrefix(const StreamRules &rules, std::pmr::memory_resource *memory) : rules_(rules), bytes_(memory) {}

  /// Takes a segment. Where it does not go on with what is kept, that is forgotten.
  void add(std::uint32_t seq, Bytes segment);
  /// The bytes to ask a candidate about: from its first message that was not whole before the segment. Empty if the
  /// answer would be that of last time. Lives until the next call.
  [[nodiscard]] Bytes view(std::size_t candidate);
  /// True if the sender's lengths seem to have their high byte first.
  [[nodiscard]] bool is_big_endian() const { return rules_.back().measure == measure_big_endian_packet; }
  /// True if view() begins before the segment.
  [[nodiscard]] bool has_head(std::size_t candidate) const { return starts_[candidate] < segment_; }
  /// The segment was nobody's. @param is_waiting the first candidate's message may yet be one: the other's from there
  /// on will be asked about again
  void settle(bool is_waiting);
  /// The segment alone tells whose it is: what is before it is forgotten.
  void forget_earlier();
  /// The stream is a candidate's: what is kept goes over to @p join, unless it is one segment that begins with a
  /// message.
  /// @param has_segment the segment added last has told
  void hand_over(StreamJoin &join, std::size_t candidate, bool has_segment, Moment moment);

  /// How many bytes are kept.
  [[nodiscard]] std::size_t kept() const { return bytes_.size(); }

 private:
  [[nodiscard]] Bytes bytes() const { return {bytes_.data(), bytes_.size()}; }
  bool advance(std::size_t candidate);
  [[nodiscard]] bool is_within_variant() const;
  void choose_order();
  [[nodiscard]] bool is_refuted() const;
  void drop_front(std::size_t count);
  void clear();

  StreamRules rules_;
  std::pmr::vector<std::uint8_t> bytes_;
  std::array<std::size_t, stream_candidates> starts_{};  // start of each one's first message that is not whole
  std::array<std::size_t, stream_candidates> least_{};   // bytes that this one has at least
  std::array<std::size_t, stream_candidates> wanted_{};  // bytes to be there before it is judged again
  std::size_t segment_ = 0;                              // where the segment added last begins
  std::uint32_t first_seq_ = 0;                          // sequence number of the first byte that is kept
  bool is_cut_ = false;                                  // not all of the segment was captured
};

}  // namespace godot_codec
