// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/packet-godot_mp.h"

#include <algorithm>
#include <limits>

#include "godot-codec/multiplayer/sentence.h"
#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/text.h"
#include "plugin/carriers/websocket.h"
#include "plugin/enet/state.h"
#include "plugin/epan/decisions.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/recogniser.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/multiplayer/draw.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/multiplayer/packet.h"
#include "plugin/multiplayer/state.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Generation;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFraming;
using godot_codec::MpLikeness;
using godot_codec::MpMessage;
using godot_codec::MpPacket;
using godot_codec::MpPrefix;
using godot_codec::MpRoute;
using godot_codec::Outcome;
using godot_codec::TextBuffer;

constexpr std::size_t max_summary = 240;
// An engine relays a command once, and takes no system command, and so no relay, out of one.
constexpr unsigned max_relays = 2;

int proto_mp = -1;

// ---- preferences

enum GenerationPreference { generation_auto, generation_4, generation_3 };

int pref_generation = generation_auto;

// ---- one packet

bool is_system(MpCommand command) {
  return command == MpCommand::auth || command == MpCommand::add_peer || command == MpCommand::remove_peer ||
         command == MpCommand::relay;
}

// A command and what is in it. @returns how reading it ended
Outcome dissect_message(const MpDrawing &drawing, MpLink *link, Generation generation, std::size_t offset,
                        const MpRoute &route, unsigned relays, TextBuffer &text) {
  const MpPacket &packet = drawing.packet;
  const MpMessage message = godot_codec::read_mp_message(packet.bytes, offset, generation);
  const bool is_refused = relays > 0 && message.is_known && is_system(message.command);
  if (!PINFO_FD_VISITED(drawing.pinfo) && relays < max_relays) {
    link->connection->learn_message(packet, message, route, relays > 0);
  }
  Outcome outcome = godot_codec::append_mp_sentence(packet, message, route, text);
  draw_mp_message(drawing, message, route);
  if (is_refused) {
    expert_add_info_format(drawing.pinfo, drawing.item, &mp_experts.malformed,
                           "Godot takes no system command out of a relay");
  }
  if (message.inner.length == 0) {
    draw_mp_route(drawing, route);
  } else if (relays < max_relays) {
    const MpRoute inner = godot_codec::relayed_route(packet, route, message.fields.peer(MpField::peer));
    outcome = dissect_message(drawing, link, generation, message.inner.offset, inner, relays + 1, text);
  } else {
    draw_mp_limit(drawing, drawing.tree, message.inner);
    outcome = Outcome::over_limit;
  }
  draw_mp_rest(drawing, message.rest, message.outcome);
  return is_refused && outcome == Outcome::ok ? Outcome::malformed : outcome;
}

// What a prefix says where no command follows it.
Outcome dissect_system_message(const MpDrawing &drawing, Generation generation, const MpPrefix &prefix,
                               TextBuffer &text) {
  MpMessage message;
  message.generation = generation;
  message.command = prefix.command;
  message.is_known = prefix.is_known;
  message.fields = prefix.fields;
  message.outcome = prefix.outcome;
  const MpRoute route = godot_codec::direct_route(drawing.packet);
  const Outcome outcome = godot_codec::append_mp_sentence(drawing.packet, message, route, text);
  if (prefix.is_known) draw_mp_command(drawing, prefix.command, prefix.range);
  // System messages name nobody: they are for who has the connection.
  draw_mp_route(drawing, route);
  draw_mp_rest(drawing, prefix.rest, prefix.outcome);
  return outcome;
}

// What stands before a command, and the command. @returns how reading it ended
Outcome dissect_framed(const MpDrawing &drawing, MpLink *link, const MpDecision &decision, TextBuffer &text) {
  const MpPacket &packet = drawing.packet;
  if (decision.framing == MpFraming::none) {
    return dissect_message(drawing, link, decision.generation, 0, godot_codec::direct_route(packet), 0, text);
  }
  const MpPrefix prefix = godot_codec::read_mp_prefix(packet.bytes, decision.framing);
  if (!PINFO_FD_VISITED(drawing.pinfo)) link->connection->learn_prefix(packet, prefix);
  draw_mp_fields(drawing, prefix.fields);
  if (!prefix.has_message) return dissect_system_message(drawing, decision.generation, prefix, text);
  return dissect_message(drawing, link, decision.generation, prefix.range.end(),
                         godot_codec::prefixed_route(packet, prefix), 0, text);
}

// ---- is it one?

