// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/tcp.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory_resource>
#include <optional>

#include "godot-codec/debugger/program.h"
#include "godot-codec/recognise/stream_chooser.h"
#include "godot-codec/stream/session.h"
#include "plugin/carriers/pins.h"
#include "plugin/debugger/packet-godot_debug.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/message.h"
#include "plugin/epan/of_packet.h"
#include "plugin/epan/user.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/preferences.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::DebugProgram;
using godot_codec::Moment;
using godot_codec::StreamOwner;
using godot_codec::StreamPart;
using godot_codec::StreamPiece;
using godot_codec::StreamReader;
using godot_codec::StreamRule;

// Godot's own buffer has so many bytes (RemoteDebuggerPeerTCP).
constexpr std::uint32_t max_debug_packet = 8U << 20;
// One for each of several games at once, as the editor takes them. X11 owns them, too.
constexpr const char *debugger_ports = "6007-6013";
constexpr std::uint32_t first_x11_port = 6000;
constexpr std::uint32_t last_x11_port = 6063;

int proto_godot = -1;
int proto_godot_debug = -1;
dissector_table_t tcp_ports;
dissector_handle_t debug_handle;
dissector_handle_t variants_handle;
// TCP's preferences.
pref_t *order_restored;
pref_t *sequence_numbers_analyzed;
pref_t *sequence_numbers_relative;
dissector_handle_t debug_tls_handle;
dissector_handle_t variants_tls_handle;

// ---- who may have sent a stream

struct StreamProtocol {
  const char *column;  // the protocol's name in the list
  godot_codec::MeasureMessage measure;
  void (*dissect)(const Message &message, packet_info *pinfo, proto_tree *tree);
};

void dissect_variant(const Message &message, packet_info *pinfo, proto_tree *tree) {
  dissect_variant_packet(message, pinfo, tree, godot_codec::stream_prefix_size);
}

constexpr StreamProtocol debugger_protocol = {"GodotDebug", godot_codec::measure_debug_message, dissect_debug_message};
constexpr StreamProtocol variants_protocol = {"Godot", godot_codec::measure_packet, dissect_variant};

const StreamProtocol &protocol_of(StreamOwner owner) {
  return owner == StreamOwner::debugger ? debugger_protocol : variants_protocol;
}

int proto_of(StreamOwner owner) { return owner == StreamOwner::debugger ? proto_godot_debug : proto_godot; }

std::uint32_t max_length_of(StreamOwner owner) {
  return owner == StreamOwner::debugger ? max_debug_packet : preferred_max_length();
}

// By StreamOwner.
godot_codec::StreamRules stream_rules() {
  return {StreamRule{godot_codec::measure_debug_message, max_length_of(StreamOwner::debugger)},
          StreamRule{godot_codec::measure_packet, max_length_of(StreamOwner::variants)}};
}

godot_codec::StreamOptions options_of(StreamOwner owner) { return {max_length_of(owner), preferred_read_options()}; }

// ---- what is remembered; written on the first pass only

struct Stream {
  explicit Stream(std::pmr::memory_resource *memory)
      : chooser(stream_rules(), memory),
        positions{godot_codec::StreamPosition(memory), godot_codec::StreamPosition(memory)},
        joins{godot_codec::StreamJoin(memory), godot_codec::StreamJoin(memory)} {}

  godot_codec::StreamChooser chooser;
  std::optional<godot_codec::StreamChooser> before_tcp;  // on a port that another protocol owns
  std::array<godot_codec::StreamPosition, 2> positions;  // by direction_of()
  std::array<godot_codec::StreamJoin, 2> joins;          // likewise
  DebugProgram program;
  std::uint32_t asked_packet = 0;  // the newest segment that the chooser was asked about
  std::uint32_t asked_seq = 0;
};

// A part of what TLS carries, and where it is in its direction.
struct Place {
  Moment moment;
  std::uint32_t seq;
};

