// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/tcp.h"

#include <algorithm>
#include <deque>
#include <memory_resource>
#include <optional>
#include <string_view>

#include "godot-codec/debugger/program.h"
#include "plugin/carriers/streams.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/of_capture.h"
#include "plugin/epan/tvb.h"
#include "plugin/epan/user.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/preferences.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::DebugProgram;
using godot_codec::Moment;
using godot_codec::StreamOwner;
using godot_codec::StreamPart;
using godot_codec::StreamPiece;
using godot_codec::StreamReader;

// One for each of several games at once, as the editor takes them. X11 owns them, too.
constexpr const char *debugger_ports = "6007-6013";
constexpr std::uint32_t first_x11_port = 6000;
constexpr std::uint32_t last_x11_port = 6063;

int proto_godot = -1;
int proto_godot_debug = -1;
dissector_table_t tcp_ports;
dissector_handle_t debug_handle;
dissector_handle_t variants_handle;

// ---- what is remembered; written on the first pass only

// All of a capture.
struct TcpState {
  std::pmr::unsynchronized_pool_resource memory;
  std::pmr::deque<Stream> streams{&memory};
  std::size_t followed = 0;  // directions of which before_tcp keeps bytes
};

OfCapture<TcpState> state;

void end_capture() { state.forget(); }

Stream &stream_of(conversation_t *conversation) {
  auto *stream = static_cast<Stream *>(conversation_get_proto_data(conversation, proto_godot_debug));
  if (stream == nullptr) {
    stream = &state->streams.emplace_back(&state->memory);
    conversation_add_proto_data(conversation, proto_godot_debug, stream);
  }
  return *stream;
}

Stream &stream_of(packet_info *pinfo) { return stream_of(find_or_create_conversation(pinfo)); }

// ---- where a part begins

// Streams remember the numbers on the wire, which do not depend on preferences.
StreamPart part_of(packet_info *pinfo, const tcpinfo &tcp, Bytes bytes) {
  // A tvb that was not reassembled ends where its segment ends.
  const std::uint32_t end = tcp.nxtseq + base_of_tcp(pinfo);
  return {end - static_cast<std::uint32_t>(bytes.reported), bytes.reported, tcp.is_reassembled != 0};
}

godot_codec::StreamStart enter(PartAtHand &part, const StreamPart &where) {
  godot_codec::StreamPosition &position = part.stream->positions[direction_of(part.pinfo)];
  if (!may_learn(part.pinfo)) return position.start_at(part.moment);
  if (!position.was_seen()) {
    if (const std::optional<std::uint32_t> first = first_byte_of_tcp(part.pinfo)) position.begin_at(*first);
  }
  part.seq = position.seq_of(where);
  part.newest = position.newest_in(where);
  return position.enter(part.moment, where);
}

// Segments that came in another order than they were sent are read only where the user wants TCP to put them right.
void tell_of_gap(const PartAtHand &part, godot_codec::StreamStart start) {
  if (!start.has_gap || is_order_restored_by_tcp()) return;
  proto_tree_add_expert(part.tree, part.pinfo, &experts.out_of_order, part.tvb, 0, 0);
}

// A part of a stream whose owner is known.
int dissect_owned(const PartAtHand &part, const StreamPart &where, godot_codec::StreamStart start) {
  tell_of_gap(part, start);
  StreamReader reader = reader_of(part, start.is_boundary, start.is_big_endian);
  dissect_pieces(part, reader);
  if (may_learn(part.pinfo)) part.stream->positions[direction_of(part.pinfo)].leave(where, reader);
  return static_cast<int>(tvb_captured_length(part.tvb));
}

// @returns 0 for a segment that came before the stream had an owner, if nothing was kept of it
int dissect_stream(PartAtHand &part, const StreamPart &where) {
  Stream &stream = *part.stream;
  if (stream.chooser.is_taken_back()) return 0;
  godot_codec::StreamJoin &joined = stream.joins[direction_of(part.pinfo)];
  if (!where.is_reassembled) {
    if (may_learn(part.pinfo)) joined.follow(part.moment, where.seq, bytes_of(part.tvb));
    const godot_codec::StreamJoin::Segment segment = joined.find(part.moment, where.seq, where.length);
    if (segment.is_covered) return dissect_joined(part, where, segment);
  }
  if (stream.chooser.owner() == part.owner && part.moment < stream.chooser.since()) return 0;
  return dissect_owned(part, where, enter(part, where));
}

int dissect_variants_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0 || data == nullptr) return 0;
  PartAtHand part = begin_part(tvb, pinfo, tree, StreamOwner::variants, &stream_of(pinfo));
  return dissect_stream(part, part_of(pinfo, *static_cast<const tcpinfo *>(data), bytes_of(tvb)));
}

// ---- what one segment says

Switch debugger_switch("godot_debug_tcp");
Switch variants_switch("godot_tcp");

godot_codec::StreamOwners candidates() { return {debugger_switch.is_on(), variants_switch.is_on()}; }

