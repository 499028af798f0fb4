// SPDX-License-Identifier: MIT
#include "godot-codec/detection/stream_chooser.h"

#include "godot-codec/debugger/message.h"
#include "godot-codec/detection/tried.h"
#include "godot-codec/detection/weights.h"

namespace godot_codec {
namespace {

constexpr std::size_t index_of(StreamOwner owner) { return static_cast<std::size_t>(owner); }

EvidenceScore strong_score() {
  EvidenceScore score{};
  score.add({Confidence::strong});
  return score;
}

}  // namespace

std::optional<StreamOwner> StreamChooser::add(unsigned direction, PacketPosition moment, std::uint32_t seq,
                                              Bytes segment, StreamOwners candidates, const ReadOptions &walk,
                                              int prior) {
  if (latest_ == moment) {
    if (variants_.bits < weights::settled_at || !candidates.variants) return std::nullopt;
    decide(StreamOwner::variants, moment);
    return StreamOwner::variants;
  }
  latest_ = moment;
  StreamPrefix &prefix = prefixes_[direction];
  prefix.add(seq, segment);
  std::optional<StreamOwner> owner;
  if (candidates.debugger && is_debuggers(direction, segment)) {
    owner = StreamOwner::debugger;
  } else if (candidates.variants && !is_waiting_[direction] && is_variants(direction, segment, walk, prior)) {
    owner = StreamOwner::variants;
  } else {
    prefix.settle(is_waiting_[direction]);
  }
  if (owner) decide(*owner, moment);
  return owner;
}

void StreamChooser::decide(StreamOwner owner, PacketPosition moment) {
  if (!latest_owner_) since_ = moment;
  latest_owner_ = owner;
  is_owned_ = true;
}

void StreamChooser::weigh(Confidence confidence, PacketPosition moment) {
  // A debugger's first message leaves no doubt.
  if (owner() != StreamOwner::variants) return;
  if (variants_.add({confidence})) return;
  is_owned_ = false;
  until_ = moment;
}

bool StreamChooser::is_debuggers(unsigned direction, Bytes segment) {
  constexpr std::size_t candidate = index_of(StreamOwner::debugger);
  const std::uint32_t max_length = rules_[candidate].max_length;
  StreamPrefix &prefix = prefixes_[direction];
  const bool has_head = prefix.has_head(candidate);
  const Bytes data = has_head ? prefix.view(candidate) : segment;
  if (data.captured > 0) {
    const Confidence confidence = debug_confidence(data, max_length);
    if (confidence == Confidence::strong) return true;
    is_waiting_[direction] = confidence == Confidence::neutral && data.captured == data.reported;
  }
  if (!has_head || debug_confidence(segment, max_length) != Confidence::strong) return false;
  prefix.forget_earlier();
  return true;
}

bool StreamChooser::is_variants(unsigned direction, Bytes segment, const ReadOptions &walk, int prior) {
  constexpr std::size_t candidate = index_of(StreamOwner::variants);
  StreamPrefix &prefix = prefixes_[direction];
  StreamOptions options{rules_[candidate].max_length, walk, prefix.is_big_endian()};
  if (prior < 0 || !is_tried(++segments_)) options.read.inside = nullptr;
  const bool has_head = prefix.has_head(candidate);
  const Bytes data = has_head ? prefix.view(candidate) : segment;
  const auto is_enough = [&](Bytes bytes, EvidenceScore &sum) {
    return stream_evidence(bytes, options, sum, prior).confidence == Confidence::strong;
  };
  if (data.captured > 0 && is_enough(data, variants_)) return true;
  // A message may begin here all the same: what seems to go on in this segment was none.
  EvidenceScore alone{};
  const bool begins_here = has_head && is_enough(segment, alone);
  if (!begins_here && !says_without_length(segment, walk)) return false;
  variants_ = begins_here ? alone : strong_score();
  prefix.forget_earlier();
  return true;
}

// A mistake that games make, put_data(var_to_bytes(…)): a segment is a Variant and nothing else, as at port 50130 of
// captures/own_streams_godot4.6.pcapng.
bool StreamChooser::says_without_length(Bytes segment, const ReadOptions &walk) {
  if (segment.captured < segment.reported) return false;
  if (variant_evidence(segment, walk).confidence == Confidence::strong) ++without_length_;
  return is_without_length();
}

void StreamChooser::hand_over(Reassembler &join, unsigned direction, bool has_told) {
  if (is_without_length()) return;  // the bytes that are kept only seemed to be packets
  prefixes_[direction].hand_over(join, index_of(*latest_owner_), has_told, since_);
}

}  // namespace godot_codec