// What TLS carries has no numbers that could be asked for, and comes in order: parts are counted here.
struct TlsStream {
  explicit TlsStream(std::pmr::memory_resource *memory) : stream(memory), places(memory) {}

  Stream stream;
  std::array<std::uint32_t, 2> next_seq{};  // by direction_of()
  std::pmr::vector<Place> places;           // of the parts that joins may be asked about
  const tvbuff_t *asked = nullptr;          // the newest part that the chooser was asked about, of asked_packet
};

// All of a capture.
struct Session {
  std::pmr::unsynchronized_pool_resource memory;
  std::pmr::deque<Stream> streams{&memory};
  std::pmr::deque<TlsStream> tls_streams{&memory};
  std::size_t followed = 0;  // directions of which before_tcp keeps bytes
};

Session *session;

void begin_session() { session = new Session; }

void end_session() {
  delete session;
  session = nullptr;
}

Stream &stream_of(packet_info *pinfo) {
  conversation_t *conversation = find_or_create_conversation(pinfo);
  auto *stream = static_cast<Stream *>(conversation_get_proto_data(conversation, proto_godot_debug));
  if (stream == nullptr) {
    stream = &session->streams.emplace_back(&session->memory);
    conversation_add_proto_data(conversation, proto_godot_debug, stream);
  }
  return *stream;
}

// Of the conversation whose packets carry TLS.
struct OfTls {
  TlsStream *stream;
};
ByConversation<OfTls> tls_streams;

TlsStream &tls_stream_of(packet_info *pinfo) {
  OfTls &of = tls_streams.of(find_or_create_conversation(pinfo));
  if (of.stream == nullptr) of.stream = &session->tls_streams.emplace_back(&session->memory);
  return *of.stream;
}

// What has been met of a packet, in this pass.
struct Met {
  std::uint32_t parts;
  std::uint32_t messages;
};

// ---- a part of a stream

// What is at hand while it is read.
struct Part {
  tvbuff_t *tvb;
  packet_info *pinfo;
  proto_tree *tree;
  StreamOwner owner;
  Met *met;
  Stream *stream;
  Moment moment;
  std::uint32_t seq;  // of the tvb's first byte
  std::size_t head;   // bytes in front that came earlier, and that epan does not know of
};

// What tcp_dissect_pdus() hands to its callbacks.
struct OneMessage {
  const Part *part;
  unsigned length;
};

unsigned length_of_message(packet_info * /*pinfo*/, tvbuff_t * /*tvb*/, int /*offset*/, void *data) {
  return static_cast<const OneMessage *>(data)->length;
}

int dissect_one_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const Part &part = *static_cast<const OneMessage *>(data)->part;
  const bool is_early = part.moment < part.stream->chooser.since();
  const Message message{tvb, Carrier::stream, {pinfo->num, part.met->messages++}, is_early};
  protocol_of(part.owner).dissect(message, pinfo, tree);
  return static_cast<int>(tvb_captured_length(tvb));
}

// TCP counts messages, and catches what one of them may throw.
// @param length on the wire, of which there may be less
void dissect_message(const Part &part, std::size_t offset, std::size_t available, std::size_t length) {
  const Bytes bytes = bytes_of(part.tvb).slice({offset, available});
  if (bytes.captured == 0) return;
  tvbuff_t *tvb = tvb_new_subset_length_caplen(part.tvb, static_cast<int>(offset), static_cast<int>(bytes.captured),
                                               static_cast<int>(length));
  OneMessage message{&part, static_cast<unsigned>(length)};
  tcp_dissect_pdus(tvb, part.pinfo, part.tree, false, 1, length_of_message, dissect_one_message, &message);
}

