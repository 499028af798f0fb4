// SPDX-License-Identifier: MIT
#include <algorithm>

#include "godot-codec/recognise/evidence.h"
#include "godot-codec/recognise/sum.h"
#include "godot-codec/recognise/weights.h"

namespace godot_codec {

bool may_begin_packet(Bytes data, std::uint32_t max_length) {
  Cursor cursor(data);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok() || length < sizeof length || length % sizeof length != 0 || length > max_length) return false;
  const Bytes variant = data.slice({stream_prefix_size, data.captured - stream_prefix_size});
  return variant.captured < sizeof length || has_variant_header(variant);
}

Evidence stream_evidence(Bytes data, const StreamOptions &options) {
  Sum sum{};
  return stream_evidence(data, options, sum);
}

Evidence stream_evidence(Bytes data, const StreamOptions &options, Sum &sum) {
  const MeasureMessage measure = options.is_big_endian ? measure_big_endian_packet : measure_packet;
  const int prior = options.is_big_endian ? weights::big_endian : 0;
  Evidence last{Likeness::neutral};
  bool has_misfit = false;
  std::size_t offset = 0;
  while (offset + stream_prefix_size <= data.captured) {
    const StreamExtent extent = measure(data, offset, options.max_length);
    if (!extent.is_valid) {
      sum.add({Likeness::none});
      return {};
    }
    const std::size_t start = offset + stream_prefix_size;
    const std::size_t length = extent.length - stream_prefix_size;
    const std::size_t captured = std::min(data.captured - start, length);
    // Between Variants a game may send bytes of its own, such as put_string()'s; among them only a strong one tells.
    // Every Variant fills whole words.
    const bool may_be_variant = length % sizeof(std::uint32_t) == 0;
    if (may_be_variant && captured < sizeof(std::uint32_t)) break;
    const Bytes packet(data.data + start, captured, length);
    const bool is_whole = extent.is_complete;
    Evidence evidence;
    if (is_whole) {
      evidence = packet_evidence(packet, options.read);
    } else if (may_be_variant) {
      evidence = variant_evidence(packet, options.read);
    }
    // The length of the first packet cannot be checked, but so much else could.
    if (!is_whole && offset == 0 && evidence.likeness == Likeness::weak) {
      sum.add({Likeness::strong}, prior);
      break;
    }
    if (!is_whole && evidence.likeness != Likeness::none) break;
    sum.add(evidence, prior);
    has_misfit = has_misfit || evidence.likeness == Likeness::none;
    if (evidence.likeness == Likeness::weak) last = evidence;
    if (!is_whole) break;
    offset = start + length;
  }
  if (sum.is_settled) return {Likeness::strong};
  if (has_misfit) return {};
  return last;
}

}  // namespace godot_codec
