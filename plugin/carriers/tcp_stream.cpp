// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/tcp_stream.h"

#include <algorithm>

#include "plugin/epan/endpoints.h"
#include "plugin/godot/fields.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;

// The first byte of a direction, where its SYN was seen.
bool find_first_byte(packet_info *pinfo, std::uint32_t near, std::uint32_t &start) {
  constexpr unsigned has_syn = 0x01;  // of packet-tcp.c's TCP_COMPLETENESS_*
  const tcp_analysis *tcp = get_tcp_conversation_data(nullptr, pinfo);
  if (tcp == nullptr || tcp->fwd == nullptr || (tcp->conversation_completeness & has_syn) == 0) return false;
  // Relative or raw, by the preference tcp.relative_sequence_numbers, which cannot be asked: the nearer one it is.
  const std::uint32_t raw = tcp->fwd->base_seq + 1;
  start = near - 1 <= near - raw ? 1 : raw;
  return true;
}

}  // namespace

StreamPosition &position_of(StreamPositions &positions, packet_info *pinfo, const tcpinfo &tcp) {
  StreamPosition &position = positions[direction_of(pinfo)];
  if (!position.was_seen) {
    position.is_known = find_first_byte(pinfo, tcp.nxtseq, position.next_seq);
    position.unfinished = position.next_seq;
  }
  return position;
}

std::uint32_t headless_length(const StreamPosition &position, std::uint32_t seq, Bytes data) {
  const bool is_next = position.lone_length != 0 && position.lone_next_seq == seq;
  return is_next && position.lone_length <= data.reported ? position.lone_length : 0;
}

StreamStart find_stream_start(StreamPositions &positions, packet_info *pinfo, const tcpinfo &tcp, Bytes data,
                              const godot_codec::StreamOptions &options, bool is_first_pass,
                              FindUnfinished find_unfinished) {
  StreamPosition &position = position_of(positions, pinfo, tcp);
  // What is not reassembled is the end of a segment.
  const std::uint32_t seq =
      tcp.is_reassembled ? position.unfinished : tcp.nxtseq - static_cast<std::uint32_t>(data.reported);
  const std::uint32_t headless = tcp.is_reassembled ? 0 : headless_length(position, seq, data);
  const bool is_boundary = tcp.is_reassembled || headless > 0 || (position.is_known && position.next_seq == seq);
  const StreamStart start{is_boundary, headless};
  if (!is_first_pass) return start;

  std::size_t offset = headless;
  godot_codec::Stretch stretch{{}, true, headless, true, headless};
  bool is_known = is_boundary;
  while (offset < data.reported) {
    stretch = godot_codec::next_stretch(data, offset, is_known, options);
    offset = stretch.range.end();
    is_known = !stretch.is_packets;
  }
  position.was_seen = true;
  position.is_known = stretch.has_next_boundary;
  position.next_seq = seq + static_cast<std::uint32_t>(stretch.next_boundary);
  const bool is_composed = find_unfinished != nullptr && stretch.is_packets;
  const std::size_t unfinished = is_composed ? find_unfinished(data, stretch) : stretch.unfinished;
  position.unfinished = seq + static_cast<std::uint32_t>(unfinished);
  position.lone_length = 0;
  return start;
}

void draw_skipped(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, int proto, godot_codec::Range range) {
  const int offset = static_cast<int>(range.offset);
  const int length = std::min(static_cast<int>(range.length), tvb_captured_length_remaining(tvb, offset));
  proto_item *item = proto_tree_add_item(root, proto, tvb, offset, length, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, subtrees.packet);
  proto_item *skipped = proto_tree_add_item(tree, fields.skipped, tvb, offset, length, ENC_NA);
  expert_add_info(pinfo, skipped, &experts.skipped);
  proto_item_set_generated(
      proto_tree_add_uint(tree, fields.skipped_length, tvb, 0, 0, static_cast<std::uint32_t>(range.length)));
}

}  // namespace godot_plugin