void dissect_skipped(const Part &part, godot_codec::Range range) {
  const auto count = static_cast<std::uint32_t>(range.length);
  const Message message{part.tvb, Carrier::stream, {part.pinfo->num, part.met->messages++}, false};
  tell_message(part.pinfo, message, protocol_of(part.owner).column,
               wmem_strdup_printf(part.pinfo->pool, "%u bytes passed over", count));
  if (FrameRecord *record = counting_record(part.pinfo); record != nullptr) {
    record->carried += range.length;
    record->cost(Cost::other) += count;
  }
  const int offset = static_cast<int>(range.offset);
  const int length = std::min(static_cast<int>(range.length), tvb_captured_length_remaining(part.tvb, offset));
  proto_item *item = proto_tree_add_item(part.tree, proto_of(part.owner), part.tvb, offset, length, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, subtrees.packet);
  proto_item *skipped = proto_tree_add_item(tree, fields.skipped, part.tvb, offset, length, ENC_NA);
  expert_add_info(part.pinfo, skipped, &experts.skipped);
  proto_item_set_generated(proto_tree_add_uint(tree, fields.skipped_length, part.tvb, 0, 0, count));
}

// epan puts a message together again with each segment that is asked for. One that is longer, and of which it is not
// known how long it is, is put together here.
constexpr std::size_t max_asked = std::size_t{64} << 10;

bool is_joined_here(const StreamPiece &piece) { return !piece.extent.is_exact && piece.range.length > max_asked; }

void begin_join(const Part &part, const StreamPiece &piece) {
  if (!may_learn(part.pinfo)) return;
  const StreamRule rule{protocol_of(part.owner).measure, max_length_of(part.owner)};
  const std::uint32_t seq = part.seq + static_cast<std::uint32_t>(piece.range.offset);
  const Bytes bytes = bytes_of(part.tvb).slice(piece.range);
  part.stream->joins[direction_of(part.pinfo)].begin(part.moment, rule, seq, bytes, bytes.captured, true);
}

// A message goes on behind the segment. @returns whether there will be more of it
bool ask_for_more(const Part &part, const StreamPiece &piece) {
  const Bytes bytes = bytes_of(part.tvb);
  if (part.pinfo->can_desegment == 0 || bytes.captured < bytes.reported) return false;
  if (FrameRecord *record = begun_record(part.pinfo); record != nullptr) record->has_part = true;
  part.pinfo->desegment_offset = static_cast<int>(piece.range.offset - part.head);
  part.pinfo->desegment_len = piece.extent.is_exact
                                  ? static_cast<std::uint32_t>(piece.extent.length - piece.range.length)
                                  : static_cast<std::uint32_t>(DESEGMENT_ONE_MORE_SEGMENT);
  return true;
}

// A message of which a part came before the stream was known to be its protocol's: it is shown where it ends.
void tell_of_part(const Part &part) {
  col_set_str(part.pinfo->cinfo, COL_PROTOCOL, protocol_of(part.owner).column);
  if (FrameRecord *record = counting_record(part.pinfo); record != nullptr) record->has_part = true;
  if (part.tree == nullptr) return;
  const int offset = static_cast<int>(part.head);
  proto_item *item = proto_tree_add_item(part.tree, proto_of(part.owner), part.tvb, offset, -1, ENC_NA);
  proto_item_append_text(item, ": part of a message");
}

void dissect_piece(const Part &part, const StreamPiece &piece) {
  const std::size_t offset = piece.range.offset;
  switch (piece.kind) {
    case StreamPiece::Kind::message:
    case StreamPiece::Kind::broken:
      return dissect_message(part, offset, piece.range.length, piece.range.length);
    case StreamPiece::Kind::skipped:
      return dissect_skipped(part, piece.range);
    case StreamPiece::Kind::unfinished:
      if (offset < part.head) return tell_of_part(part);
      if (is_joined_here(piece)) {
        begin_join(part, piece);
        return tell_of_part(part);
      }
      if (ask_for_more(part, piece)) return;
      return dissect_message(part, offset, piece.range.length, std::max(piece.range.length, piece.extent.length));
  }
}

