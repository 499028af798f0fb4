// SPDX-License-Identifier: MIT
#include "godot-codec/detection/protocol_detection.h"

#include <algorithm>

#include "godot-codec/detection/weights.h"

namespace godot_codec {

// True if an earlier weak message had the same kind. Kind 0 equals every other kind.
bool EvidenceScore::is_repeated_kind(const Evidence &evidence) {
  std::uint32_t *const end = weak_kinds + kind_count;
  const bool is_known = std::any_of(
      weak_kinds, end, [&](std::uint32_t kind) { return kind == 0 || evidence.kind == 0 || kind == evidence.kind; });
  const bool is_new = std::find(weak_kinds, end, evidence.kind) == end;
  if (is_new && kind_count < max_kinds) weak_kinds[kind_count++] = evidence.kind;
  return is_known;
}

bool EvidenceScore::add(const Evidence &evidence, int prior) {
  int sum = bits;
  const int most_of_weak = std::max(sum, weights::most_of_weak);
  const bool is_second = evidence.is_container && has_container_message;
  has_container_message = has_container_message || evidence.is_container;
  switch (is_second ? Confidence::strong : evidence.confidence) {
    case Confidence::none:
      sum = std::max(sum + weights::mismatch, has_strong_message ? weights::revoked_below : weights::least);
      break;
    case Confidence::neutral:
      if (evidence.kind != 0 && is_repeated_kind(evidence)) sum = std::min(sum + weights::common_again, most_of_weak);
      break;
    case Confidence::weak:
      sum = std::min(sum + (is_repeated_kind(evidence) ? weights::weak_again : weights::weak), most_of_weak);
      break;
    case Confidence::strong:
      has_strong_message = true;
      sum = std::min(std::max(sum, 0) + weights::strong, weights::most);
      break;
  }
  bits = static_cast<std::int16_t>(sum);
  is_decided = sum + prior >= (is_decided ? weights::revoked_below : weights::decided_at);
  return is_decided;
}

}  // namespace godot_codec
