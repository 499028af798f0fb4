// SPDX-License-Identifier: MIT
/// @file
/// Buffers the beginning of a TCP stream until its protocol is decided.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/stream/reassembler.h"
#include "godot-codec/stream/stream_reader.h"

namespace godot_codec {

/// Buffers the beginning of one direction of a stream until its protocol is decided. So messages that span several
/// segments can be detected and read.
///
/// The size is limited. Complete messages are dropped first. If a length is invalid, everything is dropped. A single
/// message that begins like a Variant has a higher limit, because only its end shows whether it is a Variant.
class PendingStream {
 public:
  static constexpr std::size_t max_size = std::size_t{16} << 10;
  static constexpr std::size_t max_variant_size = std::size_t{1} << 20;

  /// @param options one per candidate protocol; the messages of the last candidate are single packets
  PendingStream(const StreamCandidateOptions &options, std::pmr::memory_resource *memory)
      : options_(options), bytes_(memory) {}

  /// Adds a segment. If the segment does not continue the buffer, drops the buffer first.
  void add(std::uint32_t seq, Bytes segment);
  /// Returns the bytes in which to detect a candidate: from the first message that was incomplete before the newest
  /// segment, to the end of this segment. Empty if detection would have the same result as last time. Valid until the
  /// next call.
  [[nodiscard]] Bytes undecided_bytes(std::size_t candidate);
  /// True if the sender's lengths seem to be big-endian.
  [[nodiscard]] bool is_big_endian() const { return options_.back().is_big_endian; }
  /// True if undecided_bytes() begins before the newest segment.
  [[nodiscard]] bool has_earlier_bytes(std::size_t candidate) const {
    return unfinished_messages_[candidate].start < segment_offset_;
  }
  /// Call this if the segment did not decide the protocol.
  /// @param is_waiting true if the first candidate's message may still become valid; then the last candidate's messages
  /// from the same offset are kept, to be evaluated again
  void keep_undecided(bool is_waiting);
  /// Call this if the segment alone decides the protocol. Drops the bytes before the segment.
  void drop_earlier_segments();
  /// Call this when a candidate is chosen. Moves the buffer to @p join, unless it is a single segment that begins with
  /// a message.
  /// @param has_segment true if the newest segment decided the protocol
  void move_to_reassembler(Reassembler &join, std::size_t candidate, bool has_segment, PacketPosition position);

  /// Number of buffered bytes.
  [[nodiscard]] std::size_t buffered_size() const { return bytes_.size(); }

 private:
  // The first incomplete message of a candidate.
  struct UnfinishedMessage {
    std::size_t start = 0;
    std::size_t min_size = 0;    // minimum size of the message, in bytes
    std::size_t retry_size = 0;  // the message is evaluated again when this many bytes are available
  };

  [[nodiscard]] Bytes bytes() const { return {bytes_.data(), bytes_.size()}; }
  void choose_byte_order();
  bool skip_complete_messages(std::size_t candidate);
  [[nodiscard]] bool is_within_variant() const;
  void drop_front(std::size_t count);
  void clear();

  StreamCandidateOptions options_;
  std::pmr::vector<std::uint8_t> bytes_;
  std::array<UnfinishedMessage, stream_candidates> unfinished_messages_{};  // by candidate
  std::size_t segment_offset_ = 0;                                          // offset of the segment added last
  std::uint32_t first_seq_ = 0;  // sequence number of the first buffered byte
  bool is_truncated_ = false;    // true if the segment was not captured completely
};

}  // namespace godot_codec
