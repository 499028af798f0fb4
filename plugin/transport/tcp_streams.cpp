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
using godot_codec::StreamPart;
using godot_codec::StreamReader;
using godot_codec::StreamStart;

// Written on the first pass only.
CaptureState<std::pmr::unsynchronized_pool_resource> memory;
ConversationState<Stream> streams{ConversationSlot::tcp};

godot_codec::StreamPosition &position_of(const SegmentContext &part) {
  return part.stream->positions[direction_of(part.pinfo)];
}

// Reports a gap. Segments out of order can be read only if the preference of TCP to reorder them is on: then TCP passes
// on no segment after a gap.
void show_gap(const SegmentContext &part, StreamStart start) {
  if (!start.has_gap) return;
  proto_tree_add_expert(part.tree, part.pinfo, &experts.out_of_order, part.tvb, 0, 0);
}

// True if a part consists of complete messages.
bool is_complete(const SegmentContext &part) {
  StreamReader reader = reader_of(part, true);
  for (godot_codec::StreamItem found; reader.next(found);) continue;
  return reader.has_next_boundary() && reader.next_boundary() == bytes_of(part.tvb).reported;
}

// The dissector that is registered on the port may have been in the middle of a message when the stream was detected:
// TCP passes that message to this plugin once it is complete. Unless it consists of complete Godot messages, the stream
// is decoded from the next packet on.
bool is_foreign(const SegmentContext &part, const StreamPart &where) {
  std::uint32_t &foreign = part.stream->foreign_packet[direction_of(part.pinfo)];
  if (where.was_foreign && may_learn(part.pinfo) && !is_complete(part)) foreign = part.pinfo->num;
  return foreign == part.pinfo->num;
}

}  // namespace

std::pmr::memory_resource *tcp_memory() { return &*memory; }

Stream *find_tcp_stream(const conversation_t *conversation) { return streams.find(conversation); }

Stream &tcp_stream_of(conversation_t *conversation) { return streams.of(conversation, conversation, tcp_memory()); }

// Streams remember the numbers on the wire, which do not depend on preferences.
StreamPart tcp_position_of(conversation_t *conversation, packet_info *pinfo, const tcpinfo &tcp, Bytes bytes) {
  // A tvb that was not reassembled ends where its segment ends.
  const std::uint32_t end = tcp.nxtseq + base_of_tcp(conversation, pinfo);
  return {end - static_cast<std::uint32_t>(bytes.reported), bytes.reported, tcp.is_reassembled != 0};
}

StreamStart find_tcp_start(SegmentContext &part, const StreamPart &where) {
  godot_codec::StreamPosition &position = position_of(part);
  if (!may_learn(part.pinfo)) return position.start_at(part.position);
  if (!position.was_seen()) {
    if (const std::optional<std::uint32_t> first = first_byte_of_tcp(part.pinfo)) position.begin_at(*first);
  }
  part.seq = position.seq_of(where);
  part.newest = position.newest_in(where);
  return position.enter(part.position, where);
}

void skip_tcp_segment(const SegmentContext &part, const StreamPart &where, StreamStart start) {
  if (!may_learn(part.pinfo)) return;
  StreamReader reader = reader_of(part, start.is_boundary, start.is_big_endian);
  for (godot_codec::StreamItem found; reader.next(found);) continue;
  position_of(part).leave(where, reader);
}

int dissect_tcp_from(const SegmentContext &part, const StreamPart &where, StreamStart start) {
  show_gap(part, start);
  const StreamReader reader = dissect_items(part, start.is_boundary, start.is_big_endian);
  if (may_learn(part.pinfo)) position_of(part).leave(where, reader);
  return static_cast<int>(tvb_captured_length(part.tvb));
}

int dissect_tcp_stream(SegmentContext &part, StreamPart where) {
  Stream &stream = *part.stream;
  where.was_foreign = where.is_reassembled && stream.is_claimed && !position_of(part).was_read();
  const bool is_chosen = stream.detection.protocol_at(part.position) == part.protocol;
  if (stream.detection.is_revoked() && !is_chosen) return 0;
  if (!where.is_reassembled && dissect_joined(part, where)) return static_cast<int>(tvb_captured_length(part.tvb));
  if (is_chosen && part.position < stream.detection.since()) return 0;
  if (is_foreign(part, where)) {
    if (may_learn(part.pinfo)) position_of(part).skip(where);
    return call_data_dissector(part.tvb, part.pinfo, part.tree);
  }
  if (!is_framing_known(part)) detect_framing(part, first_byte_of_tcp(part.pinfo).has_value());
  return dissect_tcp_from(part, where, find_tcp_start(part, where));
}

}  // namespace godot_plugin
