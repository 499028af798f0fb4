// SPDX-License-Identifier: MIT
/// @file
/// Messages of a TCP stream that are put together here, segment by segment. Written in the order of a capture, asked
/// about any of its moments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/stream/rules.h"

namespace godot_codec {

/// Parts of one direction whose segments are put together here: what came before the stream had an owner, since a
/// reader of TCP puts together for an owner only, and messages that are too long to be read again with each segment.
///
/// Segments that follow each other are a run. A run is open while a message goes on in it: it then takes the next
/// segment. It is closed by the segment in which that message ends, and by one that does not go on with it.
class Reassembler {
 public:
  /// A message that goes on is not kept any longer.
  static constexpr std::size_t max_size = std::size_t{64} << 20;

  explicit Reassembler(std::pmr::memory_resource *memory) : runs_(memory) {}

  /// On the first pass: a run of segments begins, with all of it that has come.
  /// @param segment where the newest segment begins in it
  /// @param is_message it is one message that goes on; if not, whole ones are in front
  void begin(PacketPosition moment, const StreamRule &rule, std::uint32_t seq, Bytes bytes, std::size_t segment,
             bool is_message);
  /// On the first pass: takes a segment, if a message goes on in it.
  void follow(PacketPosition moment, std::uint32_t seq, Bytes segment);
  /// A message that began in the newest run is not whole yet.
  [[nodiscard]] bool is_open() const { return !runs_.empty() && runs_.back().is_open; }
  /// True if a run of one message began at a moment.
  [[nodiscard]] bool begins_at(PacketPosition moment) const;
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
  [[nodiscard]] Segment find(PacketPosition moment, std::uint32_t seq, std::size_t length) const;

  /// How many bytes are kept.
  [[nodiscard]] std::size_t kept() const;

 private:
  // The first message of a run that is not whole: until it is known to be, it is not measured again.
  struct Unfinished {
    std::size_t start = 0;
    std::size_t least = 0;    // bytes that it has
    std::size_t next = 0;     // where the packet begins behind those of it that were looked at
    std::size_t missing = 0;  // how many packets follow there at least

    void measured(const StreamExtent &extent);
    bool is_short_of_packets(Bytes bytes, std::uint32_t max_length);
  };

  struct Run {
    std::pmr::vector<std::uint8_t> bytes;  // a closed run does not keep the last segment's
    StreamRule rule;
    PacketPosition begun;
    std::uint32_t first_seq = 0;
    std::uint32_t last_packet = 0;  // number of the frame in the capture
    std::size_t covered = 0;        // bytes of segments, the last one's with them
    std::size_t quiet = 0;          // a run of one message: none ends before this offset; else 0
    Unfinished unfinished;
    bool is_open = true;

    [[nodiscard]] Bytes view() const { return {bytes.data(), bytes.size()}; }
    [[nodiscard]] std::uint32_t end_seq() const { return first_seq + static_cast<std::uint32_t>(covered); }
    [[nodiscard]] bool is_one_message() const { return quiet > 0; }
    void pass_whole_messages(std::size_t segment);
    void close(std::size_t segment);
    [[nodiscard]] Bytes head_of(std::size_t offset) const;
  };

  [[nodiscard]] const Run *run_of(PacketPosition moment) const;

  std::pmr::vector<Run> runs_;  // in the capture's order
};

}  // namespace godot_codec