// What is known of a message before it is read.
struct MpCarrier {
  bool is_websocket;
  bool is_from_client;
  WebSocketKind kind;
  bool is_text;                 // a WebSocket message that is
  std::uint8_t channel;         // of ENet
  std::uint32_t channel_count;  // that the client of ENet has asked for; 0: not known
  bool is_over_mtu;
  MpFraming enet3_framing;  // as MpLink has it
};

// What a game asks for tells the generations apart: Godot 3 asks for 3 channels, Godot 4 for 255, unless told
// otherwise.
constexpr std::uint32_t channels_of_godot3 = 3;
constexpr std::uint32_t channels_of_godot4 = 255;

MpDecision decision_for(Generation generation, MpFraming framing, const MpCarrier &carrier) {
  return {true, generation, framing, carrier.is_over_mtu};
}

// @returns none, of Godot 3, where nothing says how the packet is to be read
MpFraming framing_of(Generation generation, Bytes bytes, const MpCarrier &carrier) {
  if (generation == Generation::godot4) return MpFraming::none;
  if (carrier.is_websocket) return MpFraming::websocket3;
  if (carrier.channel == 0) return MpFraming::enet3_system;
  return carrier.enet3_framing != MpFraming::none
             ? carrier.enet3_framing
             : godot_codec::choose_enet3_framing(bytes, preferred_walk_options({}));
}

bool is_readable(Generation generation, MpFraming framing) { return godot_codec::mp_generation(framing) == generation; }

MpLikeness likeness_of(Bytes bytes, MpFraming framing) {
  return bytes.reported == 0 ? MpLikeness::no
                             : godot_codec::looks_like_mp_packet(bytes, framing, preferred_walk_options({}));
}

bool may_be(Generation generation) {
  return pref_generation != (generation == Generation::godot4 ? generation_3 : generation_4);
}

// What a message says, if it is of the likelier generation.
struct MpReading {
  godot_codec::Evidence evidence;
  Generation generation = Generation::godot4;
};

MpReading read_as(Generation generation, Bytes bytes, const MpCarrier &carrier, bool is_greeted) {
  const MpFraming framing = framing_of(generation, bytes, carrier);
  if (!is_readable(generation, framing)) return {{}, generation};
  return {godot_codec::mp_evidence(bytes, framing, preferred_walk_options({}), is_greeted), generation};
}

// Authentication comes before anything else, and is bytes of the game's own but for two.
bool is_authentication(Bytes bytes, const MpCarrier &carrier) {
  return carrier.channel_count == channels_of_godot4 && carrier.channel == 0 &&
         godot_codec::read_mp_message(bytes, 0, Generation::godot4).command == MpCommand::auth;
}

// A message of a game that is not known yet.
// @param is_told the user says that it is a game; only the generation is the question
MpReading read_as_unknown(Bytes bytes, const MpCarrier &carrier, bool is_greeted, bool is_told) {
  const bool is_asked_for = pref_generation != generation_auto || is_told;
  // 4.x games may ask for three channels, too, and 3.x games for many: that a generation is known says more.
  const bool is_many = !is_asked_for && carrier.channel_count == channels_of_godot4;
  // A system message is short: there must be more that speaks for Godot 3.
  const bool is_system =
      !is_told && !carrier.is_websocket && carrier.channel == 0 && carrier.channel_count != channels_of_godot3;
  MpReading godot3;
  if (may_be(Generation::godot3) && !is_many && !is_system) {
    godot3 = read_as(Generation::godot3, bytes, carrier, is_greeted);
  }
  MpReading godot4;
  if (may_be(Generation::godot4)) godot4 = read_as(Generation::godot4, bytes, carrier, is_greeted);
  if (may_be(Generation::godot4) && is_greeted && is_authentication(bytes, carrier)) {
    godot4.evidence = {godot_codec::Likeness::strong};
  }
  const bool is_3 =
      godot3.evidence.likeness >= godot4.evidence.likeness && godot3.evidence.likeness != godot_codec::Likeness::none;
  return is_3 ? godot3 : godot4;
}

