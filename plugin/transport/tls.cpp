// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <memory_resource>
#include <optional>
#include <vector>

#include "plugin/epan/conversation.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/transport/streams.h"
#include "plugin/transport/transports.h"

namespace godot_plugin {
namespace {

using godot_codec::PacketPosition;
using godot_codec::StreamProtocol;

dissector_table_t tls_ports;

// The dissectors of a stream's protocol.
struct Handles {
  dissector_handle_t dissect;   // for what TLS passes on after the protocol is known
  dissector_handle_t detected;  // called by the heuristic
};
Handles debugger_handles;
Handles variants_handles;

const Handles &handles_of(StreamProtocol protocol) {
  return protocol == StreamProtocol::debugger ? debugger_handles : variants_handles;
}

// ---- state, written on the first pass only

// A part of the payload of TLS, and its place in its direction.
struct PartPosition {
  PacketPosition position;
  std::uint32_t seq;
};

// TLS gives its payload in order and without sequence numbers, so bytes are counted here.
struct TlsStream {
  TlsStream(conversation_t *conversation, std::pmr::memory_resource *memory)
      : stream(conversation, memory), part_positions(memory) {}

  Stream stream;
  std::array<std::uint32_t, 2> next_seq{};        // by direction_of()
  std::pmr::vector<PartPosition> part_positions;  // of the parts for which Stream::joins is queried
};

CaptureState<std::pmr::unsynchronized_pool_resource> memory;
ConversationState<TlsStream> streams{ConversationSlot::tls};

TlsStream &tls_stream_of(packet_info *pinfo) {
  conversation_t *conversation = conversation_of(pinfo);
  return streams.of(conversation, conversation, &*memory);
}

// ---- parts

// Limit before the decision: the bytes of older parts are not kept either.
constexpr std::size_t max_part_positions = 1024;

void store_position(TlsStream &tls, PacketPosition position, std::uint32_t seq) {
  if (tls.part_positions.size() >= max_part_positions && !tls.stream.detection.protocol()) {
    tls.part_positions.erase(tls.part_positions.begin(), tls.part_positions.begin() + max_part_positions / 2);
  }
  tls.part_positions.push_back({position, seq});
}

std::optional<std::uint32_t> find_position(const TlsStream &tls, PacketPosition position) {
  const auto found = std::ranges::lower_bound(tls.part_positions, position, {}, &PartPosition::position);
  if (found == tls.part_positions.end() || found->position != position) return std::nullopt;
  return found->seq;
}

std::uint32_t count_part(TlsStream &tls, const SegmentContext &part) {
  std::uint32_t &next = tls.next_seq[direction_of(part.pinfo)];
  const std::uint32_t seq = next;
  next += static_cast<std::uint32_t>(bytes_of(part.tvb).reported);
  return seq;
}

// @param seq none: the place of the part was not kept
// @returns 0 for a part before the decision, if no bytes of it were kept
int dissect_tls_part(const TlsStream &tls, SegmentContext &part, std::optional<std::uint32_t> seq) {
  const int length = static_cast<int>(tvb_captured_length(part.tvb));
  if (seq && dissect_joined(part, {*seq, bytes_of(part.tvb).reported, false})) return length;
  if (tls.stream.detection.protocol_at(part.position) == part.protocol && part.position < tls.stream.detection.since())
    return 0;
  detect_framing(part, true);
  dissect_items(part, true);
  return length;
}

int dissect_newest_part(TlsStream &tls, SegmentContext &part) {
  part.seq = count_part(tls, part);
  if (tls.stream.joins[direction_of(part.pinfo)].is_open()) store_position(tls, part.position, part.seq);
  return dissect_tls_part(tls, part, part.seq);
}

// @param data TLS's own: where it keeps the dissector of the bytes that follow
template <StreamProtocol protocol>
int dissect_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0) return 0;
  TlsStream &tls = tls_stream_of(pinfo);
  SegmentContext part = begin_segment(tvb, pinfo, tree, protocol, &tls.stream);
  if (tls.stream.detection.is_revoked() && !tls.stream.detection.protocol_at(part.position)) return 0;
  if (!may_learn(pinfo)) return dissect_tls_part(tls, part, find_position(tls, part.position));
  const int taken = dissect_newest_part(tls, part);
  // The decision was revoked: TLS offers the following bytes to its heuristics again.
  if (tls.stream.detection.is_revoked() && data != nullptr) *ws_tls_owner(data) = nullptr;
  return taken;
}