void dissect_pieces(const Part &part, StreamReader &reader) {
  for (StreamPiece piece; reader.next(piece);) dissect_piece(part, piece);
}

StreamReader reader_of(const Part &part, bool is_boundary) {
  return {bytes_of(part.tvb), is_boundary, options_of(part.owner), protocol_of(part.owner).measure};
}

// The head of a message and the segment in which it goes on, as one.
tvbuff_t *join(tvbuff_t *segment, packet_info *pinfo, Bytes head) {
  if (head.captured == 0) return segment;
  const Bytes rest = bytes_of(segment);
  const std::size_t length = head.captured + rest.captured;
  auto *memory = static_cast<std::uint8_t *>(wmem_alloc(pinfo->pool, length));
  std::copy_n(head.data, head.captured, memory);
  std::copy_n(rest.data, rest.captured, memory + head.captured);
  tvbuff_t *joined = tvb_new_child_real_data(segment, memory, static_cast<unsigned>(length),
                                             static_cast<int>(head.captured + rest.reported));
  add_new_data_source(pinfo, joined, "Message begun earlier");
  return joined;
}

// ---- where a part begins

bool is_set(pref_t *preference) { return preference != nullptr && prefs_get_bool_value(preference, pref_current) != 0; }

// Whether the user wants numbers that begin at 1.
bool is_relative() { return is_set(sequence_numbers_analyzed) && is_set(sequence_numbers_relative); }

// What TCP takes off a direction's numbers, if the user wants it: the number of its SYN, or of the one that was looked
// at last. What is remembered here goes by the numbers on the wire, which stay.
std::uint32_t base_of(packet_info *pinfo) {
  const tcp_analysis *tcp = get_tcp_conversation_data(nullptr, pinfo);
  return !is_relative() || tcp == nullptr || tcp->fwd == nullptr ? 0 : tcp->fwd->base_seq;
}

// The first byte of a direction, where its SYN was seen.
bool find_first_byte(packet_info *pinfo, std::uint32_t &start) {
  constexpr unsigned has_syn = 0x01;  // of packet-tcp.c's TCP_COMPLETENESS_*
  const tcp_analysis *tcp = get_tcp_conversation_data(nullptr, pinfo);
  if (tcp == nullptr || tcp->fwd == nullptr || (tcp->conversation_completeness & has_syn) == 0) return false;
  start = tcp->fwd->base_seq + 1;
  return true;
}

StreamPart part_of(packet_info *pinfo, const tcpinfo &tcp, Bytes bytes) {
  // What is not reassembled is the end of a segment.
  const std::uint32_t end = tcp.nxtseq + base_of(pinfo);
  return {end - static_cast<std::uint32_t>(bytes.reported), bytes.reported, tcp.is_reassembled != 0};
}

godot_codec::StreamStart enter(Part &part, const StreamPart &where) {
  godot_codec::StreamPosition &position = part.stream->positions[direction_of(part.pinfo)];
  if (!may_learn(part.pinfo)) return position.start_at(part.moment);
  std::uint32_t first = 0;
  if (!position.was_seen() && find_first_byte(part.pinfo, first)) position.begin_at(first);
  part.seq = position.seq_of(where);
  return position.enter(part.moment, where);
}

// Segments that came in another order than they were sent are read only where the user wants TCP to put them right.
void tell_of_gap(const Part &part, godot_codec::StreamStart start) {
  if (!start.has_gap || is_set(order_restored)) return;
  proto_tree_add_expert(part.tree, part.pinfo, &experts.out_of_order, part.tvb, 0, 0);
}

// A part of a stream whose owner is known.
int dissect_owned(const Part &part, const StreamPart &where, godot_codec::StreamStart start) {
  tell_of_gap(part, start);
  StreamReader reader = reader_of(part, start.is_boundary);
  dissect_pieces(part, reader);
  if (may_learn(part.pinfo)) part.stream->positions[direction_of(part.pinfo)].leave(where, reader);
  return static_cast<int>(tvb_captured_length(part.tvb));
}

