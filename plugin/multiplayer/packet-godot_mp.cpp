// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/packet-godot_mp.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "godot-codec/multiplayer/summary.h"
#include "godot-codec/variant/variant_text.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/epan/peer_names.h"
#include "plugin/epan/taps.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/game_layouts.h"
#include "plugin/godot/releases.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/dissection.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/multiplayer/game_names.h"
#include "plugin/multiplayer/rules.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/flow_graph.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/match_record.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

using godot_codec::mp_max_relays;
using godot_codec::MpFraming;

constexpr std::size_t max_summary = 240;

int proto_mp = -1;

// ---- preferences

enum GenerationPreference { generation_auto, generation_4, generation_3 };

int pref_generation = generation_auto;

// ---- the session

CaptureState<godot_codec::MpSession> session;

// ---- one packet

// Records evidence for the sender's Godot release. Ignores relayed commands, because another peer sent these.
void record_sender_release(const MpDissection &dissection, const MpParsedPacket &reading, MpFraming framing) {
  const MpMessage &message = reading.commands.size() == 0 ? reading.prefix : reading.commands[0];
  if (message.outcome != Outcome::ok) return;
  ReleaseEvidence *sender = release_evidence_to_update(dissection.pinfo, dissection.context->conversation);
  if (sender == nullptr) return;
  godot_codec::record_release_facts(sender->facts, dissection.packet.position, message);
  godot_codec::record_release_facts(sender->facts, dissection.packet.position, framing);
}

// Appends the summary. @param text null if no output needs the summary @returns the outcome of reading the message
Outcome summarise_message(const MpResolvedMessage &message, TextBuffer *text) {
  return text == nullptr ? godot_codec::check_mp_message(message) : godot_codec::append_mp_summary(message, *text);
}

// Dissects a command, and the command that it relays. @returns the outcome of reading both
// @param text receives the summary; null if no output needs it
Outcome dissect_message(const MpDissection &dissection, const MpParsedPacket &reading, const MpRoute &route,
                        unsigned relays, TextBuffer *text) {
  const MpMessage &command = reading.commands[relays];
  const MpResolvedMessage message(dissection.packet, command, route);
  const bool is_refused =
      relays > 0 && command.is_known && godot_codec::mp_command_info(command.command).has(godot_codec::mp_system);
  Outcome outcome = summarise_message(message, text);
  add_mp_message_items(dissection, message);
  if (is_refused) {
    add_expert(dissection.pinfo, dissection.item, &mp_experts.malformed,
               "A relayed message contains a system command, which Godot ignores");
  }
  if (command.relayed.length == 0 || relays >= mp_max_relays) count_mp_message(dissection, message);
  if (command.relayed.length == 0) {
    add_mp_route_items(dissection, route);
  } else if (relays < mp_max_relays) {
    const MpRoute inner = godot_codec::relayed_route(dissection.packet, route, command.fields.peer(MpField::peer));
    outcome = dissect_message(dissection, reading, inner, relays + 1, text);
  } else {
    add_mp_limit_item(dissection, dissection.tree, command.relayed);
    outcome = Outcome::over_limit;
  }
  add_mp_remaining_bytes(dissection, dissection.tree, command.rest_bytes, command.outcome);
  return is_refused && outcome == Outcome::ok ? Outcome::malformed : outcome;
}

// Dissects a system message, which has a prefix instead of a command.
Outcome dissect_system_message(const MpDissection &dissection, const godot_codec::MpPrefix &prefix, TextBuffer *text) {
  const MpResolvedMessage message(dissection.packet, prefix, godot_codec::direct_route(dissection.packet));
  const Outcome outcome = summarise_message(message, text);
  count_mp_message(dissection, message);
  if (prefix.is_known) add_mp_command_item(dissection, prefix.command, prefix.prefix_range);
  // System messages contain no peer ID, because they are for the other side of the connection.
  add_mp_route_items(dissection, message.route);
  add_mp_remaining_bytes(dissection, dissection.tree, prefix.rest_bytes, prefix.outcome);
  return outcome;
}