// ---- the heuristic

// What the heuristic passes to the dissector of the detected protocol.
struct DetectedPart {
  const TlsStream *tls;
  SegmentContext part;
  std::optional<std::uint32_t> seq;
};

int dissect_detected_part(tvbuff_t * /*tvb*/, packet_info * /*pinfo*/, proto_tree * /*tree*/, void *data) {
  auto &[tls, part, seq] = *static_cast<DetectedPart *>(data);
  return dissect_tls_part(*tls, part, seq);
}

// Evaluates a part of a stream whose protocol is not known yet, and counts the part. If the protocol is known then, its
// dissector gets all that follows, and on later passes all that came before.
// @param data TLS's own
std::optional<StreamProtocol> detect_stream(TlsStream &tls, SegmentContext &part, void *data) {
  part.seq = count_part(tls, part);
  store_position(tls, part.position, part.seq);
  godot_codec::StreamDetection &detection = tls.stream.detection;
  const unsigned direction = direction_of(part.pinfo);
  const std::optional<StreamProtocol> protocol = detection.add(direction, part.position, part.seq, bytes_of(part.tvb),
                                                               enabled_stream_candidates(), preferred_read_options());
  if (!protocol) return std::nullopt;
  detection.hand_over(tls.stream.joins[direction], direction, true);
  detection.hand_over(tls.stream.joins[1 - direction], 1 - direction, false);
  *ws_tls_owner(data) = handles_of(*protocol).dissect;
  return protocol;
}

// On later passes, TLS of Wireshark 4.4 and later offers the parts of a stream whose detection was revoked again.
ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr || tvb_reported_length(tvb) == 0) return false;
  if (dissector_is_uint_changed(tls_ports, pinfo->srcport) || dissector_is_uint_changed(tls_ports, pinfo->destport)) {
    return false;
  }
  TlsStream &tls = tls_stream_of(pinfo);
  if (may_learn(pinfo) && tls.stream.detection.protocol()) return false;
  DetectedPart detected{&tls, begin_segment(tvb, pinfo, tree, StreamProtocol::variants, &tls.stream), std::nullopt};
  SegmentContext &part = detected.part;
  const std::optional<StreamProtocol> protocol =
      may_learn(pinfo) ? detect_stream(tls, part, data) : tls.stream.detection.protocol_at(part.position);
  if (!protocol) return false;
  part.protocol = *protocol;
  detected.seq = may_learn(pinfo) ? part.seq : find_position(tls, part.position);
  return call_detected(handles_of(*protocol).detected, tvb, pinfo, tree, &detected) > 0;
}

}  // namespace

void handoff_tls_transport() {
  const int proto_godot = proto_get_id_by_filter_name("godot");
  const int proto_debug = proto_get_id_by_filter_name("godot_debug");
  tls_ports = find_dissector_table("tls.port");
  debugger_handles = {
      register_dissector("godot_debug.tls", guarded<dissect_tls<StreamProtocol::debugger>>, proto_debug),
      create_dissector_handle(guarded<dissect_detected_part>, proto_debug)};
  variants_handles = {register_dissector("godot.tls", guarded<dissect_tls<StreamProtocol::variants>>, proto_godot),
                      create_dissector_handle(guarded<dissect_detected_part>, proto_godot)};
  dissector_add_uint_range_with_preference("tls.port", "", debugger_handles.dissect);
  dissector_add_uint_range_with_preference("tls.port", "", variants_handles.dissect);
  register_heuristic("tls", "godot_tls", guarded<detect>, "Godot Variants and Remote Debugger over TLS");
}

}  // namespace godot_plugin
