// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/packet-godot_mp.h"

#include <algorithm>

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
#include "plugin/multiplayer/summary.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Generation;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFraming;
using godot_codec::MpLikeness;
using godot_codec::MpMessage;
using godot_codec::MpPrefix;
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
Outcome dissect_message(const MpPacket &packet, std::size_t offset, const MpRoute &route, unsigned relays,
                        TextBuffer &text) {
  const MpMessage message = godot_codec::read_mp_message(packet.bytes, offset, packet.decision->generation);
  const bool is_refused = relays > 0 && message.is_known && is_system(message.command);
  if (!PINFO_FD_VISITED(packet.pinfo)) {
    if (relays == 0) learn_connection(packet, message);
    if (relays < max_relays) learn_message(packet, message, route);
  }
  Outcome outcome = append_mp_summary(packet, message, route, text);
  draw_mp_message(packet, message, route);
  if (is_refused) {
    expert_add_info_format(packet.pinfo, packet.item, &mp_experts.malformed,
                           "Godot takes no system command out of a relay");
  }
  if (message.inner.length == 0) {
    draw_mp_route(packet, route);
  } else if (relays < max_relays) {
    const MpRoute inner = relayed_route(packet, route, peer_in(message.fields, MpField::peer));
    outcome = dissect_message(packet, message.inner.offset, inner, relays + 1, text);
  } else {
    draw_mp_limit(packet, packet.tree, message.inner);
    outcome = Outcome::over_limit;
  }
  draw_mp_rest(packet, message.rest, message.outcome);
  return is_refused && outcome == Outcome::ok ? Outcome::malformed : outcome;
}

// What a prefix says where no command follows it.
Outcome dissect_system_message(const MpPacket &packet, const MpPrefix &prefix, const MpRoute &route, TextBuffer &text) {
  MpMessage message;
  message.generation = packet.decision->generation;
  message.command = prefix.command;
  message.is_known = prefix.is_known;
  message.fields = prefix.fields;
  message.outcome = prefix.outcome;
  const Outcome outcome = append_mp_summary(packet, message, route, text);
  if (prefix.is_known) draw_mp_command(packet, prefix.command, prefix.range);
  // System messages name nobody: they are for who has the connection.
  draw_mp_route(packet, route);
  draw_mp_rest(packet, prefix.rest, prefix.outcome);
  return outcome;
}

// What stands before a command, and the command. @returns how reading it ended
Outcome dissect_framed(const MpPacket &packet, TextBuffer &text) {
  MpRoute route = direct_route(packet);
  if (packet.decision->framing == MpFraming::none) return dissect_message(packet, 0, route, 0, text);
  const MpPrefix prefix = godot_codec::read_mp_prefix(packet.bytes, packet.decision->framing);
  if (!PINFO_FD_VISITED(packet.pinfo)) learn_connection(packet, prefix);
  draw_mp_fields(packet, prefix.fields);
  if (!prefix.has_message) return dissect_system_message(packet, prefix, route, text);
  route = {peer_of(*packet.game, peer_in(prefix.fields, MpField::source), packet.moment),
           peer_of(*packet.game, peer_in(prefix.fields, MpField::target), packet.moment)};
  return dissect_message(packet, prefix.range.end(), route, 0, text);
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
};

// What a game asks for tells the generations apart: Godot 3 asks for 3 channels, Godot 4 for 255, unless told
// otherwise.
constexpr std::uint32_t channels_of_godot3 = 3;
constexpr std::uint32_t channels_of_godot4 = 255;

MpDecision decision_for(Generation generation, MpFraming framing, const MpCarrier &carrier) {
  return {true, generation, framing, carrier.is_over_mtu};
}

MpFraming framing_of(Generation generation, const MpCarrier &carrier) {
  if (generation == Generation::godot4) return MpFraming::none;
  if (carrier.is_websocket) return MpFraming::websocket3;
  return carrier.channel == 0 ? MpFraming::enet3_system : MpFraming::enet3;
}