// A segment whose messages are put together here.
int dissect_joined(Part part, const StreamPart &where, const godot_codec::StreamJoin::Segment &segment) {
  const int length = static_cast<int>(tvb_captured_length(part.tvb));
  if (segment.is_quiet) {
    tell_of_part(part);
    return length;
  }
  part.head = segment.head.captured;
  part.seq = where.seq - static_cast<std::uint32_t>(part.head);
  part.tvb = join(part.tvb, part.pinfo, segment.head);
  StreamReader reader = reader_of(part, true);
  dissect_pieces(part, reader);
  const unsigned direction = direction_of(part.pinfo);
  if (may_learn(part.pinfo) && !part.stream->joins[direction].is_open()) {
    part.stream->positions[direction].leave({part.seq, where.length + part.head, false}, reader);
  }
  return length;
}

// @returns 0 for a segment that came before the stream had an owner, if nothing was kept of it
int dissect_stream(Part &part, const StreamPart &where) {
  Stream &stream = *part.stream;
  godot_codec::StreamJoin &joined = stream.joins[direction_of(part.pinfo)];
  if (!where.is_reassembled) {
    if (may_learn(part.pinfo)) joined.follow(part.moment, where.seq, bytes_of(part.tvb));
    const godot_codec::StreamJoin::Segment segment = joined.find(part.moment, where.seq, where.length);
    if (segment.is_covered) return dissect_joined(part, where, segment);
  }
  if (stream.chooser.owner() == part.owner && part.moment < stream.chooser.since()) return 0;
  return dissect_owned(part, where, enter(part, where));
}

Part begin_part(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, StreamOwner owner, Stream *stream) {
  Met *met = &of_packet<Met>(pinfo, proto_godot_debug, OfPacket::stream_parts);
  const Moment moment{pinfo->num, met->parts++};
  return {tvb, pinfo, tree, owner, met, stream, moment, 0, 0};
}

int dissect_variants_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0 || data == nullptr) return 0;
  Part part = begin_part(tvb, pinfo, tree, StreamOwner::variants, &stream_of(pinfo));
  return dissect_stream(part, part_of(pinfo, *static_cast<const tcpinfo *>(data), bytes_of(tvb)));
}

// ---- inside of TLS: nothing is lost, what could not be decrypted does not get here

// More parts are not kept while nobody has the stream: what came that long ago is not kept either.
constexpr std::size_t max_places = 1024;

void keep_place(TlsStream &tls, Moment moment, std::uint32_t seq) {
  if (tls.places.size() >= max_places && !tls.stream.chooser.owner()) {
    tls.places.erase(tls.places.begin(), tls.places.begin() + max_places / 2);
  }
  tls.places.push_back({moment, seq});
}

std::optional<std::uint32_t> place_of(const TlsStream &tls, Moment moment) {
  const auto found = std::ranges::lower_bound(tls.places, moment, {}, &Place::moment);
  if (found == tls.places.end() || found->moment != moment) return std::nullopt;
  return found->seq;
}

std::uint32_t count_part(TlsStream &tls, const Part &part) {
  std::uint32_t &next = tls.next_seq[direction_of(part.pinfo)];
  const std::uint32_t seq = next;
  next += static_cast<std::uint32_t>(bytes_of(part.tvb).reported);
  return seq;
}

