// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/packet-godot.h"

#include <algorithm>
#include <array>
#include <cinttypes>

#include "godot-codec/debugger/message.h"
#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/stream.h"
#include "godot-codec/variant/text.h"
#include "plugin/carriers/tcp_stream.h"
#include "plugin/carriers/websocket.h"
#include "plugin/enet/state.h"
#include "plugin/epan/decisions.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/recogniser.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/fields.h"
#include "plugin/multiplayer/packet-godot_mp.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Detection;
using godot_codec::Dialect;
using godot_codec::DialectChoice;
using godot_codec::DialectSet;
using godot_codec::Fit;
using godot_codec::ReadOptions;

constexpr std::size_t max_info = 200;

int proto_godot = -1;
dissector_handle_t text_handle;

// ---- preferences

enum DialectPreference { dialect_auto, dialect_4, dialect_3, dialect_docs };
enum RealPreference { real_flag, real_double };

constexpr std::uint32_t default_max_elements = 1000;
constexpr std::uint32_t default_max_length = 8U << 20;  // of Godot's own encode buffer

int pref_dialect = dialect_auto;
int pref_real = real_flag;
unsigned pref_max_elements = default_max_elements;
unsigned pref_max_length = default_max_length;

// ---- what is remembered; written on the first pass only

// What the packets of one conversation said.
struct Conversation {
  DialectSet known;
  StreamPositions positions;
};
static_assert(std::is_trivially_destructible_v<Conversation>);

// Of other conversations of the same server: DialectSet by transport and port.
wmem_tree_t *servers;

Conversation *conversation_of(packet_info *pinfo) {
  conversation_t *conversation = find_or_create_conversation(pinfo);
  auto *state = static_cast<Conversation *>(conversation_get_proto_data(conversation, proto_godot));
  if (state == nullptr) {
    state = wmem_new0(wmem_file_scope(), Conversation);
    conversation_add_proto_data(conversation, proto_godot, state);
  }
  return state;
}

DialectSet *server_of(const packet_info *pinfo) {
  const std::uint32_t key = static_cast<std::uint32_t>(pinfo->ptype) << 16 | server_port_of(pinfo);
  auto *known = static_cast<DialectSet *>(wmem_tree_lookup32(servers, key));
  if (known == nullptr) {
    known = wmem_new0(wmem_file_scope(), DialectSet);
    wmem_tree_insert32(servers, key, known);
  }
  return known;
}

// ---- one packet

// How a packet is to be read.
struct Reading {
  DialectChoice choice;
  bool is_variant;
};

Reading decide_reading(Bytes packet, packet_info *pinfo, bool is_first_pass) {
  const Detection detection = godot_codec::detect_dialect(packet, preferred_read_options());
  const bool is_variant = detection.fit != Fit::none || godot_codec::has_variant_header(packet);
  if (pref_dialect != dialect_auto) {
    return {{godot_codec::all_dialects[pref_dialect - dialect_4], false}, is_variant};
  }
  Conversation *conversation = conversation_of(pinfo);
  DialectSet *server = server_of(pinfo);
  const DialectSet evidence[] = {conversation->known, *server};
  const Reading reading{godot_codec::choose_dialect(detection, evidence), is_variant};
  if (is_first_pass) {
    conversation->known = godot_codec::add_evidence(conversation->known, detection);
    *server = godot_codec::add_evidence(*server, detection);
  }
  return reading;
}

void set_columns(packet_info *pinfo, std::uint32_t number, const char *info) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot");
  if (proto_is_frame_protocol(pinfo->layers, "enet")) {
    // ENet puts a sentence together of all that a datagram carries.
    col_append_str(pinfo->cinfo, COL_INFO, info);
    return;
  }
  if (number == 0) col_clear(pinfo->cinfo, COL_INFO);
  col_append_sep_str(pinfo->cinfo, COL_INFO, " | ", info);
}

const char *outcome_mark(godot_codec::WalkResult result) {
  if (result.stopped) return "";
  switch (result.outcome) {
    case godot_codec::Outcome::ok:
      return "";
    case godot_codec::Outcome::truncated:
      return " [truncated]";
    case godot_codec::Outcome::unsupported:
      return " [unsupported]";
    case godot_codec::Outcome::over_limit:
      return " [nested too deep]";
    default:
      return " [malformed]";
  }
}