MpLikeness likeness_of(Bytes bytes, MpFraming framing) {
  return bytes.reported == 0 ? MpLikeness::no
                             : godot_codec::looks_like_mp_packet(bytes, framing, preferred_read_options());
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
  return {godot_codec::mp_evidence(bytes, framing_of(generation, carrier), preferred_read_options(), is_greeted),
          generation};
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
  const bool is_id = bytes.reported == id_size && peer_in(id.fields, MpField::peer) > godot_codec::mp_server;
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
MpDecision decide_in_game(Bytes bytes, Generation generation, const MpCarrier &carrier) {
  const MpFraming framing = framing_of(generation, carrier);
  const bool is_other = carrier.is_websocket ? carrier.is_text
                                             : godot_codec::detect_dialect(bytes, preferred_read_options()).fit ==
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
MpDecision decide_unknown(Bytes bytes, const MpCarrier &carrier, MpGame *game, bool is_told) {
  const MpDecision greeting =
      game->has_messages || carrier.is_text ? MpDecision{} : read_greeting(bytes, carrier, is_told);
  game->has_messages = true;
  if (greeting.is_mp) {
    // A few bytes alone: shown for what they are, but what comes next is to agree.
    recogniser.recognise_message(game, [&](const godot_codec::Recognition & /*known*/) {
      return godot_codec::mp_greeting_evidence(greeting.generation);
    });
    game->is_known = is_told;
    game->generation = greeting.generation;
    return greeting;
  }
  if (carrier.is_text) return {};
  const MpReading reading = read_as_unknown(bytes, carrier, game->is_greeted, is_told);
  const bool is_recognised =
      recogniser.recognise_message(game, [&](const godot_codec::Recognition & /*known*/) { return reading.evidence; });
  const bool is_possible = is_told && reading.evidence.likeness != godot_codec::Likeness::none;
  if (is_recognised || is_possible) {
    game->is_known = true;
    game->generation = reading.generation;
    return decision_for(reading.generation, framing_of(reading.generation, carrier), carrier);
  }
  return is_told ? decide_in_game(bytes, likely_generation(carrier), carrier) : MpDecision{};
}

// @param is_told the user says that it is one
MpDecision decide(Bytes bytes, const MpCarrier &carrier, MpGame *game, bool is_told, bool is_first_pass) {
  if (game->is_known) return decide_in_game(bytes, game->generation, carrier);
  return is_first_pass ? decide_unknown(bytes, carrier, game, is_told) : MpDecision{};
}

// ---- dissectors

void set_columns(packet_info *pinfo, const char *summary, bool is_in_enet) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "GodotMP");
  if (is_in_enet) {
    col_append_str(pinfo->cinfo, COL_INFO, summary);
  } else {
    col_set_str(pinfo->cinfo, COL_INFO, summary);
  }
}

void dissect_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, MpGame *game, const MpDecision *decision,
                    std::uint32_t number) {
  proto_item *item = proto_tree_add_item(root, proto_mp, tvb, 0, -1, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.packet);
  const MpPacket packet{pinfo, tvb, bytes_of(tvb), tree, item, game, decision, {pinfo->num, number}};
  auto *memory = static_cast<char *>(wmem_alloc(pinfo->pool, max_summary));
  TextBuffer text({memory, max_summary});
  const Outcome outcome = dissect_framed(packet, text);
  if (decision->is_over_mtu) expert_add_info(pinfo, item, &mp_experts.over_mtu);
  const char *summary = wmem_strdup_printf(pinfo->pool, "%s%s", memory, mp_outcome_mark(outcome));
  proto_item_append_text(item, ": %s", summary);
  proto_item_set_generated(proto_tree_add_string(tree, mp_fields.summary, tvb, 0, 0, summary));
  proto_item_set_generated(proto_tree_add_uint(tree, mp_fields.length, tvb, 0, 0, tvb_reported_length(tvb)));
  set_columns(pinfo, summary, proto_is_frame_protocol(pinfo->layers, "enet"));
}