// @returns 0 for a part that came before the stream had an owner, if nothing was kept of it
int dissect_tls_part(TlsStream &tls, Part &part, std::optional<std::uint32_t> place) {
  godot_codec::StreamJoin &joined = tls.stream.joins[direction_of(part.pinfo)];
  if (place) {
    const StreamPart where{*place, bytes_of(part.tvb).reported, false};
    const godot_codec::StreamJoin::Segment segment = joined.find(part.moment, where.seq, where.length);
    if (segment.is_covered) return dissect_joined(part, where, segment);
  }
  if (tls.stream.chooser.owner() == part.owner && part.moment < tls.stream.chooser.since()) return 0;
  StreamReader reader = reader_of(part, true);
  dissect_pieces(part, reader);
  return static_cast<int>(tvb_captured_length(part.tvb));
}

template <StreamOwner owner>
int dissect_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  if (tvb_reported_length(tvb) == 0) return 0;
  TlsStream &tls = tls_stream_of(pinfo);
  Part part = begin_part(tvb, pinfo, tree, owner, &tls.stream);
  if (!may_learn(pinfo)) return dissect_tls_part(tls, part, place_of(tls, part.moment));
  part.seq = count_part(tls, part);
  godot_codec::StreamJoin &joined = tls.stream.joins[direction_of(pinfo)];
  if (!joined.is_open()) return dissect_tls_part(tls, part, std::nullopt);
  keep_place(tls, part.moment, part.seq);
  joined.follow(part.moment, part.seq, bytes_of(tvb));
  return dissect_tls_part(tls, part, part.seq);
}

// ---- the debugger's ports

// What is somebody else's has not been ours: frame.protocols and the numbers of layers are as if nobody had asked us.
void leave_layers(packet_info *pinfo) {
  wmem_list_frame_t *last = wmem_list_tail(pinfo->layers);
  if (last == nullptr || GPOINTER_TO_INT(wmem_list_frame_data(last)) != proto_godot_debug) return;
  wmem_list_remove_frame(pinfo->layers, last);
  --pinfo->curr_layer_num;
}

// On X11's ports what is no debugger's is X11's, as it would be without us. X11 has no dissector by name, but its first
// port is none of ours.
// @param is_other it is no debugger's for sure
int dissect_other(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, bool is_other) {
  const auto is_x11 = [](std::uint32_t port) { return port >= first_x11_port && port <= last_x11_port; };
  if (!is_x11(pinfo->srcport) && !is_x11(pinfo->destport)) return 0;
  dissector_handle_t x11 = dissector_get_uint_handle(tcp_ports, first_x11_port);
  if (x11 == nullptr || x11 == debug_handle) return 0;
  // It may ask TCP for more, as if TCP had called it; but not for bytes that may turn out to be a debugger's.
  if (is_other) pinfo->can_desegment = pinfo->saved_can_desegment;
  leave_layers(pinfo);
  return call_dissector_only(x11, tvb, pinfo, tree, data);
}

// Reads a part for what it says of the next one.
void pass(const Part &part, const StreamPart &where, godot_codec::StreamStart start) {
  if (!may_learn(part.pinfo)) return;
  StreamReader reader = reader_of(part, start.is_boundary);
  for (StreamPiece piece; reader.next(piece);) continue;
  part.stream->positions[direction_of(part.pinfo)].leave(where, reader);
}

int dissect_debug_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (tvb_reported_length(tvb) == 0 || data == nullptr) return 0;
  Stream &stream = stream_of(pinfo);
  Part part = begin_part(tvb, pinfo, tree, StreamOwner::debugger, &stream);
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
  return dissect_other(tvb, pinfo, tree, data, kind == DebugProgram::Kind::other);
}

// ---- recognised without being told

Switch debugger_switch("godot_debug_tcp");
Switch variants_switch("godot_tcp");

godot_codec::StreamOwners candidates() { return {debugger_switch.is_on(), variants_switch.is_on()}; }

Switch debugger_tls_switch("godot_debug_tls");
Switch variants_tls_switch("godot_tls");
dissector_table_t tls_ports;

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

