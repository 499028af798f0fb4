// SPDX-License-Identifier: MIT
/// @file
/// Detects the protocol of a TCP or TLS stream that no preference names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include "godot-codec/detection/protocol_detection.h"
#include "godot-codec/stream/pending.h"

namespace godot_codec {

/// The candidates, in the order in which a segment is evaluated: the debugger's messages are Variants, too.
enum class StreamProtocol : std::uint8_t { debugger, variants };

/// The candidates that the user has not disabled.
struct StreamCandidates {
  bool debugger = true;
  bool variants = true;
};

/// Evaluates the segments of both directions of a stream, and keeps its beginning until the protocol is decided.
class StreamDetection {
 public:
  /// @param rules by StreamProtocol
  StreamDetection(const StreamRules &rules, std::pmr::memory_resource *memory)
      : rules_(rules), prefixes_{PendingStream(rules, memory), PendingStream(rules, memory)} {}

  /// Evaluates the next segment of a direction, 0 or 1, in capture order, while no protocol is decided. A segment that
  /// is offered again is not evaluated again: the registered dissector has refused it, so that its prior no longer
  /// counts.
  /// @param prior bits that are known beforehand about Variants. If it is negative, custom payload is not searched
  /// @returns the protocol, if this segment decided it
  std::optional<StreamProtocol> add(unsigned direction, PacketPosition position, std::uint32_t seq, Bytes segment,
                                    StreamCandidates candidates, const ReadOptions &options, int prior = 0);
  /// Adds the evidence of a message after the decision. If the decision turns out to be wrong, it is revoked from the
  /// next segment on, and add() may be called again.
  /// @param position of the segment
  void weigh(Confidence confidence, PacketPosition position);
  /// True if the protocol was decided, and the decision was revoked.
  [[nodiscard]] bool is_revoked() const { return detection_.was_decided() && !detection_.is_decided; }
  /// True if the Variants by which the stream was detected have no length prefix.
  [[nodiscard]] bool is_without_length() const { return without_length_ >= min_without_length; }
  /// True if bytes of a direction are kept, which the next segment may continue.
  [[nodiscard]] bool is_followed(unsigned direction) const { return prefixes_[direction].kept() > 0; }
  [[nodiscard]] std::optional<StreamProtocol> protocol() const { return decided_if(detection_.is_decided); }
  /// The segment by which the protocol was first decided.
  [[nodiscard]] PacketPosition since() const { return detection_.since; }
  /// The protocol of a segment: before since() as well, and until the decision was revoked.
  [[nodiscard]] std::optional<StreamProtocol> protocol_at(PacketPosition position) const {
    return decided_if(detection_.holds_at(position));
  }

  /// Passes the bytes from before the decision to @p join. To be called once for each direction after the decision.
  /// @param has_decided the segment that decided is of this direction
  void hand_over(Reassembler &join, unsigned direction, bool has_decided);

 private:
  [[nodiscard]] std::optional<StreamProtocol> decided_if(bool condition) const {
    return condition ? std::optional(static_cast<StreamProtocol>(detection_.decided)) : std::nullopt;
  }
  bool is_debuggers(unsigned direction, Bytes segment);
  bool is_variants(unsigned direction, Bytes segment, const ReadOptions &options, int prior);
  bool shows_no_length(Bytes segment, const ReadOptions &options);

  // A segment of captures/ws_godot4.6.pcapng that begins late is one unambiguous Variant, too, but two segments are
  // not.
  static constexpr std::uint8_t min_without_length = 2;

  StreamRules rules_;
  std::array<PendingStream, 2> prefixes_;
  std::array<bool, 2> is_waiting_{};  // for the rest of what may be a debugger's message
  ProtocolDetection<2> detection_{};  // only the Variants have a score: one header decides for the debugger
  PacketPosition latest_;             // the segment that was evaluated last
  std::uint32_t segments_ = 0;
  std::uint8_t without_length_ = 0;  // segments that are a Variant each
};

}  // namespace godot_codec