// True for text. A command is never text, because it contains unprintable bytes: small IDs, counts and times.
bool is_raw_text(godot_codec::Bytes bytes) {
  constexpr std::size_t min_size = 6;
  const auto is_printable = [](std::uint8_t c) {
    return (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r';
  };
  return bytes.reported >= min_size && bytes.captured == bytes.reported &&
         std::all_of(bytes.data, bytes.data + bytes.captured, is_printable);
}

// Dissects text that a game has sent with the peer of the MultiplayerAPI.
Outcome dissect_raw_text(const MpDissection &dissection, TextBuffer *text) {
  constexpr std::size_t max_shown = 80;
  const godot_codec::Bytes bytes = dissection.packet.bytes;
  const std::string_view shown(reinterpret_cast<const char *>(bytes.data), std::min(bytes.captured, max_shown));
  if (text != nullptr) {
    text->append("Text \"");
    text->append(dissection.printable(shown));
    text->append(shown.size() < bytes.captured ? "…\"" : "\"");
  }
  report_problem(
      dissection, godot_codec::direct_route(dissection.packet),
      {.expert = &mp_experts.raw_text,
       .text =
           "A packet contains text instead of a multiplayer message, so the receiver decodes it as a call or a path",
       .info_mark = "not a multiplayer message"});
  return Outcome::ok;
}

// Dissects the prefix and the command. @returns the outcome of reading both
Outcome dissect_framed_message(const MpDissection &dissection, const MpParsedPacket &reading, MpFraming framing,
                               TextBuffer *text) {
  const MpPacket &packet = dissection.packet;
  if (!reading.has_prefix && is_raw_text(packet.bytes)) return dissect_raw_text(dissection, text);
  record_sender_release(dissection, reading, framing);
  if (!reading.has_prefix) return dissect_message(dissection, reading, godot_codec::direct_route(packet), 0, text);
  const Outcome outcome =
      reading.commands.size() == 0
          ? dissect_system_message(dissection, reading.prefix, text)
          : dissect_message(dissection, reading, godot_codec::prefixed_route(packet, reading.prefix), 0, text);
  add_mp_prefix_items(dissection, reading.prefix.fields);
  return outcome;
}

// ---- dissectors

// Lists the first parts of the project folder that were not read. The command godot-project lists all.
void report_incomplete_project(const MpDissection &dissection, std::span<const std::string_view> notes) {
  constexpr std::size_t max_listed = 5;
  packet_info *pinfo = dissection.pinfo;
  wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, "");
  for (const std::string_view note : notes.first(std::min(notes.size(), max_listed))) {
    wmem_strbuf_append_printf(text, "%s%s", wmem_strbuf_get_len(text) == 0 ? "" : "; ", printable(pinfo->pool, note));
  }
  if (notes.size() > max_listed) wmem_strbuf_append_printf(text, "; and %zu more", notes.size() - max_listed);
  add_expert(pinfo, dissection.item, &mp_experts.project_incomplete, "Not read from the project folder: %s",
             wmem_strbuf_get_str(text));
}

// Reports the contents of the project folder, on one message of the capture.
void report_project(const MpDissection &dissection) {
  packet_info *pinfo = dissection.pinfo;
  if (!must_report_project(pinfo)) return;
  const char *text = describe_project(pinfo->pool);
  if (!project_problem().empty()) {
    return add_problem(pinfo, dissection.item, {.expert = &mp_experts.project_unreadable, .text = text});
  }
  proto_item_set_generated(proto_tree_add_string(dissection.tree, mp_fields.project_read, dissection.tvb, 0, 0, text));
  if (!project_notes().empty()) report_incomplete_project(dissection, project_notes());
}

// ---- outputs of a packet

