// SPDX-License-Identifier: MIT
/// @file
/// The beginning of a TCP stream of which it is not known yet whose it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/stream/reassembler.h"
#include "godot-codec/stream/rules.h"

namespace godot_codec {

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
  [[nodiscard]] bool is_big_endian() const { return rules_.back().is_big_endian(); }
  /// True if view() begins before the segment.
  [[nodiscard]] bool has_head(std::size_t candidate) const { return messages_[candidate].start < segment_; }
  /// The segment was nobody's. @param is_waiting the first candidate's message may yet be one: the other's from there
  /// on will be asked about again
  void settle(bool is_waiting);
  /// The segment alone tells whose it is: what is before it is forgotten.
  void forget_earlier();
  /// The stream is a candidate's: what is kept goes over to @p join, unless it is one segment that begins with a
  /// message.
  /// @param has_segment the segment added last has told
  void hand_over(Reassembler &join, std::size_t candidate, bool has_segment, PacketPosition moment);

  /// How many bytes are kept.
  [[nodiscard]] std::size_t kept() const { return bytes_.size(); }

 private:
  // A candidate's first message that is not whole.
  struct Unfinished {
    std::size_t start = 0;
    std::size_t least = 0;   // bytes that it has at least
    std::size_t wanted = 0;  // bytes to be there before it is judged again
  };

  [[nodiscard]] Bytes bytes() const { return {bytes_.data(), bytes_.size()}; }
  void choose_order();
  bool pass_whole_messages(std::size_t candidate);
  [[nodiscard]] bool is_within_variant() const;
  void drop_front(std::size_t count);
  void clear();

  StreamRules rules_;
  std::pmr::vector<std::uint8_t> bytes_;
  std::array<Unfinished, stream_candidates> messages_{};  // by candidate
  std::size_t segment_ = 0;                               // where the segment added last begins
  std::uint32_t first_seq_ = 0;                           // sequence number of the first byte that is kept
  bool is_cut_ = false;                                   // not all of the segment was captured
};

}  // namespace godot_codec
