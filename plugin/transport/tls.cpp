// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/transport/stream_segments.h"
#include "plugin/transport/transports.h"

namespace godot_plugin {
namespace {

using godot_codec::PacketPosition;
using godot_codec::StreamProtocol;

dissector_table_t tls_ports;

// Returns the dissector that TLS calls with a stream's segments.
dissector_handle_t tls_handle_of(StreamProtocol protocol) {
  static auto *const debugger = find_dissector("godot_debug.tls");
  static auto *const variants = find_dissector("godot.tls");
  return protocol == StreamProtocol::debugger ? debugger : variants;
}

// ---- state of TLS streams, written on the first pass only

// The position of a segment of TLS payload: in the capture, and in the bytes of its direction.
struct SegmentPosition {
  PacketPosition position;
  std::uint32_t seq;
};

// A stream of TLS payload. TLS passes it on in order, without sequence numbers, so this struct counts bytes.
struct TlsStream {
  TlsStream(conversation_t *conversation, std::pmr::memory_resource *memory)
      : stream(conversation, memory), segment_positions(memory) {}

  StreamState stream;
  std::array<std::uint32_t, 2> next_seq{};  // by direction_of()
  std::pmr::vector<SegmentPosition>
      segment_positions;  // positions of segments for which StreamState::reassemblers is queried
};

CaptureState<std::pmr::unsynchronized_pool_resource> memory;
ConversationState<TlsStream> streams;

TlsStream &tls_stream_of(packet_info *pinfo) {
  conversation_t *conversation = conversation_of(pinfo);
  return streams.of(conversation, conversation, &*memory);
}

// ---- segments

// Maximum number of positions before the decision. Bytes of older segments are not kept either, so more positions are
// useless.
constexpr std::size_t max_segment_positions = 1024;

void store_segment_position(TlsStream &tls, PacketPosition position, std::uint32_t seq) {
  if (tls.segment_positions.size() >= max_segment_positions && !tls.stream.detection.protocol()) {
    tls.segment_positions.erase(tls.segment_positions.begin(),
                                tls.segment_positions.begin() + max_segment_positions / 2);
  }
  tls.segment_positions.push_back({position, seq});
}

std::optional<std::uint32_t> find_segment_seq(const TlsStream &tls, PacketPosition position) {
  const auto found = std::ranges::lower_bound(tls.segment_positions, position, {}, &SegmentPosition::position);
  if (found == tls.segment_positions.end() || found->position != position) return std::nullopt;
  return found->seq;
}

// Counts the bytes of a segment. @returns the sequence number of its first byte
std::uint32_t assign_seq(TlsStream &tls, const SegmentContext &segment) {
  const std::uint32_t size = tvb_reported_length(segment.tvb);
  return std::exchange(tls.next_seq[direction_of(segment.pinfo)], tls.next_seq[direction_of(segment.pinfo)] + size);
}

// @param seq nullopt if the segment's position was not stored
// @returns 0 if the segment precedes the decision and its bytes were not kept
int dissect_tls_segment(const TlsStream &tls, SegmentContext &segment, std::optional<std::uint32_t> seq) {
  const int length = static_cast<int>(tvb_captured_length(segment.tvb));
  if (seq && dissect_reassembled(segment, {*seq, bytes_of(segment.tvb).reported, false})) return length;
  if (tls.stream.detection.protocol_at(segment.position) == segment.protocol &&
      segment.position < tls.stream.detection.decided_since())
    return 0;
  detect_framing(segment, true);
  dissect_items(segment, true);
  return length;
}

int dissect_newest_segment(TlsStream &tls, SegmentContext &segment) {
  segment.seq = assign_seq(tls, segment);
  if (tls.stream.reassemblers[direction_of(segment.pinfo)].is_open())
    store_segment_position(tls, segment.position, segment.seq);
  return dissect_tls_segment(tls, segment, segment.seq);
}

// @param data from TLS, or null from the heuristic; ws_tls_dissector_slot(data) refers to the dissector that TLS will
// call for the next bytes
template <StreamProtocol protocol>
int dissect_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0) return 0;
  TlsStream &tls = tls_stream_of(pinfo);
  SegmentContext segment = begin_segment(tvb, pinfo, tree, protocol, &tls.stream);
  if (tls.stream.detection.is_revoked() && !tls.stream.detection.protocol_at(segment.position)) return 0;
  if (!may_update_state(pinfo)) return dissect_tls_segment(tls, segment, find_segment_seq(tls, segment.position));
  const int taken = dissect_newest_segment(tls, segment);
  // The decision was revoked, so make TLS offer the next bytes to its heuristics again.
  if (tls.stream.detection.is_revoked() && data != nullptr) *ws_tls_dissector_slot(data) = nullptr;
  return taken;
}