bool is_summary_needed(const MpDissection &dissection) {
  return wants_summary(*dissection.context) || is_visible(dissection.tree) ||
         (dissection.tree != nullptr && proto_field_is_referenced(dissection.tree, mp_fields.summary) != 0) ||
         wants_arrows(dissection.pinfo) || is_mp_stream_followed();
}

// Appends three texts to the summary: the custom dissector's text, the mark of the outcome, and the mark of a problem.
const char *append_summary_marks(const MpDissection &dissection, const char *summary, Outcome outcome) {
  constexpr std::size_t max_completed_summary = COL_MAX_INFO_LEN;
  if (dissection.result->custom_info_text == nullptr && dissection.result->mark == nullptr && outcome == Outcome::ok)
    return summary;
  return pool_text<max_completed_summary>(dissection.pinfo, [&](TextBuffer &text) {
    text.append(summary);
    if (dissection.result->custom_info_text != nullptr) text.append(": ");
    if (dissection.result->custom_info_text != nullptr) text.append(dissection.result->custom_info_text);
    text.append(godot_codec::outcome_mark(outcome));
    if (dissection.result->mark == nullptr) return;
    text.append(" [");
    text.append(dissection.result->mark);
    text.append("]");
  });
}

CaptureState<PacketPosition> first_message;  // in its packet; its summary begins with the receiver

// Puts the receiver before the summary of a server's first message in a packet, because a call to several clients
// becomes one packet for each client.
const char *prepend_receiver(const MpDissection &dissection, const char *summary) {
  const MpPacket &packet = dissection.packet;
  packet_info *pinfo = dissection.pinfo;
  const godot_codec::MpPeerTracker &peers = packet.connection->peers();
  const bool has_other_clients = packet.is_from_server() && peers.has_several_clients(packet.position);
  if (!has_other_clients || !wants_summary(*dissection.context)) return summary;
  const bool is_later = first_message->packet == packet.position.packet && *first_message != packet.position;
  if (is_later) return summary;
  *first_message = packet.position;
  const std::optional<std::int32_t> id = peers.id_of(peers.client(), packet.position);
  const char *end = dissection.context->data_channel().destination;
  // Most packets of a server get this text, and wmem_strdup_printf() takes ten times as long.
  return pool_text<COL_MAX_INFO_LEN>(pinfo, [&](TextBuffer &text) {
    text.append("To ");
    if (id) {
      text.append_integer(*id);
    } else {
      text.append(end != nullptr ? end : endpoint_text(pinfo->dst, pinfo->destport));
    }
    text.append(": ");
    text.append(summary);
  });
}

// Returns a text about the delivery of the message: whether and when the receiver gets it. Only later frames show this.
const char *describe_delivery(const MpDissection &dissection) {
  const MpPacket &packet = dissection.packet;
  if (dissection.result->drop_reason != nullptr)
    return dissection.format("dropped: %s", dissection.result->drop_reason);
  if (packet.sequence.may_overtake || !packet.delivery->is_delivered(packet.position.packet)) return "unknown";
  const godot_codec::MpDeliveryState arrival = packet.connection->deliveries().arrival(packet);
  if (arrival.is_waiting) return "waiting";
  return packet.position < arrival.delivered_at ? "late" : "delivered";
}

void add_generated_items(const MpDissection &dissection, std::uint32_t stream) {
  proto_item_set_generated(proto_tree_add_uint(dissection.tree, mp_fields.length, dissection.tvb, 0, 0,
                                               tvb_reported_length(dissection.tvb)));
  proto_item_set_generated(proto_tree_add_uint(dissection.tree, mp_fields.stream, dissection.tvb, 0, 0, stream));
  // Later frames are known only on the second pass.
  const bool is_delivery_needed =
      is_visible(dissection.tree) || proto_field_is_referenced(dissection.tree, mp_fields.delivery) != 0;
  if (is_delivery_needed && PINFO_FD_VISITED(dissection.pinfo) && !dissection.context->is_duplicate_or_quoted) {
    proto_item_set_generated(proto_tree_add_string(dissection.tree, mp_fields.delivery, dissection.tvb, 0, 0,
                                                   describe_delivery(dissection)));
  }
  add_release_items(dissection.tvb, dissection.pinfo, dissection.tree, dissection.context->conversation);
}

