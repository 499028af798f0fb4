// SPDX-License-Identifier: MIT
/// @file
/// Reassembles messages of a TCP stream from segments. Updated in capture order, queried as of a position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/stream/stream_reader.h"

namespace godot_codec {

/// Reassembles the segments of one direction that TCP's dissector does not reassemble: first, segments from before the
/// protocol was decided, because TCP only reassembles for a known dissector; second, segments of long messages, which
/// would cost too much if they were read again with each segment.
///
/// A run is a sequence of adjacent segments. It is open while a message in it is incomplete; the next segment is then
/// added to it. The run is closed by the segment with the message's end, or by a segment that does not continue the
/// run.
class Reassembler {
 public:
  /// Maximum size of a run, in bytes. Longer messages are not reassembled.
  static constexpr std::size_t max_size = std::size_t{64} << 20;

  explicit Reassembler(std::pmr::memory_resource *memory) : runs_(memory) {}

  /// First pass: begins a run with the segments that have arrived so far.
  /// @param segment offset of the newest segment in @p bytes
  /// @param is_message true if the run is one incomplete message; false if complete messages precede it
  void begin(PacketPosition position, const StreamOptions &options, std::uint32_t seq, Bytes bytes, std::size_t segment,
             bool is_message);
  /// First pass: adds a segment if a message continues in it.
  void add_segment(PacketPosition position, std::uint32_t seq, Bytes segment);
  /// True if a message that began in the newest run is incomplete.
  [[nodiscard]] bool is_open() const { return !runs_.empty() && runs_.back().is_open; }
  /// True if a run that began at this position consists of a single message.
  [[nodiscard]] bool begins_message_at(PacketPosition position) const;
  /// Sequence number after the newest run; 0 if there is none.
  [[nodiscard]] std::uint32_t end_seq() const { return runs_.empty() ? 0 : runs_.back().end_seq(); }

  /// Where a segment is in the runs, and the bytes to be read before it.
  struct SegmentLookup {
    bool is_covered = false;  ///< true if the segment is part of a run, so it must be read with @p head before it
    bool has_no_message_end = false;  ///< true if no message ends in the segment
    Bytes head;                       ///< earlier bytes of the message that continues in the segment
    bool is_big_endian = false;
  };
  /// Finds a segment in the runs, with the same result on every pass. Valid until the next call of begin() or
  /// add_segment().
  [[nodiscard]] SegmentLookup find(PacketPosition position, std::uint32_t seq, std::size_t length) const;

  /// Number of stored bytes.
  [[nodiscard]] std::size_t stored_size() const;

 private:
  // The first incomplete message of a run. Measured again only after enough bytes have arrived.
  struct UnfinishedMessage {
    std::size_t start = 0;
    std::size_t min_size = 0;             // minimum size of the message, in bytes
    std::size_t next_packet = 0;          // offset of the first packet that was not checked yet
    std::size_t min_missing_packets = 0;  // minimum number of packets of the message from `next_packet` on

    void update_from(const MessageExtent &extent);
    bool lacks_packets(Bytes bytes, std::uint32_t max_length);
  };

  struct SegmentRun {
    std::pmr::vector<std::uint8_t> bytes;  // the bytes of all segments; without the last segment if the run is closed
    StreamOptions options;
    PacketPosition started_at;
    std::uint32_t first_seq = 0;    // not a TcpSequence, because find() computes offsets from the beginning
    std::uint32_t last_packet = 0;  // packet number of the last segment
    std::size_t covered_size = 0;   // total size of the segments in bytes, including the last one
    std::size_t no_end_before = 0;  // no message ends before this offset; 0 if the run has several messages
    UnfinishedMessage unfinished;
    bool is_open = true;

    [[nodiscard]] Bytes view() const { return {bytes.data(), bytes.size()}; }
    [[nodiscard]] std::uint32_t end_seq() const { return first_seq + static_cast<std::uint32_t>(covered_size); }
    [[nodiscard]] bool is_one_message() const { return no_end_before > 0; }
    void skip_complete_messages(std::size_t segment);
    void close(std::size_t segment);
    [[nodiscard]] Bytes find_earlier_bytes(std::size_t offset) const;
  };

  [[nodiscard]] const SegmentRun *find_run(PacketPosition position) const;

  std::pmr::vector<SegmentRun> runs_;  // in capture order
};

}  // namespace godot_codec
