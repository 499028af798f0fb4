// SPDX-License-Identifier: GPL-2.0-or-later
#include <optional>

#include "plugin/epan/conversation.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/transport/tcp.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::ChunkStart;
using godot_codec::StreamChunk;
using godot_codec::StreamReader;

// Written on the first pass only.
CaptureState<std::pmr::unsynchronized_pool_resource> memory;
ConversationState<StreamState> streams{ConversationSlot::tcp};

godot_codec::StreamPosition &position_of(const SegmentContext &segment) {
  return segment.stream->positions[direction_of(segment.pinfo)];
}

// Reports a gap. Out-of-order segments can be read only if TCP's preference reorders them.
void add_gap_expert(const SegmentContext &segment, ChunkStart start) {
  if (!start.has_gap) return;
  proto_tree_add_expert(segment.tree, segment.pinfo, &experts.out_of_order, segment.tvb, 0, 0);
}

// True if a segment consists of complete messages.
bool has_only_complete_messages(const SegmentContext &segment) {
  StreamReader reader = reader_of(segment, true);
  for (godot_codec::StreamItem found; reader.next(found);) continue;
  return reader.has_next_boundary() && reader.next_boundary() == bytes_of(segment.tvb).reported;
}

// True for the rest of a message that the port's registered dissector began before the detection. TCP passes this
// message to the plugin when it is complete. If it does not consist of complete Godot messages, decoding begins with
// the next packet.
bool is_foreign_message(const SegmentContext &segment, const StreamChunk &where) {
  std::uint32_t &foreign = segment.stream->foreign_message_packet[direction_of(segment.pinfo)];
  if (where.was_foreign && may_update_state(segment.pinfo) && !has_only_complete_messages(segment))
    foreign = segment.pinfo->num;
  return foreign == segment.pinfo->num;
}

}  // namespace

std::pmr::memory_resource *tcp_memory() { return &*memory; }

StreamState *find_tcp_stream(const conversation_t *conversation) { return streams.find(conversation); }

StreamState &tcp_stream_of(conversation_t *conversation) {
  return streams.of(conversation, conversation, tcp_memory());
}

// Streams store absolute sequence numbers, because these do not depend on preferences.
StreamChunk tcp_position_of(conversation_t *conversation, packet_info *pinfo, const tcpinfo &tcp, Bytes bytes) {
  // If the tvb is not reassembled, its end is the end of the segment.
  const std::uint32_t end = tcp.nxtseq + tcp_base_seq(conversation, pinfo);
  return {end - static_cast<std::uint32_t>(bytes.reported), bytes.reported, tcp.is_reassembled != 0};
}

ChunkStart find_tcp_message_start(SegmentContext &segment, const StreamChunk &where) {
  godot_codec::StreamPosition &position = position_of(segment);
  if (!may_update_state(segment.pinfo)) return position.start_at(segment.position);
  if (!position.was_seen()) {
    if (const std::optional<std::uint32_t> first = tcp_first_byte_seq(segment.pinfo)) position.begin_at(*first);
  }
  segment.seq = position.first_seq_of(where);
  segment.newest_offset = position.newest_offset_in(where);
  return position.begin_chunk(segment.position, where);
}

void skip_tcp_segment(const SegmentContext &segment, const StreamChunk &where, ChunkStart start) {
  if (!may_update_state(segment.pinfo)) return;
  StreamReader reader = reader_of(segment, start.is_boundary, start.is_big_endian);
  for (godot_codec::StreamItem found; reader.next(found);) continue;
  position_of(segment).end_chunk(where, reader);
}

int dissect_tcp_from(const SegmentContext &segment, const StreamChunk &where, ChunkStart start) {
  add_gap_expert(segment, start);
  const StreamReader reader = dissect_items(segment, start.is_boundary, start.is_big_endian);
  if (may_update_state(segment.pinfo)) position_of(segment).end_chunk(where, reader);
  return static_cast<int>(tvb_captured_length(segment.tvb));
}

int dissect_tcp_stream(SegmentContext &segment, StreamChunk where) {
  StreamState &stream = *segment.stream;
  where.was_foreign = where.is_reassembled && stream.is_pinned_before_tcp && !position_of(segment).was_read();
  const bool is_chosen = stream.detection.protocol_at(segment.position) == segment.protocol;
  if (stream.detection.is_revoked() && !is_chosen) return 0;
  if (!where.is_reassembled && dissect_reassembled(segment, where))
    return static_cast<int>(tvb_captured_length(segment.tvb));
  if (is_chosen && segment.position < stream.detection.decided_since()) return 0;
  if (is_foreign_message(segment, where)) {
    if (may_update_state(segment.pinfo)) position_of(segment).skip(where);
    return call_data_dissector(segment.tvb, segment.pinfo, segment.tree);
  }
  if (!is_framing_known(segment)) detect_framing(segment, tcp_first_byte_seq(segment.pinfo).has_value());
  return dissect_tcp_from(segment, where, find_tcp_message_start(segment, where));
}

}  // namespace godot_plugin
