// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/packet-godot.h"

#include <algorithm>
#include <array>
#include <cinttypes>

#include "godot-codec/debugger/message.h"
#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/stream.h"
#include "godot-codec/variant/text.h"
#include "plugin/carriers/owned_ports.h"
#include "plugin/carriers/pins.h"
#include "plugin/carriers/tcp_stream.h"
#include "plugin/carriers/websocket.h"
#include "plugin/enet/state.h"
#include "plugin/epan/decisions.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/message.h"
#include "plugin/epan/recogniser.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet.h"
#include "plugin/godot/preferences.h"
#include "plugin/multiplayer/packet-godot_mp.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Detection;
using godot_codec::Dialect;
using godot_codec::DialectChoice;
using godot_codec::DialectSet;
using godot_codec::Fit;
using godot_codec::WalkOptions;

int proto_godot = -1;

ByConversation<StreamPositions> stream_positions;

// Where the packets of a TCP conversation begin.
StreamPositions &positions_of(packet_info *pinfo) { return stream_positions.of(find_or_create_conversation(pinfo)); }

void dissect_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, Carrier carrier, int header = 0) {
  dissect_variant_packet({tvb, carrier, next_moment(pinfo, proto_godot), false}, pinfo, tree, header);
}

// ---- a stream of packets

unsigned packet_length(packet_info * /*pinfo*/, tvbuff_t *tvb, int offset, void * /*data*/) {
  return godot_codec::stream_prefix_size + tvb_get_letohl(tvb, offset);
}

int dissect_stream_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  dissect_message(tvb, pinfo, tree, Carrier::stream, godot_codec::stream_prefix_size);
  return static_cast<int>(tvb_captured_length(tvb));
}

void dissect_skipped(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, godot_codec::Range range) {
  const char *text = wmem_strdup_printf(pinfo->pool, "%u bytes passed over", static_cast<unsigned>(range.length));
  tell_message(pinfo, {tvb, Carrier::stream, next_moment(pinfo, proto_godot), false}, "Godot", text);
  if (root != nullptr) draw_skipped(tvb, pinfo, root, proto_godot, range);
}

int dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool is_boundary, void *data) {
  const Bytes bytes = bytes_of(tvb);
  const godot_codec::StreamOptions options{preferred_max_length(), preferred_walk_options(Dialect::godot4)};
  std::size_t offset = 0;
  while (offset < bytes.reported) {
    const godot_codec::Stretch stretch = godot_codec::next_stretch(bytes, offset, is_boundary, options);
    const int start = static_cast<int>(offset);
    if (stretch.is_packets) {
      tvbuff_t *packets = tvb_new_subset_length(tvb, start, static_cast<int>(stretch.range.length));
      tcp_dissect_pdus(packets, pinfo, tree, true, godot_codec::stream_prefix_size, packet_length,
                       dissect_stream_packet, data);
      if (pinfo->desegment_len != 0) pinfo->desegment_offset += start;
    } else {
      dissect_skipped(tvb, pinfo, tree, stretch.range);
    }
    offset = stretch.range.end();
    is_boundary = !stretch.is_packets;
  }
  return static_cast<int>(bytes.captured);
}

int dissect_godot_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0 || data == nullptr) return 0;
  const auto *tcp = static_cast<const tcpinfo *>(data);
  const Bytes bytes = bytes_of(tvb);
  const godot_codec::StreamOptions options{preferred_max_length(), preferred_walk_options(Dialect::godot4)};
  const std::uint32_t number = next_in_frame(proto_godot, pinfo, Decided::stream);
  const StreamStart *start =
      decide_once<StreamStart>(proto_godot, pinfo, Decided::stream, number, [&](bool is_first_pass) {
        return find_stream_start(positions_of(pinfo), pinfo, *tcp, bytes, options, is_first_pass);
      });
  const int headless = static_cast<int>(start->headless);
  if (headless == 0) return dissect_stream(tvb, pinfo, tree, start->is_boundary, data);
  dissect_message(tvb_new_subset_length(tvb, 0, headless), pinfo, tree, Carrier::stream);
  if (tvb_reported_length_remaining(tvb, headless) == 0) return headless;
  const int rest = dissect_stream(tvb_new_subset_remaining(tvb, headless), pinfo, tree, start->is_boundary, data);
  if (pinfo->desegment_len != 0) pinfo->desegment_offset += headless;
  return headless + rest;
}

// Inside of TLS nothing is lost: what could not be decrypted does not get here.
int dissect_godot_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return tvb_reported_length(tvb) == 0 ? 0 : dissect_stream(tvb, pinfo, tree, true, data);
}

// ---- recognised without being told

Recogniser tcp_recogniser;
dissector_handle_t tcp_handle;

// What a part of a stream says. A length alone is remembered for the part that follows it.
godot_codec::Evidence judge_stream(Bytes data, packet_info *pinfo, const tcpinfo &tcp) {
  const godot_codec::StreamOptions options{preferred_max_length(), preferred_walk_options(Dialect::godot4)};
  // The debugger's messages are Variants, too, but more than that.
  if (godot_codec::debug_evidence(data, preferred_max_length()).likeness == godot_codec::Likeness::strong) return {};
  StreamPosition &position = position_of(positions_of(pinfo), pinfo, tcp);
  const std::uint32_t seq = tcp.nxtseq - static_cast<std::uint32_t>(data.reported);
  const std::uint32_t headless = headless_length(position, seq, data);
  if (headless > 0) return godot_codec::variant_evidence(data.slice({0, headless}), options.walk);
  position.lone_length = data.reported == godot_codec::stream_prefix_size
                             ? godot_codec::likely_stream_length(data, 0, options.max_length)
                             : 0;
  position.lone_next_seq = tcp.nxtseq;
  return godot_codec::stream_evidence(data, options);
}

ws_bool recognise_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr) return false;
  const auto judge = [&](const godot_codec::Recognition & /*known*/) {
    return judge_stream(bytes_of(tvb), pinfo, *static_cast<const tcpinfo *>(data));
  };
  return tcp_recogniser.recognise(pinfo, tcp_handle, judge) && dissect_godot_tcp(tvb, pinfo, tree, data) > 0;
}

}  // namespace

void register_godot(void (*apply)()) {
  proto_godot = proto_register_protocol("Godot Engine Variant", "Godot", "godot");
  register_fields(proto_godot);
  register_godot_preferences(proto_godot, apply);
  register_variant_packets(proto_godot);
  stream_positions.register_state();
  tcp_recogniser.register_state();
}

void handoff_godot() {
  tcp_handle = create_dissector_handle(dissect_godot_tcp, proto_godot);
  dissector_add_uint_range_with_preference("tcp.port", "", tcp_handle);
  dissector_add_uint_range_with_preference("tls.port", "", create_dissector_handle(dissect_godot_tls, proto_godot));
  heur_dissector_add("tcp", recognise_tcp, "Godot Variants over TCP", "godot_tcp", proto_godot, HEURISTIC_ENABLE);
}

}  // namespace godot_plugin