void draw_dialect(tvbuff_t *tvb, proto_tree *tree, const DialectChoice &choice) {
  const char *name = godot_codec::dialect_table(choice.dialect).name.data();
  proto_item *item = proto_tree_add_string(tree, fields.dialect, tvb, 0, 0, name);
  proto_item_set_generated(item);
  proto_tree *guess = proto_item_add_subtree(item, subtrees.dialect);
  proto_item_set_generated(proto_tree_add_boolean(guess, fields.dialect_guessed, tvb, 0, 0, choice.guessed));
}

void draw_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const DialectChoice &choice) {
  draw_dialect(tvb, tree, choice);
  const DrawTarget target{tvb, pinfo, tree, pref_max_elements};
  const godot_codec::WalkResult result = draw_variant(target, 0, {.dialect = choice.dialect}, preferred_read_options());
  const int end = static_cast<int>(result.offset);
  if (result.outcome != godot_codec::Outcome::ok || tvb_reported_length_remaining(tvb, end) <= 0) return;
  proto_item *item =
      proto_tree_add_item(tree, fields.undecoded, tvb, end, tvb_captured_length_remaining(tvb, end), ENC_NA);
  expert_add_info(pinfo, item, &experts.trailing);
}

// "Raw bytes(5) 01 02 03 04 05", or their text.
void append_raw_summary(godot_codec::TextBuffer &buffer, Bytes bytes) {
  constexpr std::size_t max_shown = 32;
  buffer.append("Raw bytes(");
  buffer.append_unsigned(bytes.reported);
  buffer.append(")");
  const std::string_view text{reinterpret_cast<const char *>(bytes.data), bytes.captured};
  if (godot_codec::is_plain_text(text)) {
    buffer.append(" \"");
    buffer.append_escaped(text, true, max_shown);
    buffer.append("\"");
    return;
  }
  for (std::size_t i = 0; i < std::min(bytes.captured, max_shown); ++i) {
    constexpr std::string_view digits = "0123456789abcdef";
    const char hex[] = {' ', digits[bytes.data[i] >> 4], digits[bytes.data[i] & 0xf]};
    buffer.append({hex, sizeof hex});
  }
  if (bytes.captured > max_shown) buffer.append("\u2026");
}

// A packet: @p tvb with its length prefix, if it has one. @p header is the prefix's size.
void dissect_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, int header) {
  tvbuff_t *payload = header == 0 ? tvb : tvb_new_subset_remaining(tvb, header);
  const Bytes bytes = bytes_of(payload);
  const std::uint32_t number = next_in_frame(proto_godot, pinfo, Decided::packet);
  const Reading *reading = decide_once<Reading>(proto_godot, pinfo, Decided::packet, number, [&](bool is_first_pass) {
    return decide_reading(bytes, pinfo, is_first_pass);
  });

  std::array<char, max_info> info;
  godot_codec::TextBuffer buffer(info);
  const char *mark = "";
  if (reading->is_variant) {
    mark = outcome_mark(
        godot_codec::append_summary(buffer, bytes, 0, {.dialect = reading->choice.dialect}, preferred_read_options()));
    if (reading->choice.guessed) mark = " [guessed]";
  } else {
    append_raw_summary(buffer, bytes);
  }
  set_columns(pinfo, number, wmem_strdup_printf(pinfo->pool, "%s%s", info.data(), mark));

  proto_item *item = proto_tree_add_item(root, proto_godot, tvb, 0, -1, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, subtrees.packet);
  if (root != nullptr) {
    proto_item_append_text(item, ": %s%s", info.data(), mark);
    if (header > 0)
      proto_tree_add_uint(tree, fields.length, tvb, 0, header, static_cast<std::uint32_t>(bytes.reported));
  }
  if (!reading->is_variant) {
    expert_add_info(pinfo, item, &experts.not_variant);
    call_data_dissector(payload, pinfo, root);
  } else if (root != nullptr) {
    draw_packet(payload, pinfo, tree, reading->choice);
  }
}

int dissect_godot_datagram(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  if (tvb_reported_length(tvb) == 0) return 0;
  dissect_packet(tvb, pinfo, tree, 0);
  return static_cast<int>(tvb_captured_length(tvb));
}

// A message of ENet's that is nothing but one Variant: ENetPacketPeer.put_var().
Recogniser enet_recogniser;