// The first message of a WebSocket is the server's: Godot 4 sends the client's id alone, Godot 3 with a prefix.
MpDecision read_greeting(Bytes bytes, const MpCarrier &carrier, bool is_told) {
  constexpr std::size_t id_size = 4;
  if (!carrier.is_websocket || carrier.is_from_client) return {};
  const MpPrefix id = godot_codec::read_mp_prefix(bytes, MpFraming::websocket_id);
  const bool is_id = bytes.reported == id_size && id.fields.peer(MpField::peer) > godot_codec::mp_server;
  // A text of four letters is none.
  if (may_be(Generation::godot4) && is_id && (is_told || carrier.kind == WebSocketKind::binary)) {
    return decision_for(Generation::godot4, MpFraming::websocket_id, carrier);
  }
  const MpPrefix prefix = godot_codec::read_mp_prefix(bytes, MpFraming::websocket3);
  const bool is_greeting = prefix.is_known && prefix.command == MpCommand::peer_id &&
                           likeness_of(bytes, MpFraming::websocket3) == MpLikeness::yes;
  if (!may_be(Generation::godot3) || !is_greeting) return {};
  return decision_for(Generation::godot3, MpFraming::websocket3, carrier);
}

// A message of a game: that game's high-level multiplayer has all that goes over its connection, and so a message that
// does not fit is a broken one. What fits something else exactly is rather that: over ENet a Variant (there is another
// dissector for it), over WebSocket a text message.
// @param is_told the user says that it is one
MpDecision decide_in_game(Bytes bytes, Generation generation, const MpCarrier &carrier, bool is_told) {
  MpFraming framing = framing_of(generation, bytes, carrier);
  if (!is_readable(generation, framing)) {
    if (!is_told) return {};
    framing = MpFraming::enet3;
  }
  const bool is_other = carrier.is_websocket ? carrier.is_text
                                             : godot_codec::detect_dialect(bytes, preferred_walk_options({})).fit ==
                                                   godot_codec::Fit::exact;
  if (is_other && likeness_of(bytes, framing) == MpLikeness::no) return {};
  return decision_for(generation, framing, carrier);
}

// The generation of a game that the user speaks of, but no message has shown.
Generation likely_generation(const MpCarrier &carrier) {
  if (pref_generation != generation_auto) {
    return pref_generation == generation_3 ? Generation::godot3 : Generation::godot4;
  }
  return carrier.channel_count == channels_of_godot3 ? Generation::godot3 : Generation::godot4;
}

Recogniser recogniser;

// A message of a game that no message before it has shown to be one.
MpDecision decide_unknown(Bytes bytes, const MpCarrier &carrier, MpLink *link, bool is_told) {
  const MpDecision greeting =
      link->has_messages || carrier.is_text ? MpDecision{} : read_greeting(bytes, carrier, is_told);
  link->has_messages = true;
  if (greeting.is_mp) {
    // A few bytes alone: shown for what they are, but what comes next is to agree.
    recogniser.recognise_message(link, [&](const godot_codec::Recognition & /*known*/) {
      return godot_codec::mp_greeting_evidence(greeting.generation);
    });
    link->is_known = is_told;
    link->generation = greeting.generation;
    return greeting;
  }
  if (carrier.is_text) return {};
  const MpReading reading = read_as_unknown(bytes, carrier, link->is_greeted, is_told);
  const bool is_recognised =
      recogniser.recognise_message(link, [&](const godot_codec::Recognition & /*known*/) { return reading.evidence; });
  const bool is_possible = is_told && reading.evidence.likeness != godot_codec::Likeness::none;
  if (is_recognised || is_possible) {
    link->is_known = true;
    link->generation = reading.generation;
    return decision_for(reading.generation, framing_of(reading.generation, bytes, carrier), carrier);
  }
  return is_told ? decide_in_game(bytes, likely_generation(carrier), carrier, true) : MpDecision{};
}

// The first packet to fit a prefix to its exact end shows what all of its connection have.
void learn_framing(Bytes bytes, const MpDecision &decision, MpLink *link) {
  const bool is_question = decision.framing == MpFraming::enet3 || decision.framing == MpFraming::enet3_flags;
  if (!decision.is_mp || !is_question || link->enet3_framing != MpFraming::none) return;
  if (likeness_of(bytes, decision.framing) == MpLikeness::yes) link->enet3_framing = decision.framing;
}

// @param is_told the user says that it is one
MpDecision decide(Bytes bytes, const MpCarrier &carrier, MpLink *link, bool is_told, bool is_first_pass) {
  if (!is_first_pass && !link->is_known) return {};
  const MpDecision decision = link->is_known ? decide_in_game(bytes, link->generation, carrier, is_told)
                                             : decide_unknown(bytes, carrier, link, is_told);
  if (is_first_pass) learn_framing(bytes, decision, link);
  return decision;
}

// ---- dissectors

// Times of a file may be any: what does not fit is the end of time.
std::int64_t nanoseconds_of(const nstime_t &time) {
  constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max() / godot_codec::nanoseconds_per_second - 3;
  const std::int64_t seconds = std::clamp<std::int64_t>(time.secs, -longest, longest);
  return seconds * godot_codec::nanoseconds_per_second + time.nsecs;
}