bool may_begin(Bytes payload) {
  return godot_codec::may_begin_packet(
      payload, std::max(max_length_of(StreamOwner::debugger), max_length_of(StreamOwner::variants)));
}

std::optional<StreamOwner> owner_alone(Bytes payload) {
  if (!may_begin(payload)) return std::nullopt;
  godot_codec::StreamChooser chooser(stream_rules(), &state->memory, true);
  return chooser.add(0, {}, 0, payload, candidates(), preferred_read_options());
}

// ---- the debugger's ports

// On X11's ports what is no debugger's is X11's, as it would be without us. X11 has no dissector by name, but its first
// port is none of ours.
// @param is_other it is no debugger's for sure
int dissect_other(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, bool is_other) {
  const auto is_x11 = [](std::uint32_t port) { return port >= first_x11_port && port <= last_x11_port; };
  if (!is_x11(pinfo->srcport) && !is_x11(pinfo->destport)) return 0;
  dissector_handle_t x11 = dissector_get_uint_handle(tcp_ports, first_x11_port);
  if (x11 == nullptr || x11 == debug_handle) return 0;
  // It may ask TCP for more, as if TCP had called it; but not for bytes that may turn out to be a debugger's.
  if (is_other) allow_desegment(pinfo);
  // Undo the layer that epan has added for us: the packet is X11's.
  leave_layer(pinfo, proto_godot_debug);
  return call_dissector_only(x11, tvb, pinfo, tree, data);
}

// Says once of a stream that the port hides what it is.
void tell_of_variants(const PartAtHand &part) {
  Stream &stream = *part.stream;
  const bool is_asked = may_learn(part.pinfo) && stream.misnamed_since == Moment{};
  if (is_asked && owner_alone(bytes_of(part.tvb)) == StreamOwner::variants) stream.misnamed_since = part.moment;
  if (stream.misnamed_since != part.moment) return;
  proto_tree_add_expert(part.tree, part.pinfo, &experts.on_debug_port, part.tvb, 0, 0);
}

// Reads a part for what it says of the next one.
void pass(const PartAtHand &part, const StreamPart &where, godot_codec::StreamStart start) {
  if (!may_learn(part.pinfo)) return;
  StreamReader reader = reader_of(part, start.is_boundary, start.is_big_endian);
  for (StreamPiece piece; reader.next(piece);) continue;
  part.stream->positions[direction_of(part.pinfo)].leave(where, reader);
}

int dissect_debug_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0 || data == nullptr) return 0;
  Stream &stream = stream_of(pinfo);
  PartAtHand part = begin_part(tvb, pinfo, tree, StreamOwner::debugger, &stream);
  const StreamPart where = part_of(pinfo, *static_cast<const tcpinfo *>(data), bytes_of(tvb));
  const bool is_chosen = stream.chooser.owner() == StreamOwner::debugger;
  if (is_chosen || stream.program.at(part.moment) == DebugProgram::Kind::debugger) return dissect_stream(part, where);
  const godot_codec::StreamStart start = enter(part, where);
  if (may_learn(pinfo)) {
    stream.program.learn(part.moment, bytes_of(tvb), start.is_boundary, options_of(StreamOwner::debugger));
  }
  const DebugProgram::Kind kind = stream.program.at(part.moment);
  if (kind == DebugProgram::Kind::debugger) return dissect_owned(part, where, start);
  pass(part, where, start);
  const int taken = dissect_other(tvb, pinfo, tree, data, kind == DebugProgram::Kind::other);
  if (taken == 0) tell_of_variants(part);
  return taken;
}

// ---- recognised without being told

// From the first segment that was kept on, the stream is the owner's; from there on it gets the stream's segments
// without the heuristics being asked, whatever the ports are. Those before are shown on later passes.
void pin(Stream &stream, packet_info *pinfo, StreamOwner owner, std::uint32_t seq) {
  conversation_t *conversation = find_or_create_conversation(pinfo);
  conversation_set_dissector_from_frame_number(conversation, conversation->setup_frame,
                                               owner == StreamOwner::debugger ? debug_handle : variants_handle);
  const unsigned direction = direction_of(pinfo);
  const unsigned other = 1 - direction;
  stream.positions[direction].begin_at(seq);
  stream.chooser.hand_over(stream.joins[direction], direction, true);
  stream.chooser.hand_over(stream.joins[other], other, false);
  const godot_codec::StreamJoin &joined = stream.joins[other];
  if (joined.kept() > 0 && !joined.is_open()) stream.positions[other].begin_at(joined.end_seq());
}

// A segment of a stream that was taken back: where messages begin in it later passes ask, if it gets its owner again.
void pass_over(Stream &stream, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const StreamPart &where) {
  PartAtHand part = begin_part(tvb, pinfo, tree, StreamOwner::variants, &stream);
  pass(part, where, enter(part, where));
}

