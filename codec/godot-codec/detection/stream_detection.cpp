// SPDX-License-Identifier: MIT
#include "godot-codec/detection/stream_detection.h"

#include "godot-codec/debugger/message.h"
#include "godot-codec/detection/weights.h"

namespace godot_codec {
namespace {

constexpr std::uint8_t debugger = static_cast<std::uint8_t>(StreamProtocol::debugger);
constexpr std::uint8_t variants = static_cast<std::uint8_t>(StreamProtocol::variants);

EvidenceScore strong_score() {
  EvidenceScore score{};
  score.add({Confidence::strong});
  return score;
}

}  // namespace

std::optional<StreamProtocol> StreamDetection::add(unsigned direction, PacketPosition position, std::uint32_t seq,
                                                   Bytes segment, StreamCandidates candidates,
                                                   const ReadOptions &options, int prior) {
  if (latest_segment_ == position) {
    if (!candidates.variants || detection_.scores[variants].bits < weights::decided_at) return std::nullopt;
    detection_.decide(variants, position);
    return protocol();
  }
  latest_segment_ = position;
  PendingStream &prefix = pending_[direction];
  prefix.add(seq, segment);
  if (candidates.debugger && is_debug_stream(direction, segment)) {
    detection_.decide(debugger, position);
  } else if (candidates.variants && !awaits_debug_message_[direction] &&
             is_variant_stream(direction, segment, options, prior)) {
    detection_.decide(variants, position);
  } else {
    prefix.keep_undecided(awaits_debug_message_[direction]);
  }
  return protocol();
}

void StreamDetection::add_confidence(Confidence confidence, PacketPosition position) {
  // The debugger's first message is unambiguous, so later evidence is ignored.
  if (protocol() != StreamProtocol::variants) return;
  // This segment is still shown, so a revocation applies only to later segments.
  detection_.add(variants, {confidence}, {position.packet, position.message + 1});
}

bool StreamDetection::is_debug_stream(unsigned direction, Bytes segment) {
  const std::uint32_t max_length = options_[debugger].max_length;
  PendingStream &prefix = pending_[direction];
  const bool has_head = prefix.has_earlier_bytes(debugger);
  const Bytes data = has_head ? prefix.undecided_bytes(debugger) : segment;
  if (data.captured > 0) {
    const Confidence confidence = evaluate_debug_message(data, max_length);
    if (confidence == Confidence::strong) return true;
    awaits_debug_message_[direction] = confidence == Confidence::neutral && data.captured == data.reported;
  }
  if (!has_head || evaluate_debug_message(segment, max_length) != Confidence::strong) return false;
  prefix.drop_earlier_segments();
  return true;
}

bool StreamDetection::is_variant_stream(unsigned direction, Bytes segment, const ReadOptions &read, int prior) {
  PendingStream &prefix = pending_[direction];
  StreamOptions options{options_[variants].max_length, read, prefix.is_big_endian()};
  if (prior < 0 || !is_checked_closely(++segment_count_)) options.read.decoder = nullptr;
  const auto is_enough = [&](Bytes bytes, EvidenceScore &score) {
    return stream_evidence(bytes, options, score, prior).confidence == Confidence::strong;
  };
  const bool has_head = prefix.has_earlier_bytes(variants);
  const Bytes data = has_head ? prefix.undecided_bytes(variants) : segment;
  EvidenceScore &score = detection_.scores[variants];
  if (data.captured > 0 && is_enough(data, score)) return true;
  // A message may begin with this segment, although an earlier message seemed to continue in it.
  EvidenceScore alone{};
  const bool begins_here = has_head && is_enough(segment, alone);
  if (!begins_here && !lacks_length_prefix(segment, read)) return false;
  score = begins_here ? alone : strong_score();
  prefix.drop_earlier_segments();
  return true;
}

// Detects a frequent mistake of games, put_data(var_to_bytes(…)): each segment consists of one Variant without a
// length, as at port 50130 of captures/own_streams_godot4.6.pcapng.
bool StreamDetection::lacks_length_prefix(Bytes segment, const ReadOptions &options) {
  if (segment.captured < segment.reported) return false;
  if (variant_evidence(segment, options).confidence == Confidence::strong) ++unprefixed_segments_;
  return has_no_length_prefix();
}

void StreamDetection::hand_over(Reassembler &join, unsigned direction, bool has_decided) {
  if (has_no_length_prefix()) return;  // the stored bytes only seemed to be packets
  pending_[direction].move_to_reassembler(join, detection_.decided_candidate, has_decided, decided_since());
}

}  // namespace godot_codec