// Fills in the names of sender and receiver, unless an earlier message of the packet has done this.
void fill_in_peer_names(const MpDissection &dissection) {
  PeerNames &names = peer_names_of(dissection.pinfo);
  if (names.from == nullptr) names.from = known_name_of_peer(dissection, dissection.result->route.sender);
  if (names.to == nullptr) names.to = known_name_of_peer(dissection, dissection.result->route.receiver);
}

// ---- preferences

void register_preferences(void (*apply)()) {
  static void (*apply_transports)();
  apply_transports = apply;
  module_t *module = prefs_register_protocol(proto_mp, [] {
    guarded<update_game_names>();
    apply_transports();
  });
  register_game_names(module);
  begin_port_preferences(module);
}

}  // namespace

godot_codec::MpSession &mp_session() { return *session; }

std::optional<Generation> preferred_generation() {
  if (pref_generation == generation_auto) return std::nullopt;
  return pref_generation == generation_3 ? Generation::godot3 : Generation::godot4;
}

const char *dissect_mp_packet(const MessageContext &context, const MpPacket &packet, const MpParsedPacket &reading,
                              MpFraming framing) {
  packet_info *pinfo = context.pinfo;
  proto_item *item = add_protocol_item(context.tree, proto_mp, context.tvb);
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.packet);
  MpDissectionResult notes{godot_codec::direct_route(packet)};
  const MpDissection dissection{pinfo,  context.tvb, tree,   item,
                                packet, &context,    &notes, needs_expert_items(pinfo, tree)};
  count_message(context, ByteCategory::mp_headers);
  record_multiplayer_message();
  const bool is_needed = is_summary_needed(dissection);
  auto *memory = static_cast<char *>(wmem_alloc(pinfo->pool, max_summary));
  TextBuffer text({memory, max_summary});
  const Outcome outcome = dissect_framed_message(dissection, reading, framing, is_needed ? &text : nullptr);
  const EnetMessageInfo *enet = context.enet();
  if (enet != nullptr && enet->is_fragmented) add_expert(pinfo, item, &mp_experts.over_mtu);
  if (packet.position == mp_session().first_over_memory_limit()) add_expert(pinfo, item, &mp_experts.over_memory_limit);
  report_project(dissection);
  report_layout_errors(pinfo, item);
  const char *summary = append_summary_marks(dissection, memory, outcome);
  if (is_needed && tree != nullptr) {
    set_protocol_label(item, proto_mp, summary);
    proto_item_set_generated(proto_tree_add_string(tree, mp_fields.summary, context.tvb, 0, 0, summary));
  }
  if (wants_peer_names(tree)) fill_in_peer_names(dissection);
  const std::uint32_t stream = mp_stream_index(*packet.connection);
  if (tree != nullptr || is_mp_stream_followed()) {
    record_mp_stream(pinfo, stream, context.data_channel().direction, packet.is_from_server());
  }
  if (tree != nullptr) add_generated_items(dissection, stream);
  add_summary(context, "GodotMP", prepend_receiver(dissection, summary));
  add_mp_arrow(dissection, reading, summary);
  set_match_summary(pinfo, summary);
  if (!is_mp_stream_followed()) return nullptr;
  return wmem_strdup_printf(pinfo->pool, "%s: %s\n", name_of_peer(dissection, notes.route.sender), summary);
}

void register_godot_mp(void (*apply)()) {
  proto_mp = proto_register_protocol("Godot High-level Multiplayer", "GodotMP", "godot_mp");
  register_mp_rules();
  register_mp_custom_payload(proto_mp);
  register_mp_follow_stream(proto_mp);
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