// Each candidate has a switch of its own in epan's list; whichever is asked first asks for all.
ws_bool recognise(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr || !may_learn(pinfo) || is_decided_by_user(pinfo)) return false;
  const auto &tcp = *static_cast<const tcpinfo *>(data);
  if (tcp.is_reassembled != 0 || tvb_reported_length(tvb) == 0) return false;
  Stream &stream = stream_of(pinfo);
  const Bytes bytes = bytes_of(tvb);
  const std::uint32_t seq = part_of(pinfo, tcp, bytes).seq;
  if (stream.chooser.owner() || (stream.asked_packet == pinfo->num && stream.asked_seq == seq)) return false;
  stream.asked_packet = pinfo->num;
  stream.asked_seq = seq;
  const std::optional<StreamOwner> owner =
      stream.chooser.add(direction_of(pinfo), {pinfo->num, 0}, seq, bytes, candidates(), preferred_read_options());
  if (!owner) return false;
  pin(stream, pinfo, *owner, seq);
  Part part = begin_part(tvb, pinfo, tree, *owner, &stream);
  return dissect_stream(part, part_of(pinfo, tcp, bytes)) > 0;
}

// ---- where another protocol owns the port: before TCP gets a segment

bool may_begin(Bytes payload) {
  return godot_codec::may_begin_packet(payload, std::max(max_debug_packet, preferred_max_length()));
}

bool tells_alone(Bytes payload) {
  godot_codec::StreamChooser chooser(stream_rules(), &session->memory, true);
  return chooser.add(0, {}, 0, payload, candidates(), preferred_read_options()).has_value();
}

// @returns whether the stream has an owner now
bool offer_before_tcp(Stream &stream, unsigned direction, Moment moment, std::uint32_t seq, Bytes payload) {
  godot_codec::StreamChooser &chooser = *stream.before_tcp;
  session->followed -= chooser.is_followed(direction) ? 1 : 0;
  if (!chooser.add(direction, moment, seq, payload, candidates(), preferred_read_options())) {
    session->followed += chooser.is_followed(direction) ? 1 : 0;
    return false;
  }
  session->followed -= chooser.is_followed(1 - direction) ? 1 : 0;
  stream.chooser = std::move(chooser);
  stream.before_tcp.reset();
  return true;
}

// As TCP will number a segment.
std::uint32_t seq_of_tcp(const tcp_analysis &tcp, std::uint32_t raw) {
  if (!is_relative()) return raw;
  const bool is_first = tcp.fwd->static_flags == 0;
  return is_first ? 1 : raw - tcp.fwd->base_seq;
}

// The owner may wait for the rest of a message that it believes in: no segment from here on is a part of that.
void end_message_of_owner(const tcp_analysis &tcp, std::uint32_t seq) {
  auto *message = static_cast<tcp_multisegment_pdu *>(wmem_tree_lookup32_le(tcp.fwd->multisegment_pdus, seq - 1));
  if (message != nullptr && godot_codec::is_seq_before(seq, message->nxtpdu)) message->nxtpdu = seq;
}

// Likewise. The session's owner gets all that follows, and on later passes all that came before.
ws_bool recognise_in_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr || !may_learn(pinfo) || tvb_reported_length(tvb) == 0) return false;
  if (dissector_is_uint_changed(tls_ports, pinfo->srcport) || dissector_is_uint_changed(tls_ports, pinfo->destport)) {
    return false;
  }
  TlsStream &tls = tls_stream_of(pinfo);
  if (tls.stream.chooser.owner() || (tls.stream.asked_packet == pinfo->num && tls.asked == tvb)) return false;
  tls.stream.asked_packet = pinfo->num;
  tls.asked = tvb;
  // The owner is not known yet, but counts the parts.
  Part part = begin_part(tvb, pinfo, tree, StreamOwner::variants, &tls.stream);
  part.seq = count_part(tls, part);
  keep_place(tls, part.moment, part.seq);
  const unsigned direction = direction_of(pinfo);
  const std::optional<StreamOwner> owner =
      tls.stream.chooser.add(direction, part.moment, part.seq, bytes_of(tvb),
                             {debugger_tls_switch.is_on(), variants_tls_switch.is_on()}, preferred_read_options());
  if (!owner) return false;
  part.owner = *owner;
  tls.stream.chooser.hand_over(tls.stream.joins[direction], direction, true);
  tls.stream.chooser.hand_over(tls.stream.joins[1 - direction], 1 - direction, false);
  *ws_tls_owner(data) = *owner == StreamOwner::debugger ? debug_tls_handle : variants_tls_handle;
  return dissect_tls_part(tls, part, part.seq) > 0;
}

}  // namespace

