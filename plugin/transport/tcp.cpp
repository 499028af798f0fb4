// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/tcp.h"

#include "godot-codec/debugger/stream_state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/statistics/findings.h"
#include "plugin/transport/transports.h"

namespace godot_plugin {
namespace {

using godot_codec::DebugStreamKind;
using godot_codec::StreamChunk;
using godot_codec::StreamProtocol;

// If the editor debugs several games at once, each game has its own port. X11 uses these ports, too.
constexpr const char *debugger_ports = "6007-6013";
constexpr std::uint32_t first_x11_port = 6000;
constexpr std::uint32_t last_x11_port = 6063;

int proto_godot_debug = -1;
dissector_table_t tcp_ports;

int dissect_variants_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0 || data == nullptr) return 0;
  conversation_t *conversation = conversation_of(pinfo);
  SegmentContext segment = begin_segment(tvb, pinfo, tree, StreamProtocol::variants, &tcp_stream_of(conversation));
  return dissect_tcp_stream(segment,
                            tcp_position_of(conversation, pinfo, *static_cast<const tcpinfo *>(data), bytes_of(tvb)));
}

// ---- the debugger's ports

// On X11's ports, passes traffic that is not the debugger's to the X11 dissector. That dissector has no name, so it is
// found by X11's first port, which is not a debugger port.
// @param is_certain true if the traffic certainly is not the debugger's
int dissect_as_x11(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, bool is_certain) {
  const auto is_x11 = [](std::uint32_t port) { return port >= first_x11_port && port <= last_x11_port; };
  if (!is_x11(pinfo->srcport) && !is_x11(pinfo->destport)) return 0;
  dissector_handle_t x11 = dissector_get_uint_handle(tcp_ports, first_x11_port);
  if (x11 == nullptr || x11 == tcp_handle_of(StreamProtocol::debugger)) return 0;
  // Let X11 ask TCP for more bytes, but not while the traffic may still be the debugger's.
  if (is_certain) allow_desegment(pinfo);
  // The packet belongs to X11, so remove the debugger's layer that epan has added.
  remove_last_layer(pinfo, proto_godot_debug);
  return call_dissector_only(x11, tvb, pinfo, tree, data);
}

// Reports that a stream on a debugger port contains Variants, which are not shown on that port. Reports once per
// stream.
void report_variants_on_debug_port(const SegmentContext &segment) {
  StreamState &stream = *segment.stream;
  const bool may_be_first =
      may_update_state(segment.pinfo) && stream.first_variants_position == godot_codec::PacketPosition{};
  if (may_be_first && tcp_protocol_of_segment(bytes_of(segment.tvb)) == StreamProtocol::variants)
    stream.first_variants_position = segment.position;
  if (stream.first_variants_position != segment.position) return;
  proto_item *item = proto_tree_add_expert(segment.tree, segment.pinfo, &experts.on_debug_port, segment.tvb, 0, 0);
  report_finding(segment.pinfo, item, {.expert = &experts.on_debug_port});
}

int dissect_debug_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0 || data == nullptr) return 0;
  conversation_t *conversation = conversation_of(pinfo);
  StreamState &stream = tcp_stream_of(conversation);
  SegmentContext segment = begin_segment(tvb, pinfo, tree, StreamProtocol::debugger, &stream);
  const StreamChunk where = tcp_position_of(conversation, pinfo, *static_cast<const tcpinfo *>(data), bytes_of(tvb));
  const bool is_chosen = stream.detection.protocol() == StreamProtocol::debugger;
  if (is_chosen || stream.debug_program.kind_at(segment.position) == DebugStreamKind::debugger) {
    return dissect_tcp_stream(segment, where);
  }
  const godot_codec::ChunkStart start = find_tcp_message_start(segment, where);
  if (may_update_state(pinfo)) {
    stream.debug_program.update(segment.position, bytes_of(tvb), start.is_boundary,
                                options_of(StreamProtocol::debugger));
  }
  const DebugStreamKind kind = stream.debug_program.kind_at(segment.position);
  if (kind == DebugStreamKind::debugger) return dissect_tcp_from(segment, where, start);
  skip_tcp_segment(segment, where, start);
  const int taken = dissect_as_x11(tvb, pinfo, tree, data, kind == DebugStreamKind::other);
  if (taken == 0) report_variants_on_debug_port(segment);
  return taken;
}

}  // namespace

void handoff_tcp_transport() {
  proto_godot_debug = proto_get_id_by_filter_name("godot_debug");
  tcp_ports = find_dissector_table("tcp.port");
  dissector_handle_t debugger = register_dissector("godot_debug", guarded<dissect_debug_tcp>, proto_godot_debug);
  dissector_handle_t variants =
      register_dissector("godot_tcp", guarded<dissect_variants_tcp>, proto_get_id_by_filter_name("godot"));
  dissector_add_uint_range_with_preference("tcp.port", debugger_ports, debugger);
  dissector_add_uint_range_with_preference("tcp.port", "", variants);
  handoff_tcp_detection();
}

}  // namespace godot_plugin
