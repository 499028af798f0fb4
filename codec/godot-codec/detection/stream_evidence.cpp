// SPDX-License-Identifier: MIT
#include <algorithm>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/detection/protocol_detection.h"

namespace godot_codec {
namespace {

// Returns the packet after a length prefix.
Bytes packet_at(Bytes data, std::size_t offset, const MessageExtent &extent) {
  const std::size_t start = offset + stream_prefix_size;
  const std::size_t length = extent.length - stream_prefix_size;
  return {data.data + start, std::min(data.captured - start, length), length};
}

}  // namespace

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
