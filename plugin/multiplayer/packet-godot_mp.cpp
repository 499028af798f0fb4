// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/packet-godot_mp.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "godot-codec/core/outcome.h"
#include "godot-codec/multiplayer/packets.h"
#include "godot-codec/multiplayer/summary.h"
#include "godot-codec/variant/text.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/peer_names.h"
#include "plugin/epan/pool.h"
#include "plugin/godot/layouts.h"
#include "plugin/godot/releases.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/multiplayer/game_names.h"
#include "plugin/multiplayer/packet.h"
#include "plugin/multiplayer/rules.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/flow.h"
#include "plugin/statistics/match_record.h"
#include "plugin/statistics/problems.h"

namespace godot_plugin {
namespace {

using godot_codec::Generation;
using godot_codec::mp_max_relays;
using godot_codec::MpField;
using godot_codec::MpFraming;
using godot_codec::MpMessage;
using godot_codec::MpPacket;
using godot_codec::MpPrefix;
using godot_codec::MpReading;
using godot_codec::MpResolvedMessage;
using godot_codec::MpRoute;
using godot_codec::Outcome;
using godot_codec::PeerVerdict;
using godot_codec::TextBuffer;

constexpr std::size_t max_summary = 240;
using godot_codec::mp_max_relays;

int proto_mp = -1;

// ---- preferences

enum GenerationPreference { generation_auto, generation_4, generation_3 };

int pref_generation = generation_auto;

// ---- the session

CaptureState<godot_codec::MpSession> session;

// ---- one packet

// Updates the evidence of the sender's release from a command. A relayed command is from another peer.
void learn_release_of(const MpDrawing &drawing, const MpMessage &message) {
  SenderReleases *sender = releases_to_update(drawing.pinfo, drawing.context->conversation);
  if (sender != nullptr) godot_codec::learn_release(sender->facts, drawing.packet.moment, message);
}

void learn_prefix_of(const MpDrawing &drawing, MpFraming framing) {
  SenderReleases *sender = releases_to_update(drawing.pinfo, drawing.context->conversation);
  if (sender != nullptr) godot_codec::learn_release(sender->facts, drawing.packet.moment, framing);
}

// Appends the summary. @param text null if no output needs it @returns how reading the message ended
Outcome summarise(const MpResolvedMessage &message, TextBuffer *text) {
  return text == nullptr ? godot_codec::check_mp_message(message) : godot_codec::append_mp_summary(message, *text);
}

// Dissects a command, and the command that it relays. @returns how reading them ended
// @param text for the summary; null if no output needs it
Outcome dissect_message(const MpDrawing &drawing, const MpReading &reading, const MpRoute &route, unsigned relays,
                        TextBuffer *text) {
  const MpMessage &command = reading.commands[relays];
  const MpResolvedMessage message(drawing.packet, command, route);
  if (relays == 0) learn_release_of(drawing, command);
  const bool is_refused =
      relays > 0 && command.is_known && godot_codec::mp_command_info(command.command).has(godot_codec::mp_system);
  Outcome outcome = summarise(message, text);
  draw_mp_message(drawing, message);
  if (is_refused) {
    add_expert(drawing.pinfo, drawing.item, &mp_experts.malformed, "Godot ignores a system command in a relay");
  }
  if (command.inner.length == 0 || relays >= mp_max_relays) count_mp_message(drawing, message);
  if (command.inner.length == 0) {
    draw_mp_route(drawing, route);
  } else if (relays < mp_max_relays) {
    const MpRoute inner = godot_codec::relayed_route(drawing.packet, route, command.fields.peer(MpField::peer));
    outcome = dissect_message(drawing, reading, inner, relays + 1, text);
  } else {
    draw_mp_limit(drawing, drawing.tree, command.inner);
    outcome = Outcome::over_limit;
  }
  draw_mp_rest(drawing, command.rest, command.outcome);
  return is_refused && outcome == Outcome::ok ? Outcome::malformed : outcome;
}

// Dissects a prefix that is in the place of a command.
Outcome dissect_system_message(const MpDrawing &drawing, Generation generation, const MpPrefix &prefix,
                               TextBuffer *text) {
  const MpMessage command = godot_codec::mp_message_of(prefix, generation);
  const MpResolvedMessage message(drawing.packet, command, godot_codec::direct_route(drawing.packet));
  const Outcome outcome = summarise(message, text);
  count_mp_message(drawing, message);
  if (prefix.is_known) draw_mp_command(drawing, prefix.command, prefix.range);
  // System messages name no peer: they are for the other end of the connection.
  draw_mp_route(drawing, message.route);
  draw_mp_rest(drawing, prefix.rest, prefix.outcome);
  return outcome;
}

// True for text. A command has bytes that are not printable: small numbers, counts and times.
bool is_text_alone(godot_codec::Bytes bytes) {
  constexpr std::size_t least = 6;
  const auto is_printable = [](std::uint8_t c) {
    return (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r';
  };
  return bytes.reported >= least && bytes.captured == bytes.reported &&
         std::all_of(bytes.data, bytes.data + bytes.captured, is_printable);
}

// Dissects text that a game has sent with the peer of the MultiplayerAPI.
Outcome dissect_text_alone(const MpDrawing &drawing, TextBuffer *text) {
  constexpr std::size_t most_shown = 80;
  const godot_codec::Bytes bytes = drawing.packet.bytes;
  const std::string_view shown(reinterpret_cast<const char *>(bytes.data), std::min(bytes.captured, most_shown));
  if (text != nullptr) {
    text->append("Text \"");
    text->append(printable(drawing.pinfo->pool, shown));
    text->append(shown.size() < bytes.captured ? "…\"" : "\"");
  }
  const MpRoute route = godot_codec::direct_route(drawing.packet);
  note_problem(
      drawing, {route.sender, route.receiver},
      {.rule = &mp_experts.raw_text,
       .text =
           "Text in place of a multiplayer message: other code calls multiplayer_peer.put_packet(), and the MultiplayerAPI of the other side decodes the text as a call or a path",
       .mark = "not a multiplayer message"});
  return Outcome::ok;
}

// Dissects the prefix and the command. @returns how reading it ended
Outcome dissect_framed(const MpDrawing &drawing, const PeerVerdict &verdict, const MpReading &reading,
                       TextBuffer *text) {
  const MpPacket &packet = drawing.packet;
  if (!reading.has_prefix && is_text_alone(packet.bytes)) return dissect_text_alone(drawing, text);
  if (!reading.has_prefix) return dissect_message(drawing, reading, godot_codec::direct_route(packet), 0, text);
  const Outcome outcome =
      reading.count == 0
          ? dissect_system_message(drawing, verdict.generation, reading.prefix, text)
          : dissect_message(drawing, reading, godot_codec::prefixed_route(packet, reading.prefix), 0, text);
  draw_mp_prefix(drawing, reading.prefix.fields);
  return outcome;
}

// ---- dissectors

// Lists the first parts of the project folder that were not read. The command godot-project lists all.
void note_left_out(const MpDrawing &drawing, std::span<const std::string_view> notes) {
  constexpr std::size_t most_told = 5;
  packet_info *pinfo = drawing.pinfo;
  wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, "");
  for (const std::string_view note : notes.first(std::min(notes.size(), most_told))) {
    wmem_strbuf_append_printf(text, "%s%s", wmem_strbuf_get_len(text) == 0 ? "" : "; ", printable(pinfo->pool, note));
  }
  if (notes.size() > most_told) wmem_strbuf_append_printf(text, "; and %zu more", notes.size() - most_told);
  add_expert(pinfo, drawing.item, &mp_experts.project_incomplete, "Not read from the project folder: %s",
             wmem_strbuf_get_str(text));
}

// Reports what was read from the project folder, on one message of the capture.
void note_project(const MpDrawing &drawing) {
  packet_info *pinfo = drawing.pinfo;
  if (!is_project_due(pinfo)) return;
  const char *text = describe_project(pinfo->pool);
  if (!project_problem().empty()) {
    return add_problem(pinfo, drawing.item, {.rule = &mp_experts.project_unreadable, .text = text});
  }
  proto_item_set_generated(proto_tree_add_string(drawing.tree, mp_fields.project_read, drawing.tvb, 0, 0, text));
  if (!project_notes().empty()) note_left_out(drawing, project_notes());
}

// ---- outputs of a packet

bool is_sentence_read(const MpDrawing &drawing) {
  return wants_summary(*drawing.context) || is_visible(drawing.tree) ||
         (drawing.tree != nullptr && proto_field_is_referenced(drawing.tree, mp_fields.summary) != 0) ||
         wants_arrows(drawing.pinfo) || has_mp_follower();
}

// Appends the text of the game's own dissector, the mark of the outcome, and the mark of a problem to the summary.
const char *complete_sentence(const MpDrawing &drawing, const char *sentence, Outcome outcome) {
  constexpr std::size_t max_sentence = COL_MAX_INFO_LEN;
  if (drawing.notes->own_text == nullptr && drawing.notes->mark == nullptr && outcome == Outcome::ok) return sentence;
  return pool_text<max_sentence>(drawing.pinfo, [&](TextBuffer &text) {
    text.append(sentence);
    if (drawing.notes->own_text != nullptr) text.append(": ");
    if (drawing.notes->own_text != nullptr) text.append(drawing.notes->own_text);
    text.append(godot_codec::outcome_mark(outcome));
    if (drawing.notes->mark == nullptr) return;
    text.append(" [");
    text.append(drawing.notes->mark);
    text.append("]");
  });
}

// Puts the receiver before the summary of a server's first message in a packet, because a call to several clients is a
// packet for each.
const char *with_receiver(const MpDrawing &drawing, const char *summary) {
  const MpPacket &packet = drawing.packet;
  packet_info *pinfo = drawing.pinfo;
  const godot_codec::MpPeers &peers = packet.connection->peers();
  const bool is_one_of_several = packet.is_from_server() && peers.has_several_clients(packet.moment);
  if (!is_one_of_several || !wants_summary(*drawing.context)) return summary;
  if (std::exchange(counts_of(pinfo).has_receiver, true)) return summary;
  const std::optional<std::int32_t> id = peers.id_of(peers.client(), packet.moment);
  if (id) return wmem_strdup_printf(pinfo->pool, "To %d: %s", *id, summary);
  if (const char *end = drawing.context->channel.destination; end != nullptr) {
    return wmem_strdup_printf(pinfo->pool, "To %s: %s", end, summary);
  }
  return wmem_strdup_printf(pinfo->pool, "To %s: %s", endpoint_text(pinfo->dst, pinfo->destport).c_str(), summary);
}

// Returns whether the receiver gets the message, and when. Later frames show that.
const char *describe_delivery(const MpDrawing &drawing) {
  const MpPacket &packet = drawing.packet;
  if (drawing.notes->dropped != nullptr)
    return wmem_strdup_printf(drawing.pinfo->pool, "dropped: %s", drawing.notes->dropped);
  if (packet.sequence.may_overtake) return "unknown";
  if (packet.delivery != nullptr && !packet.delivery->is_delivered(packet.moment.packet)) return "unknown";
  const godot_codec::MpArrival arrival = packet.connection->deliveries().arrival(packet);
  if (arrival.is_waiting) return "waiting";
  return packet.moment < arrival.delivered ? "late" : "delivered";
}

void draw_generated(const MpDrawing &drawing, std::uint32_t stream) {
  proto_item_set_generated(
      proto_tree_add_uint(drawing.tree, mp_fields.length, drawing.tvb, 0, 0, tvb_reported_length(drawing.tvb)));
  proto_item_set_generated(proto_tree_add_uint(drawing.tree, mp_fields.stream, drawing.tvb, 0, 0, stream));
  // Later frames are known on the second pass.
  const bool is_read = is_visible(drawing.tree) || proto_field_is_referenced(drawing.tree, mp_fields.delivery) != 0;
  if (is_read && PINFO_FD_VISITED(drawing.pinfo) && !drawing.context->is_copy) {
    proto_item_set_generated(
        proto_tree_add_string(drawing.tree, mp_fields.delivery, drawing.tvb, 0, 0, describe_delivery(drawing)));
  }
  add_release_items(drawing.tvb, drawing.pinfo, drawing.tree, drawing.context->conversation);
}

// Names the ends of the packet, if an earlier message of the packet has not named them.
void name_ends(const MpDrawing &drawing) {
  PeerNames &ends = peer_names_of(drawing.pinfo);
  if (ends.from == nullptr) ends.from = known_name_of_peer(drawing, drawing.notes->route.sender);
  if (ends.to == nullptr) ends.to = known_name_of_peer(drawing, drawing.notes->route.receiver);
}

// ---- preferences

void register_preferences(void (*apply)()) {
  static void (*apply_others)();
  apply_others = apply;
  module_t *module = prefs_register_protocol(proto_mp, [] {
    guarded<apply_game_names>();
    apply_others();
  });
  register_game_names(module);
  begin_port_preferences(module);
}

}  // namespace

godot_codec::MpConnection *new_mp_connection(unsigned server, bool is_from_start,
                                             const godot_codec::MpTransmissions *transmissions, bool has_roles) {
  return &session->add_connection(server, is_from_start, transmissions, has_roles);
}

const godot_codec::MpSession &mp_session() { return *session; }

std::optional<Generation> preferred_generation() {
  if (pref_generation == generation_auto) return std::nullopt;
  return pref_generation == generation_3 ? Generation::godot3 : Generation::godot4;
}

const char *dissect_mp_packet(const MessageContext &context, const MpPacket &packet, const PeerVerdict &verdict,
                              const MpReading &reading) {
  packet_info *pinfo = context.pinfo;
  proto_item *item = proto_tree_add_item(context.tree, proto_mp, context.tvb, 0, -1, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.packet);
  MpNotes notes{godot_codec::direct_route(packet)};
  const MpDrawing drawing{pinfo, context.tvb, tree, item, packet, &context, &notes};
  count_mp_packet(context);
  tell_problems_of_calls();
  const bool is_told = is_sentence_read(drawing);
  auto *memory = static_cast<char *>(wmem_alloc(pinfo->pool, max_summary));
  TextBuffer text({memory, max_summary});
  const Outcome outcome = dissect_framed(drawing, verdict, reading, is_told ? &text : nullptr);
  if (outcome == Outcome::ok) learn_prefix_of(drawing, verdict.framing);
  if (packet.is_fragmented) add_expert(pinfo, item, &mp_experts.over_mtu);
  if (packet.moment == mp_session().first_left_out()) add_expert(pinfo, item, &mp_experts.over_memory_limit);
  note_project(drawing);
  report_layout_errors(pinfo, item);
  const char *sentence = complete_sentence(drawing, memory, outcome);
  if (is_told) {
    label_protocol(item, proto_mp, sentence);
    proto_item_set_generated(proto_tree_add_string(tree, mp_fields.summary, context.tvb, 0, 0, sentence));
  }
  if (wants_peer_names(tree)) name_ends(drawing);
  const std::uint32_t stream = mp_stream_of(*packet.connection);
  if (tree != nullptr || has_mp_follower()) {
    remember_mp_stream(pinfo, stream, context.channel.direction, packet.is_from_server());
  }
  if (tree != nullptr) draw_generated(drawing, stream);
  add_summary(context, "GodotMP", with_receiver(drawing, sentence));
  draw_mp_arrow(drawing, reading, sentence);
  say_match_message(pinfo, sentence);
  if (!has_mp_follower()) return nullptr;
  return wmem_strdup_printf(pinfo->pool, "%s: %s\n", name_of_peer(drawing, notes.route.sender), sentence);
}

void register_godot_mp(void (*apply)()) {
  proto_mp = proto_register_protocol("Godot High-level Multiplayer", "GodotMP", "godot_mp");
  register_mp_fields(proto_mp);
  register_mp_own_bytes(proto_mp);
  register_mp_follow(proto_mp);
  register_sync_tap();
  register_preferences(apply);
}

void register_advanced_godot_mp_preferences() {
  static const enum_val_t generations[] = {{"auto", "Automatic", generation_auto},
                                           {"4", "Godot 4", generation_4},
                                           {"3", "Godot 3", generation_3},
                                           {nullptr, nullptr, 0}};
  module_t *module = begin_advanced_preferences("godot_mp");
  register_advanced_game_names(module);
  prefs_register_enum_preference(
      module, "generation", "Engine version",
      "Protocol version of the high-level multiplayer. Set it if messages are decoded as the wrong version. Automatic: detected from the messages.",
      &pref_generation, generations, false);
}

}  // namespace godot_plugin
