// SPDX-License-Identifier: MIT
#include <algorithm>

#include "godot-codec/recognise/evidence.h"
#include "godot-codec/recognise/evidence_score.h"

namespace godot_codec {
namespace {

// The packet behind a length.
Bytes packet_at(Bytes data, std::size_t offset, const StreamExtent &extent) {
  const std::size_t start = offset + stream_prefix_size;
  const std::size_t length = extent.length - stream_prefix_size;
  return {data.data + start, std::min(data.captured - start, length), length};
}

// Every Variant fills whole words. Between Variants a game may send bytes of its own, such as put_string()'s.
bool may_be_variant(Bytes packet) { return packet.reported % sizeof(std::uint32_t) == 0; }

Evidence evidence_of(Bytes packet, bool is_whole, const ReadOptions &options) {
  if (is_whole) return packet_evidence(packet, options);
  return may_be_variant(packet) ? variant_evidence(packet, options) : Evidence{};
}

// Adds a packet that goes on behind the data: it says something only if it is none, or the first one, whose length
// cannot be checked, but so much else could.
void add_unfinished(EvidenceScore &sum, const Evidence &evidence, bool is_first) {
  if (evidence.confidence == Confidence::none) sum.add(evidence);
  if (evidence.confidence == Confidence::weak && is_first) sum.add({Confidence::strong});
}

}  // namespace

bool may_begin_packet(Bytes data, std::uint32_t max_length) {
  Cursor cursor(data);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok() || length < sizeof length || length % sizeof length != 0 || length > max_length) return false;
  const Bytes variant = data.slice({stream_prefix_size, data.captured - stream_prefix_size});
  return variant.captured < sizeof length || has_variant_header(variant);
}

Evidence stream_evidence(Bytes data, const StreamOptions &options) {
  EvidenceScore sum{};
  return stream_evidence(data, options, sum);
}

Evidence stream_evidence(Bytes data, const StreamOptions &options, EvidenceScore &sum) {
  const MeasureMessage measure = options.is_big_endian ? measure_big_endian_packet : measure_packet;
  Evidence last{Confidence::neutral};
  bool has_misfit = false;
  std::size_t offset = 0;
  while (offset + stream_prefix_size <= data.captured) {
    const StreamExtent extent = measure(data, offset, options.max_length);
    if (!extent.is_valid) {
      sum.add({Confidence::none});
      return {};
    }
    const Bytes packet = packet_at(data, offset, extent);
    if (may_be_variant(packet) && packet.captured < sizeof(std::uint32_t)) break;
    const Evidence evidence = evidence_of(packet, extent.is_complete, options.read);
    has_misfit = has_misfit || evidence.confidence == Confidence::none;
    if (!extent.is_complete) {
      add_unfinished(sum, evidence, offset == 0);
      break;
    }
    sum.add(evidence);
    if (evidence.confidence == Confidence::weak) last = evidence;
    offset += extent.length;
  }
  if (sum.is_settled) return {Confidence::strong};
  if (has_misfit) return {};
  return last;
}

}  // namespace godot_codec
