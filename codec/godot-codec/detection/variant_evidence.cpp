// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/detection/protocol_detection.h"
#include "godot-codec/detection/variant_clues.h"
#include "godot-codec/variant/text_sink.h"

namespace godot_codec {
namespace {

// A packet with this many bits is strong. One in 2^30 structured packets of other programs is strong, too, but a
// capture contains far fewer packets.
constexpr unsigned strong_bits = 30;

// A container with a text needs this many bits to set is_container. A text of one letter is enough.
constexpr unsigned container_bits = 18;

// A truncated packet with this many bits is weak. Only texts, booleans and single reals count.
constexpr unsigned strong_cut_bits = 40;

// True if the padding of texts is not zero. Godot 3.0 leaves old bytes in this padding.
bool has_old_bytes(const WalkResult &result) { return result.notes.has(EncodingNote::padding); }

// True if no engine that uses the dialect sends such a value.
bool is_never_sent(Dialect dialect, const WalkResult &result) {
  return result.notes.intersects(never_sent_notes(dialect)) || (has_old_bytes(result) && dialect != Dialect::godot3);
}

// True if a value of this type can be strong evidence. A vector, a matrix or a packed array consists of numbers only,
// and other protocols also send numbers. For example, if captures/ws_godot3.6.pcapng begins late, its first Color would
// be strong evidence for a Plane of Godot 4.
bool may_be_strong(const VariantClues &clues) {
  const Type root = clues.root_type;
  return root == Type::array || root == Type::dictionary || root == Type::object;
}

// Evaluates a truncated packet. For example, the Dictionaries of captures/own_bytes_godot4.6.pcapng, cut to 120 bytes,
// are detected by their texts.
Evidence evaluate_truncated(const VariantClues &clues) {
  const bool is_much = may_be_strong(clues) && clues.evidence_bits - clues.structure_bits >= strong_cut_bits;
  return {is_much ? Confidence::weak : Confidence::neutral};
}

// Returns the kind of a weak packet. A text with its length and padding matches any kind; numbers must be of the same
// type.
std::uint32_t variant_kind(Dialect dialect, const VariantClues &clues) {
  if (clues.has_text) return 0;
  return static_cast<std::uint32_t>(clues.root_type) << 8 | (static_cast<std::uint32_t>(dialect) + 1);
}

// Evaluates a packet in one dialect.
Evidence evaluate_in_dialect(Bytes packet, Dialect dialect, const WalkResult &result, const VariantClues &clues) {
  if (is_never_sent(dialect, result)) return {};
  if (result.outcome == Outcome::truncated || result.outcome == Outcome::over_limit) return evaluate_truncated(clues);
  if (result.outcome != Outcome::ok || result.offset != packet.reported) return {};
  if (!clues.has_nonzero_content) return {Confidence::neutral};
  if (may_be_strong(clues) && clues.evidence_bits >= strong_bits) return {Confidence::strong};
  if (clues.has_implausible_real) return {};
  // Otherwise packets of other programs would be detected (captures/other).
  if (clues.has_unusual_value) return {Confidence::neutral};
  return {.confidence = shape_of(clues.root_type).is_common ? Confidence::neutral : Confidence::weak,
          .kind = variant_kind(dialect, clues),
          .is_container = may_be_strong(clues) && clues.has_text && clues.evidence_bits >= container_bits};
}

// Returns the packet after a length prefix.
Bytes packet_at(Bytes data, std::size_t offset, const MessageExtent &extent) {
  const std::size_t start = offset + stream_prefix_size;
  const std::size_t length = extent.length - stream_prefix_size;
  return {data.data + start, std::min(data.captured - start, length), length};
}

}  // namespace

Evidence variant_evidence(Bytes packet, const ReadOptions &options) {
  Evidence best;
  // BSON over UDP begins with a length that may be a type number, so contradicts_its_type() rejects it before a walk.
  if (!has_variant_header(packet) || contradicts_its_type(packet)) return best;
  std::array<DialectWalk, dialect_count> walks;
  for (std::size_t i = 0; i < dialect_count; ++i) {
    const Dialect dialect = all_dialects[i];
    VariantCluesSink sink;
    walks[i].result = walk_variant(packet, 0, {.dialect = dialect}, options, sink);
    walks[i].fingerprint = sink.fingerprint();
    const Evidence evidence = evaluate_in_dialect(packet, dialect, walks[i].result, sink.clues());
    if (evidence.confidence > best.confidence) best = evidence;
  }
  // The dialect is only detected for packets that may be a Variant.
  if (best.confidence > Confidence::neutral) best.detection = compare_dialects(packet, walks, options);
  return best;
}

Evidence packet_evidence(Bytes packet, const ReadOptions &options) {
  Evidence evidence = variant_evidence(packet, options);
  if (evidence.confidence == Confidence::none && options.decoder != nullptr) {
    evidence.confidence = options.decoder->confidence(packet);
  }
  return evidence;
}

// ---- streams

bool may_begin_variant_packet(Bytes data, std::uint32_t max_length) {
  Cursor cursor(data);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok() || length < sizeof length || length % sizeof length != 0 || length > max_length) return false;
  const Bytes variant = data.slice({stream_prefix_size, data.captured - stream_prefix_size});
  return variant.captured < sizeof length || has_variant_header(variant);
}

Evidence stream_evidence(Bytes data, const StreamOptions &options, EvidenceScore &sum, int prior) {
  Evidence last{Confidence::neutral};
  bool has_misfit = false;
  std::size_t offset = 0;
  while (offset + stream_prefix_size <= data.captured) {
    const MessageExtent extent = measure_packet(data, offset, options);
    if (!extent.is_valid) {
      sum.add({Confidence::none}, prior);
      return {};
    }
    const Bytes packet = packet_at(data, offset, extent);
    if (!extent.is_complete || packet.captured < std::min(packet.reported, sizeof(std::uint32_t))) break;
    const Evidence evidence = packet_evidence(packet, options.read);
    has_misfit = has_misfit || evidence.confidence == Confidence::none;
    sum.add(evidence, prior);
    if (evidence.confidence == Confidence::weak) last = evidence;
    offset += extent.length;
  }
  if (sum.is_decided) return {Confidence::strong};
  if (has_misfit) return {};
  return last;
}

}  // namespace godot_codec