// Each candidate has a switch of its own in epan's list; whichever is asked first asks for all.
ws_bool recognise(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr || !may_learn(pinfo) || is_decided_by_user(pinfo)) return false;
  const auto &tcp = *static_cast<const tcpinfo *>(data);
  if (tcp.is_reassembled != 0 || tvb_reported_length(tvb) == 0) return false;
  Stream &stream = stream_of(pinfo);
  const Bytes bytes = bytes_of(tvb);
  const StreamPart where = part_of(pinfo, tcp, bytes);
  const std::uint32_t seq = where.seq;
  if (stream.chooser.owner() || (stream.asked_packet == pinfo->num && stream.asked_seq == seq)) return false;
  stream.asked_packet = pinfo->num;
  stream.asked_seq = seq;
  const bool was_owned = stream.chooser.is_taken_back();
  const std::optional<StreamOwner> owner =
      stream.chooser.add(direction_of(pinfo), {pinfo->num, 0}, seq, bytes, candidates(), preferred_read_options());
  if (!owner && was_owned) pass_over(stream, tvb, pinfo, tree, where);
  if (!owner) return false;
  pin(stream, pinfo, *owner, seq);
  PartAtHand part = begin_part(tvb, pinfo, tree, *owner, &stream);
  return dissect_stream(part, where) > 0;
}

// ---- where another protocol owns the port: before TCP gets a segment

// @returns whether the stream has an owner now
bool offer_before_tcp(Stream &stream, unsigned direction, Moment moment, std::uint32_t seq, Bytes payload) {
  godot_codec::StreamChooser &chooser = *stream.before_tcp;
  state->followed -= chooser.is_followed(direction) ? 1 : 0;
  if (!chooser.add(direction, moment, seq, payload, candidates(), preferred_read_options())) {
    state->followed += chooser.is_followed(direction) ? 1 : 0;
    return false;
  }
  state->followed -= chooser.is_followed(1 - direction) ? 1 : 0;
  stream.chooser = std::move(chooser);
  stream.before_tcp.reset();
  return true;
}

// A WebSocket begins with a request of HTTP's, which the owner of the port would make nothing of.
bool is_upgrade(Bytes payload) {
  constexpr std::string_view method = "GET ";
  constexpr std::string_view header = "upgrade: websocket\r\n";
  const std::string_view text(reinterpret_cast<const char *>(payload.data), payload.captured);
  if (!text.starts_with(method)) return false;
  const auto is_alike = [](char one, char other) { return g_ascii_tolower(one) == other; };
  return std::search(text.begin(), text.end(), header.begin(), header.end(), is_alike) != text.end();
}

}  // namespace

// HTTP's own heuristic does so where no other protocol owns the port.
bool claim_upgrade(tvbuff_t *payload, packet_info *pinfo) {
  if (!is_upgrade(bytes_of(payload))) return false;
  static auto *const http = find_dissector("http-over-tcp");
  dissector_handle_t owner = dissector_get_uint_handle(tcp_ports, pinfo->destport);
  const auto is_http = [](dissector_handle_t handle) {
    return handle != nullptr &&
           dissector_handle_get_protocol_index(handle) == dissector_handle_get_protocol_index(http);
  };
  if (http == nullptr || is_http(owner)) return false;
  conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo), pinfo->num, http);
  return true;
}

bool may_claim_segment(Bytes payload) { return state->followed > 0 || may_begin(payload) || is_upgrade(payload); }

void claim_segment(tvbuff_t *payload, packet_info *pinfo, std::uint32_t seq) {
  const Bytes bytes = bytes_of(payload);
  const bool is_begun = may_begin(bytes);
  // A conversation is TCP's to make, but where there is no doubt.
  conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
  if (conversation == nullptr && !owner_alone(bytes)) return;
  Stream &stream = conversation == nullptr ? stream_of(pinfo) : stream_of(conversation);
  if (stream.chooser.owner()) return;
  if (!stream.before_tcp) {
    if (!is_begun) return;
    stream.before_tcp.emplace(stream_rules(), &state->memory, true);
  }
  const unsigned direction = direction_of(pinfo);
  if (!is_begun && !stream.before_tcp->is_followed(direction)) return;
  if (!offer_before_tcp(stream, direction, {pinfo->num, 0}, seq, bytes)) return;
  end_message_of_tcp(pinfo, seq);
  pin(stream, pinfo, *stream.chooser.owner(), seq);
}

void register_tcp() { register_cleanup_routine(guarded<end_capture>); }

void handoff_tcp() {
  proto_godot = proto_get_id_by_filter_name("godot");
  proto_godot_debug = proto_get_id_by_filter_name("godot_debug");
  debug_handle = register_dissector("godot_debug", guarded<dissect_debug_tcp>, proto_godot_debug);
  variants_handle = register_dissector("godot_tcp", guarded<dissect_variants_tcp>, proto_godot);
  tcp_ports = find_dissector_table("tcp.port");
  dissector_add_uint_range_with_preference("tcp.port", debugger_ports, debug_handle);
  dissector_add_uint_range_with_preference("tcp.port", "", variants_handle);
  debugger_switch.register_with("tcp", guarded<recognise>, "Godot Remote Debugger over TCP", proto_godot_debug);
  variants_switch.register_with("tcp", guarded<recognise>, "Godot Variants over TCP", proto_godot);
}

}  // namespace godot_plugin