bool may_claim_segment(Bytes payload) { return session->followed > 0 || may_begin(payload); }

void claim_segment(tvbuff_t *payload, packet_info *pinfo, std::uint32_t seq) {
  const Bytes bytes = bytes_of(payload);
  const bool is_begun = may_begin(bytes);
  // A conversation is TCP's to make, but where there is no doubt.
  if (find_conversation_pinfo(pinfo, 0) == nullptr && !(is_begun && tells_alone(bytes))) return;
  Stream &stream = stream_of(pinfo);
  if (stream.chooser.owner()) return;
  if (!stream.before_tcp) {
    if (!is_begun) return;
    stream.before_tcp.emplace(stream_rules(), &session->memory, true);
  }
  const unsigned direction = direction_of(pinfo);
  if (!is_begun && !stream.before_tcp->is_followed(direction)) return;
  if (!offer_before_tcp(stream, direction, {pinfo->num, 0}, seq, bytes)) return;
  const tcp_analysis &tcp = *get_tcp_conversation_data(nullptr, pinfo);
  end_message_of_owner(tcp, seq_of_tcp(tcp, seq));
  pin(stream, pinfo, *stream.chooser.owner(), seq);
}

void register_tcp() {
  tls_streams.register_state();
  register_init_routine(begin_session);
  register_cleanup_routine(end_session);
}

void handoff_tcp() {
  proto_godot = proto_get_id_by_filter_name("godot");
  proto_godot_debug = proto_get_id_by_filter_name("godot_debug");
  debug_handle = register_dissector("godot_debug", dissect_debug_tcp, proto_godot_debug);
  variants_handle = register_dissector("godot_tcp", dissect_variants_tcp, proto_godot);
  tcp_ports = find_dissector_table("tcp.port");
  module_t *const tcp = prefs_find_module("tcp");
  order_restored = prefs_find_preference(tcp, "reassemble_out_of_order");
  sequence_numbers_analyzed = prefs_find_preference(tcp, "analyze_sequence_numbers");
  sequence_numbers_relative = prefs_find_preference(tcp, "relative_sequence_numbers");
  dissector_add_uint_range_with_preference("tcp.port", debugger_ports, debug_handle);
  dissector_add_uint_range_with_preference("tcp.port", "", variants_handle);
  tls_ports = find_dissector_table("tls.port");
  debug_tls_handle = register_dissector("godot_debug.tls", dissect_tls<StreamOwner::debugger>, proto_godot_debug);
  variants_tls_handle = register_dissector("godot.tls", dissect_tls<StreamOwner::variants>, proto_godot);
  dissector_add_uint_range_with_preference("tls.port", "", debug_tls_handle);
  dissector_add_uint_range_with_preference("tls.port", "", variants_tls_handle);
  debugger_tls_switch.register_with("tls", recognise_in_tls, "Godot Remote Debugger over TLS", proto_godot_debug);
  variants_tls_switch.register_with("tls", recognise_in_tls, "Godot Variants over TLS", proto_godot);
  debugger_switch.register_with("tcp", recognise, "Godot Remote Debugger over TCP", proto_godot_debug);
  variants_switch.register_with("tcp", recognise, "Godot Variants over TCP", proto_godot);
}

}  // namespace godot_plugin