ws_bool recognise_in_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr) return false;
  const auto &enet = *static_cast<const EnetMessage *>(data);
  // Some bytes are a command of the high-level multiplayer as well. epan asks in an order that changes.
  if (is_mp_message(tvb, pinfo, enet)) return false;
  const ReadOptions options = preferred_read_options();
  const auto judge = [&](const godot_codec::Recognition & /*known*/) {
    return godot_codec::variant_evidence(bytes_of(tvb), options);
  };
  const auto decide = [&](bool is_first_pass) {
    const bool is_godots =
        is_first_pass && (is_mp_game(pinfo, enet) || enet_recogniser.recognise_message(enet.connection, judge));
    return is_godots && godot_codec::detect_dialect(bytes_of(tvb), options).fit == Fit::exact;
  };
  if (!*decide_once<bool>(proto_godot, pinfo, Decided::recognition, enet.number, decide)) return false;
  dissect_packet(tvb, pinfo, tree, 0);
  return true;
}

int dissect_godot_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  if (tvb_reported_length(tvb) == 0) return 0;
  if (text_handle != nullptr && is_websocket_text(tvb)) return call_dissector(text_handle, tvb, pinfo, tree);
  dissect_packet(tvb, pinfo, tree, 0);
  return static_cast<int>(tvb_captured_length(tvb));
}

// WebSocketPeer.put_var(), without being told the port.
Recogniser websocket_recogniser;

ws_bool recognise_in_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  // Text is shown by packet-websocket, as the user wants it.
  if (tvb_reported_length(tvb) == 0 || is_websocket_text(tvb)) return false;
  const auto judge = [&](const godot_codec::Recognition & /*known*/) {
    return godot_codec::variant_evidence(bytes_of(tvb), preferred_read_options());
  };
  const auto decide = [&](bool is_first_pass) {
    return is_first_pass && websocket_recogniser.recognise_message(find_or_create_conversation(pinfo), judge);
  };
  if (!*decide_once<bool>(proto_godot, pinfo, Decided::recognition, layer_of(pinfo), decide)) return false;
  dissect_packet(tvb, pinfo, tree, 0);
  return true;
}

// ---- a stream of packets

unsigned packet_length(packet_info * /*pinfo*/, tvbuff_t *tvb, int offset, void * /*data*/) {
  return godot_codec::stream_prefix_size + tvb_get_letohl(tvb, offset);
}

int dissect_stream_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  dissect_packet(tvb, pinfo, tree, godot_codec::stream_prefix_size);
  return static_cast<int>(tvb_captured_length(tvb));
}

void dissect_skipped(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, godot_codec::Range range) {
  const std::uint32_t number = next_in_frame(proto_godot, pinfo, Decided::packet);
  set_columns(pinfo, number,
              wmem_strdup_printf(pinfo->pool, "%u bytes passed over", static_cast<unsigned>(range.length)));
  if (root != nullptr) draw_skipped(tvb, pinfo, root, proto_godot, range);
}

int dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool is_boundary, void *data) {
  const Bytes bytes = bytes_of(tvb);
  const godot_codec::StreamOptions options{pref_max_length, preferred_read_options()};
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
  const godot_codec::StreamOptions options{pref_max_length, preferred_read_options()};
  const std::uint32_t number = next_in_frame(proto_godot, pinfo, Decided::stream);
  const StreamStart *start =
      decide_once<StreamStart>(proto_godot, pinfo, Decided::stream, number, [&](bool is_first_pass) {
        return find_stream_start(conversation_of(pinfo)->positions, pinfo, *tcp, bytes, options, is_first_pass);
      });
  const int headless = static_cast<int>(start->headless);
  if (headless == 0) return dissect_stream(tvb, pinfo, tree, start->is_boundary, data);
  dissect_packet(tvb_new_subset_length(tvb, 0, headless), pinfo, tree, 0);
  if (tvb_reported_length_remaining(tvb, headless) == 0) return headless;
  const int rest = dissect_stream(tvb_new_subset_remaining(tvb, headless), pinfo, tree, start->is_boundary, data);
  if (pinfo->desegment_len != 0) pinfo->desegment_offset += headless;
  return headless + rest;
}

// Inside of TLS nothing is lost: what could not be decrypted does not get here.
int dissect_godot_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return tvb_reported_length(tvb) == 0 ? 0 : dissect_stream(tvb, pinfo, tree, true, data);
}

WebSocketPorts websocket_ports;

// ---- recognised without being told

Recogniser udp_recogniser;
Recogniser tcp_recogniser;
dissector_handle_t datagram_handle;
dissector_handle_t tcp_handle;

ws_bool recognise_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  const auto judge = [&](const godot_codec::Recognition & /*known*/) {
    return godot_codec::variant_evidence(bytes_of(tvb), preferred_read_options());
  };
  return udp_recogniser.recognise(pinfo, datagram_handle, judge) && dissect_godot_datagram(tvb, pinfo, tree, data) > 0;
}