// The game of an ENet connection.
MpGame *game_of(packet_info *pinfo, const EnetConnection *connection) {
  // Kept with the conversation, by the connection's number: a port may see many connections.
  conversation_t *conversation = find_or_create_conversation(pinfo);
  auto *games = static_cast<wmem_tree_t *>(conversation_get_proto_data(conversation, proto_mp));
  if (games == nullptr) {
    games = wmem_tree_new(wmem_file_scope());
    conversation_add_proto_data(conversation, proto_mp, games);
  }
  auto *game = static_cast<MpGame *>(wmem_tree_lookup32(games, connection->stream));
  if (game != nullptr) return game;
  const bool is_to_server = pinfo->destport == connection->server_port;
  const unsigned to_server = is_to_server ? direction_of(pinfo) : 1 - direction_of(pinfo);
  game = new_game(find_or_create_server(pinfo, is_to_server),
                  connection->has_connect ? connection->client_direction : to_server);
  constexpr MpMoment always{0, 0};
  const auto client = static_cast<std::int32_t>(connection->connect_data);
  if (connection->has_connect) learn_client_id(game, client, always);
  // Godot's peers choose their ids, and tell them when they connect.
  const bool is_usual =
      connection->channel_count == channels_of_godot3 || connection->channel_count == channels_of_godot4;
  game->is_greeted = connection->has_connect && is_usual && client > godot_codec::mp_server;
  wmem_tree_insert32(games, connection->stream, game);
  return game;
}

// Decided once, whoever asks first: other dissectors of ENet's messages do, too.
// @param is_told the user says that it is one
const MpDecision *decide_enet_message(tvbuff_t *tvb, packet_info *pinfo, const EnetMessage &enet, MpGame *game,
                                      bool is_told) {
  const MpCarrier carrier{false,        is_from_client(pinfo, *game),   WebSocketKind::unknown, false,
                          enet.channel, enet.connection->channel_count, enet.is_over_mtu};
  return decide_once<MpDecision>(proto_mp, pinfo, Decided::packet, enet.number, [&](bool is_first_pass) {
    return decide(bytes_of(tvb), carrier, game, is_told, is_first_pass);
  });
}

bool dissect_enet_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, bool is_told) {
  if (data == nullptr) return false;
  const auto *enet = static_cast<const EnetMessage *>(data);
  MpGame *game = game_of(pinfo, enet->connection);
  const MpDecision *decision = decide_enet_message(tvb, pinfo, *enet, game, is_told);
  if (!decision->is_mp) return false;
  dissect_packet(tvb, pinfo, tree, game, decision, enet->number);
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

// The game of a WebSocket's connection.
MpGame *game_of_websocket(tvbuff_t *tvb, packet_info *pinfo) {
  conversation_t *conversation = find_or_create_conversation(pinfo);
  auto *game = static_cast<MpGame *>(conversation_get_proto_data(conversation, proto_mp));
  if (game != nullptr) return game;
  const bool is_to_server = is_to_websocket_server(tvb, pinfo);
  game = new_game(find_or_create_server(pinfo, is_to_server),
                  is_to_server ? direction_of(pinfo) : 1 - direction_of(pinfo));
  conversation_add_proto_data(conversation, proto_mp, game);
  return game;
}

// @param is_told the user says that it is one
bool dissect_websocket_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool is_told) {
  MpGame *game = game_of_websocket(tvb, pinfo);
  const MpCarrier carrier{true, is_from_client(pinfo, *game), websocket_kind(tvb), is_websocket_text(tvb), 0, 0, false};
  const std::uint32_t number = layer_of(pinfo);
  const MpDecision *decision = decide_once<MpDecision>(
      proto_mp, pinfo, Decided::packet, number,
      [&](bool is_first_pass) { return decide(bytes_of(tvb), carrier, game, is_told, is_first_pass); });
  if (!decision->is_mp) return false;
  dissect_packet(tvb, pinfo, tree, game, decision, number);
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

bool is_mp_game(packet_info *pinfo, const EnetMessage &enet) { return game_of(pinfo, enet.connection)->is_known; }

bool is_mp_message(tvbuff_t *tvb, packet_info *pinfo, const EnetMessage &enet) {
  return decide_enet_message(tvb, pinfo, enet, game_of(pinfo, enet.connection), false)->is_mp;
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