void set_columns(packet_info *pinfo, const char *summary, bool is_in_enet) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "GodotMP");
  if (is_in_enet) {
    col_append_str(pinfo->cinfo, COL_INFO, summary);
  } else {
    col_set_str(pinfo->cinfo, COL_INFO, summary);
  }
}

void dissect_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, MpLink *link, const MpDecision *decision,
                    std::uint32_t number) {
  proto_item *item = proto_tree_add_item(root, proto_mp, tvb, 0, -1, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.packet);
  MpDrawing drawing{pinfo, tvb, tree, item, {}};
  drawing.packet.connection = link->connection;
  drawing.packet.is_from_client = is_from_client(pinfo, *link);
  drawing.packet.moment = {pinfo->num, number};
  drawing.packet.time = nanoseconds_of(pinfo->abs_ts);
  drawing.packet.bytes = bytes_of(tvb);
  drawing.packet.options = preferred_walk_options(godot_codec::Dialect::godot4);
  auto *memory = static_cast<char *>(wmem_alloc(pinfo->pool, max_summary));
  TextBuffer text({memory, max_summary});
  const Outcome outcome = dissect_framed(drawing, link, *decision, text);
  if (decision->is_over_mtu) expert_add_info(pinfo, item, &mp_experts.over_mtu);
  const char *summary = wmem_strdup_printf(pinfo->pool, "%s%s", memory, godot_codec::mp_outcome_mark(outcome));
  proto_item_append_text(item, ": %s", summary);
  proto_item_set_generated(proto_tree_add_string(tree, mp_fields.summary, tvb, 0, 0, summary));
  proto_item_set_generated(proto_tree_add_uint(tree, mp_fields.length, tvb, 0, 0, tvb_reported_length(tvb)));
  set_columns(pinfo, summary, proto_is_frame_protocol(pinfo->layers, "enet"));
}

// An ENet connection.
MpLink *link_of(packet_info *pinfo, const EnetConnection *connection) {
  // Kept with the conversation, by the connection's number: a port may see many connections.
  conversation_t *conversation = find_or_create_conversation(pinfo);
  auto *games = static_cast<wmem_tree_t *>(conversation_get_proto_data(conversation, proto_mp));
  if (games == nullptr) {
    games = wmem_tree_new(wmem_file_scope());
    conversation_add_proto_data(conversation, proto_mp, games);
  }
  auto *link = static_cast<MpLink *>(wmem_tree_lookup32(games, connection->stream));
  if (link != nullptr) return link;
  link = new_mp_link(pinfo, pinfo->destport == connection->server_port, connection->has_connect);
  if (connection->has_connect) link->client_direction = connection->client_direction;
  const auto client = static_cast<std::int32_t>(connection->connect_data);
  if (connection->has_connect) link->connection->learn_client(client, godot_codec::moment_zero);
  // Godot's peers choose their ids, and tell them when they connect.
  const bool is_usual =
      connection->channel_count == channels_of_godot3 || connection->channel_count == channels_of_godot4;
  link->is_greeted = connection->has_connect && is_usual && client > godot_codec::mp_server;
  wmem_tree_insert32(games, connection->stream, link);
  return link;
}

// Decided once, whoever asks first: other dissectors of ENet's messages do, too.
// @param is_told the user says that it is one
const MpDecision *decide_enet_message(tvbuff_t *tvb, packet_info *pinfo, const EnetMessage &enet, MpLink *link,
                                      bool is_told) {
  const MpCarrier carrier{false,        is_from_client(pinfo, *link),   WebSocketKind::unknown, false,
                          enet.channel, enet.connection->channel_count, enet.is_over_mtu,       link->enet3_framing};
  return decide_once<MpDecision>(proto_mp, pinfo, Decided::packet, enet.number, [&](bool is_first_pass) {
    return decide(bytes_of(tvb), carrier, link, is_told, is_first_pass);
  });
}

bool dissect_enet_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, bool is_told) {
  if (data == nullptr) return false;
  const auto *enet = static_cast<const EnetMessage *>(data);
  MpLink *link = link_of(pinfo, enet->connection);
  const MpDecision *decision = decide_enet_message(tvb, pinfo, *enet, link, is_told);
  if (!decision->is_mp) return false;
  dissect_packet(tvb, pinfo, tree, link, decision, enet->number);
  return true;
}

ws_bool dissect_mp_in_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect_enet_message(tvb, pinfo, tree, data, false);
}