// What a part of a stream says. A length alone is remembered for the part that follows it.
godot_codec::Evidence judge_stream(Bytes data, packet_info *pinfo, const tcpinfo &tcp) {
  const godot_codec::StreamOptions options{pref_max_length, preferred_read_options()};
  // The debugger's messages are Variants, too, but more than that.
  if (godot_codec::debug_evidence(data, pref_max_length).likeness == godot_codec::Likeness::strong) return {};
  StreamPosition &position = position_of(conversation_of(pinfo)->positions, pinfo, tcp);
  const std::uint32_t seq = tcp.nxtseq - static_cast<std::uint32_t>(data.reported);
  const std::uint32_t headless = headless_length(position, seq, data);
  if (headless > 0) return godot_codec::variant_evidence(data.slice({0, headless}), options.read);
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

void apply_preferences() { websocket_ports.apply(); }

void register_preferences() {
  static const enum_val_t dialects[] = {{"auto", "Automatic", dialect_auto},
                                        {"4", "Godot 4", dialect_4},
                                        {"3", "Godot 3", dialect_3},
                                        {"docs", "Table of the documentation of 4.1 and 4.2", dialect_docs},
                                        {nullptr, nullptr, 0}};
  static const enum_val_t reals[] = {
      {"flag", "By the header's flag", real_flag}, {"double", "Always 64 bits", real_double}, {nullptr, nullptr, 0}};
  module_t *module = prefs_register_protocol(proto_godot, apply_preferences);
  prefs_register_enum_preference(module, "dialect", "Dialect",
                                 "Which version of Godot numbered the types. Automatic goes by the packets.",
                                 &pref_dialect, dialects, false);
  prefs_register_enum_preference(module, "real", "Size of reals",
                                 "How long the numbers in vectors and matrices are: a build of Godot with double "
                                 "precision sends 64 bits, and Godot 4 flags them.",
                                 &pref_real, reals, false);
  prefs_register_uint_preference(module, "max_elements", "Elements shown of a packed array",
                                 "The rest is one item. 0 shows all, as long as the tree is not full.", 10,
                                 &pref_max_elements);
  websocket_ports.register_preference(module, "TCP ports of servers whose WebSocket messages are Variants.");
  prefs_register_uint_preference(module, "tcp.max_length", "Longest packet in a stream",
                                 "A length prefix of more bytes is taken for something else.", 10, &pref_max_length);
}

}  // namespace

ReadOptions preferred_read_options() {
  ReadOptions options;
  options.double_reals = pref_real == real_double;
  return options;
}

std::uint32_t preferred_max_elements() { return pref_max_elements; }

void register_godot() {
  proto_godot = proto_register_protocol("Godot Engine Variant", "Godot", "godot");
  register_fields(proto_godot);
  register_preferences();
  for (Recogniser *recogniser : {&udp_recogniser, &tcp_recogniser, &enet_recogniser, &websocket_recogniser}) {
    recogniser->register_state();
  }
  servers = wmem_tree_new_autoreset(wmem_epan_scope(), wmem_file_scope());
}

void handoff_godot() {
  datagram_handle = create_dissector_handle(dissect_godot_datagram, proto_godot);
  tcp_handle = create_dissector_handle(dissect_godot_tcp, proto_godot);
  dissector_add_uint_range_with_preference("udp.port", "", datagram_handle);
  dissector_add_uint_range_with_preference("dtls.port", "", datagram_handle);
  dissector_add_uint_range_with_preference("tcp.port", "", tcp_handle);
  dissector_add_uint_range_with_preference("tls.port", "", create_dissector_handle(dissect_godot_tls, proto_godot));
  websocket_ports.set_dissector(create_dissector_handle(dissect_godot_websocket, proto_godot));
  dissector_add_for_decode_as("enet.port", datagram_handle);
  heur_dissector_add("udp", recognise_udp, "Godot Variants over UDP", "godot_udp", proto_godot, HEURISTIC_ENABLE);
  heur_dissector_add("tcp", recognise_tcp, "Godot Variants over TCP", "godot_tcp", proto_godot, HEURISTIC_ENABLE);
  heur_dissector_add("enet", recognise_in_enet, "Godot Variants over ENet", "godot_enet", proto_godot,
                     HEURISTIC_ENABLE);
  heur_dissector_add("ws", recognise_in_websocket, "Godot Variants over WebSocket", "godot_ws", proto_godot,
                     HEURISTIC_ENABLE);
  text_handle = find_dissector("data-text-lines");
}

}  // namespace godot_plugin