// ---- the heuristic

// Evaluates a segment of an undecided stream. If this decides the protocol, its dissector gets all later segments. On
// later passes, it also gets the earlier segments.
// @param data see dissect_tls()
std::optional<StreamProtocol> detect_stream(TlsStream &tls, PacketPosition position, tvbuff_t *tvb, packet_info *pinfo,
                                            void *data) {
  const unsigned direction = direction_of(pinfo);
  const std::uint32_t seq = tls.next_seq[direction];
  store_segment_position(tls, position, seq);
  godot_codec::StreamDetection &detection = tls.stream.detection;
  const std::optional<StreamProtocol> protocol =
      detection.add(direction, position, seq, bytes_of(tvb), enabled_stream_candidates(), preferred_read_options());
  if (!protocol) return std::nullopt;
  detection.hand_over(tls.stream.reassemblers[direction], direction, true);
  detection.hand_over(tls.stream.reassemblers[1 - direction], 1 - direction, false);
  *ws_tls_dissector_slot(data) = tls_handle_of(*protocol);
  return protocol;
}

// The heuristic. On later passes, Wireshark 4.4 and later again offer the segments of streams with a revoked detection.
ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr || tvb_reported_length(tvb) == 0) return false;
  if (dissector_is_uint_changed(tls_ports, pinfo->srcport) || dissector_is_uint_changed(tls_ports, pinfo->destport)) {
    return false;
  }
  TlsStream &tls = tls_stream_of(pinfo);
  if (may_update_state(pinfo) && tls.stream.detection.protocol()) return false;
  const PacketPosition position{pinfo->num, packet_counts_of(pinfo).stream_segments};
  const std::optional<StreamProtocol> protocol = may_update_state(pinfo)
                                                     ? detect_stream(tls, position, tvb, pinfo, data)
                                                     : tls.stream.detection.protocol_at(position);
  if (protocol) return call_detected_dissector(tls_handle_of(*protocol), tvb, pinfo, tree, nullptr) > 0;
  // A dissector would have counted the segment and its bytes.
  const SegmentContext segment = begin_segment(tvb, pinfo, tree, StreamProtocol::variants, &tls.stream);
  if (may_update_state(pinfo)) assign_seq(tls, segment);
  return false;
}

}  // namespace

void handoff_tls_transport() {
  const int proto_godot = proto_get_id_by_filter_name("godot");
  const int proto_debug = proto_get_id_by_filter_name("godot_debug");
  tls_ports = find_dissector_table("tls.port");
  register_dissector("godot_debug.tls", guarded<dissect_tls<StreamProtocol::debugger>>, proto_debug);
  register_dissector("godot.tls", guarded<dissect_tls<StreamProtocol::variants>>, proto_godot);
  dissector_add_uint_range_with_preference("tls.port", "", tls_handle_of(StreamProtocol::debugger));
  dissector_add_uint_range_with_preference("tls.port", "", tls_handle_of(StreamProtocol::variants));
  register_heuristic("tls", "godot_tls", guarded<detect>, "Godot Variants and Remote Debugger over TLS");
}

}  // namespace godot_plugin
