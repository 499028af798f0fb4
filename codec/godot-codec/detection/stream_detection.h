// SPDX-License-Identifier: MIT
/// @file
/// Detects the protocol of a TCP or TLS stream. Used if no preference names the protocol.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include "godot-codec/detection/protocol_detection.h"
#include "godot-codec/stream/pending_stream.h"

namespace godot_codec {

/// The candidates, in the order in which a segment is evaluated. The debugger comes first, because its messages are
/// Variants, too.
enum class StreamProtocol : std::uint8_t { debugger, variants };

/// The candidates that the user has not disabled.
struct StreamCandidates {
  bool debugger = true;
  bool variants = true;
};

/// Evaluates the segments of both directions of a stream. Stores the stream's beginning until the protocol is decided.
class StreamDetection {
 public:
  /// @param options by StreamProtocol
  StreamDetection(const StreamCandidateOptions &options, std::pmr::memory_resource *memory)
      : options_(options), pending_{PendingStream(options, memory), PendingStream(options, memory)} {}

  /// Evaluates the next segment of a direction (0 or 1), in capture order, while no protocol is decided. If the
  /// registered dissector has rejected a segment, the segment is offered again. Then it is not evaluated again, and
  /// @p prior no longer counts.
  /// @param prior bits of evidence for Variants that are known before the first segment. If they are negative, embedded
  /// Variants are not searched for
  /// @returns the protocol, if this segment decided it
  std::optional<StreamProtocol> add(unsigned direction, PacketPosition position, std::uint32_t seq, Bytes segment,
                                    StreamCandidates candidates, const ReadOptions &options, int prior = 0);
  /// Adds the evidence of a message after the decision. If the decision is then wrong, it is revoked from the next
  /// segment on, and add() may be called again.
  /// @param position of the segment
  void add_confidence(Confidence confidence, PacketPosition position);
  /// True if a protocol was decided, and the decision is revoked.
  [[nodiscard]] bool is_revoked() const { return detection_.was_decided() && !detection_.is_decided; }
  /// True if the stream was detected by Variants without a length prefix.
  [[nodiscard]] bool has_no_length_prefix() const { return unprefixed_segments_ >= min_unprefixed_segments; }
  /// True if bytes of a direction are stored, so the next segment may continue them.
  [[nodiscard]] bool has_pending_bytes(unsigned direction) const { return pending_[direction].buffered_size() > 0; }
  [[nodiscard]] std::optional<StreamProtocol> protocol() const { return decided_if(detection_.is_decided); }
  /// The segment that decided the protocol for the first time.
  [[nodiscard]] PacketPosition decided_since() const { return detection_.decided_since; }
  /// Returns the protocol of a segment, even before decided_since(), up to a revocation.
  [[nodiscard]] std::optional<StreamProtocol> protocol_at(PacketPosition position) const {
    return decided_if(detection_.applies_at(position));
  }

  /// Passes the bytes from before the decision to @p join. Must be called once per direction after the decision.
  /// @param has_decided true if the segment that decided belongs to this direction
  void hand_over(Reassembler &join, unsigned direction, bool has_decided);

 private:
  [[nodiscard]] std::optional<StreamProtocol> decided_if(bool condition) const {
    return condition ? std::optional(static_cast<StreamProtocol>(detection_.decided_candidate)) : std::nullopt;
  }
  bool is_debug_stream(unsigned direction, Bytes segment);
  bool is_variant_stream(unsigned direction, Bytes segment, const ReadOptions &options, int prior);
  bool lacks_length_prefix(Bytes segment, const ReadOptions &options);

  // One segment is not enough: without the beginning of captures/ws_godot4.6.pcapng, one of its segments is an
  // unambiguous Variant, too.
  static constexpr std::uint8_t min_unprefixed_segments = 2;

  StreamCandidateOptions options_;
  std::array<PendingStream, 2> pending_;
  std::array<bool, 2> awaits_debug_message_{};  // by direction: true while a debugger message may be incomplete
  ProtocolDetection<2> detection_{};  // only Variants have a score, because a single header decides for the debugger
  PacketPosition latest_segment_;     // the segment that was evaluated last
  std::uint32_t segment_count_ = 0;
  std::uint8_t unprefixed_segments_ = 0;  // number of segments that consist of one Variant each
};

}  // namespace godot_codec
