// SPDX-License-Identifier: MIT
/// @file
/// Chooses the protocol of a TCP stream that nobody has named: its candidates are asked once a segment, in a fixed
/// order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/detection/evidence_score.h"
#include "godot-codec/stream/prefix.h"

namespace godot_codec {

/// Who may have sent a stream, in the order in which they are asked: the debugger's messages are Variants, too.
enum class StreamOwner : std::uint8_t { debugger, variants };

/// The candidates that the user has not switched off.
struct StreamOwners {
  bool debugger = true;
  bool variants = true;
};

/// Finds the owner of a stream by its two directions.
class StreamChooser {
 public:
  /// @param rules by StreamOwner
  StreamChooser(const StreamRules &rules, std::pmr::memory_resource *memory)
      : rules_(rules), prefixes_{StreamPrefix(rules, memory), StreamPrefix(rules, memory)} {}

  /// Evaluates the next segment of a direction, 0 or 1, in capture order, while no protocol is decided. A segment that
  /// is offered again is not evaluated again: the registered dissector has refused it, so that its prior no longer
  /// counts.
  /// @param prior bits that are known beforehand about Variants. If it is negative, custom payload is not searched
  /// @returns the protocol, if this segment decided it
  std::optional<StreamOwner> add(unsigned direction, PacketPosition moment, std::uint32_t seq, Bytes segment,
                                 StreamOwners candidates, const ReadOptions &walk, int prior = 0);
  /// Takes what a message of the stream says behind the segment that has told. Where that turns out to be wrong, the
  /// stream is nobody's from the next segment on, and add() may be called.
  /// @param moment of the segment
  void weigh(Confidence confidence, PacketPosition moment);
  /// True if the stream had an owner, and that was wrong.
  [[nodiscard]] bool is_taken_back() const { return latest_owner_ && !is_owned_; }
  /// True if the stream's Variants, by which it was recognised, have no lengths in front of them.
  [[nodiscard]] bool is_without_length() const { return without_length_ >= telling_without_length; }
  /// True if bytes of a direction are kept that a segment may go on with.
  [[nodiscard]] bool is_followed(unsigned direction) const { return prefixes_[direction].kept() > 0; }
  /// The owner, and the moment since when it was known first. Before that it was not.
  [[nodiscard]] std::optional<StreamOwner> owner() const { return is_owned_ ? latest_owner_ : std::nullopt; }
  [[nodiscard]] PacketPosition since() const { return since_; }
  /// The owner of a segment, the one before since() included. Where the stream was taken back, those up to there have
  /// one.
  [[nodiscard]] std::optional<StreamOwner> owner_at(PacketPosition moment) const {
    return is_owned_ || moment <= until_ ? latest_owner_ : std::nullopt;
  }

  /// Hands the bytes from before the stream had an owner over to @p join. To be called once, when add() has found it.
  /// @param has_told add() has found the owner by a segment of this direction
  void hand_over(Reassembler &join, unsigned direction, bool has_told);

 private:
  void decide(StreamOwner owner, PacketPosition moment);
  bool is_debuggers(unsigned direction, Bytes segment);
  bool is_variants(unsigned direction, Bytes segment, const ReadOptions &walk, int prior);
  bool says_without_length(Bytes segment, const ReadOptions &walk);

  // One Variant that leaves no doubt is in a segment of captures/ws_godot4.6.pcapng, too, if that begins late: two are
  // not.
  static constexpr std::uint8_t telling_without_length = 2;

  StreamRules rules_;
  std::array<StreamPrefix, 2> prefixes_;
  std::array<bool, 2> is_waiting_{};  // for what may yet be a debugger's message
  EvidenceScore variants_{};
  std::uint32_t segments_ = 0;
  std::uint8_t without_length_ = 0;  // segments that are a Variant each
  bool is_owned_ = false;
  std::optional<StreamOwner> latest_owner_;
  PacketPosition latest_;  // the segment that was evaluated last
  PacketPosition since_;
  PacketPosition until_;  // the segment that has taken it back last
};

}  // namespace godot_codec