int dissect_mp_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect_enet_message(tvb, pinfo, tree, data, true) ? static_cast<int>(tvb_captured_length(tvb)) : 0;
}

WebSocketPorts websocket_ports;

// Whether a WebSocket message goes to the server.
bool is_to_websocket_server(tvbuff_t *tvb, packet_info *pinfo) {
  // A client masks what it sends.
  if (websocket_kind(tvb) != WebSocketKind::unknown) return false;
  if (websocket_ports.contains(pinfo->destport) || websocket_ports.contains(pinfo->srcport)) {
    return websocket_ports.contains(pinfo->destport);
  }
  const tcp_analysis *tcp = get_tcp_conversation_data(nullptr, pinfo);
  return tcp == nullptr || tcp->server_port == 0 ? pinfo->destport < pinfo->srcport
                                                 : tcp->server_port == pinfo->destport;
}

// A WebSocket's connection.
MpLink *link_of_websocket(tvbuff_t *tvb, packet_info *pinfo) {
  conversation_t *conversation = find_or_create_conversation(pinfo);
  auto *link = static_cast<MpLink *>(conversation_get_proto_data(conversation, proto_mp));
  if (link != nullptr) return link;
  link = new_mp_link(pinfo, is_to_websocket_server(tvb, pinfo), false);
  conversation_add_proto_data(conversation, proto_mp, link);
  return link;
}

// @param is_told the user says that it is one
bool dissect_websocket_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool is_told) {
  MpLink *link = link_of_websocket(tvb, pinfo);
  const MpCarrier carrier{
      true, is_from_client(pinfo, *link), websocket_kind(tvb), is_websocket_text(tvb), 0, 0, false, MpFraming::none};
  const std::uint32_t number = layer_of(pinfo);
  const MpDecision *decision = decide_once<MpDecision>(
      proto_mp, pinfo, Decided::packet, number,
      [&](bool is_first_pass) { return decide(bytes_of(tvb), carrier, link, is_told, is_first_pass); });
  if (!decision->is_mp) return false;
  dissect_packet(tvb, pinfo, tree, link, decision, number);
  return true;
}

ws_bool dissect_mp_in_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  return dissect_websocket_message(tvb, pinfo, tree, false);
}

int dissect_mp_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  // A message that is none, and a text message, is somebody else's.
  if (!dissect_websocket_message(tvb, pinfo, tree, true)) return call_data_dissector(tvb, pinfo, tree);
  return static_cast<int>(tvb_captured_length(tvb));
}

void apply_preferences() { websocket_ports.apply(); }

void register_preferences() {
  static const enum_val_t generations[] = {{"auto", "Automatic", generation_auto},
                                           {"4", "Godot 4", generation_4},
                                           {"3", "Godot 3", generation_3},
                                           {nullptr, nullptr, 0}};
  module_t *module = prefs_register_protocol(proto_mp, apply_preferences);
  prefs_register_enum_preference(module, "generation", "Generation",
                                 "Whose high-level multiplayer it is. Automatic goes by the messages.",
                                 &pref_generation, generations, false);
  websocket_ports.register_preference(
      module, "TCP ports of servers whose WebSocket messages are of the high-level multiplayer.");
}

}  // namespace

bool is_mp_game(packet_info *pinfo, const EnetMessage &enet) { return link_of(pinfo, enet.connection)->is_known; }

bool is_mp_message(tvbuff_t *tvb, packet_info *pinfo, const EnetMessage &enet) {
  return decide_enet_message(tvb, pinfo, enet, link_of(pinfo, enet.connection), false)->is_mp;
}

void register_godot_mp() {
  proto_mp = proto_register_protocol("Godot High-level Multiplayer", "GodotMP", "godot_mp");
  register_mp_fields(proto_mp);
  register_mp_state();
  recogniser.register_state();
  register_preferences();
}

void handoff_godot_mp() {
  heur_dissector_add("enet", dissect_mp_in_enet, "Godot multiplayer over ENet", "godot_mp_enet", proto_mp,
                     HEURISTIC_ENABLE);
  heur_dissector_add("ws", dissect_mp_in_websocket, "Godot multiplayer over WebSocket", "godot_mp_ws", proto_mp,
                     HEURISTIC_ENABLE);
  dissector_add_uint_range_with_preference("enet.port", "", create_dissector_handle(dissect_mp_on_port, proto_mp));
  websocket_ports.set_dissector(create_dissector_handle(dissect_mp_websocket, proto_mp));
}

}  // namespace godot_plugin
