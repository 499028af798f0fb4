// SPDX-License-Identifier: GPL-2.0-or-later
#include <optional>

#include "godot-codec/core/path.h"
#include "plugin/godot/releases.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/rules.h"

namespace godot_plugin {
namespace {

using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpName;
using godot_codec::MpNumbering;
using godot_codec::MpPaths;
using godot_codec::MpResolvedMessage;
using godot_codec::MpResolvedPart;
using godot_codec::Outcome;

ExpertItem auto_generated_name{
    {"godot_mp.auto_generated_name", PI_PROTOCOL, PI_WARN,
     "The path contains an auto-generated name, which differs on each peer"},
    {.weight = 290,
     .advice = "Give the node the same name on all peers before add_child(), or call add_child(node, true).",
     .merge = Merge::peers}};

// The engine numbers auto-generated names, so another node may have the same name on the other peer.
void note_made_up_name(const MpDrawing &drawing, std::string_view path, const MpNumbering &numbering) {
  const char *shown = printable(drawing.pinfo->pool, path);
  note_problem(
      drawing, numbering,
      {.rule = &auto_generated_name,
       .text = wmem_strdup_printf(
           drawing.pinfo->pool,
           "%s contains an auto-generated name, which differs on every peer: the receiver does not find the node, or finds another one",
           shown),
       .subject = shown,
       .subject_field = path_field,
       .mark = "auto-generated name"});
}

// Godot 3 confirms a path whether it has the node or not, and drops calls of a missing node without an error. So only
// an auto-generated name shows that the node may be missing.
void check_path_of_godot3(const MpDrawing &drawing, const MpResolvedMessage &message) {
  if (message.command.generation != godot_codec::Generation::godot3 || !message.is(MpCommand::simplify_path)) return;
  const std::string_view path = message.fields.text(MpField::path);
  if (has_made_up_name(path)) note_made_up_name(drawing, path, message.ids);
}

ExpertItem checksum_failed{
    {"godot_mp.checksum_failed", PI_PROTOCOL, PI_WARN,
     "The RPC methods of the node differ between the two sides (two-pass: which methods the other side has)"},
    {.weight = 220,
     .text = "The RPC methods of %s differ between the two sides: both need the same scripts",
     .advice = "Export server and client from the same project: each node needs the same @rpc methods on both sides.",
     .filter = "(godot_mp.checksum_failed or godot_mp.after_checksum_failure)"}};

// Describes a list of RPC methods by the project folder: "those of res://world.gd". Null if the folder has no script
// for it.
const char *describe_list(const MpDrawing &drawing, const MpName &name) {
  const godot_codec::MpNames *names = drawing.packet.names;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  if (name.md5 == godot_codec::mp_md5_of_no_methods) return "none";
  if (names == nullptr) return nullptr;
  const std::string_view owner = names->owner_of_list(name.md5);
  if (!owner.empty()) return wmem_strdup_printf(pool, "those of %s", printable(pool, owner));
  const std::string_view text = names->mismatch(name.md5, name.text);
  if (text.empty()) return nullptr;
  const std::size_t nearest = text.find(": ");
  if (nearest == std::string_view::npos) return "others than the project";
  return wmem_strdup_printf(pool, "others%s", printable(pool, text.substr(nearest)));
}

// Returns "The server has those of res://world.gd", or the MD5 of the list if nothing else is known.
const char *describe_side(const MpDrawing &drawing, const MpName &name, std::int32_t peer, bool begins_sentence) {
  const char *list = describe_list(drawing, name);
  if (list == nullptr) list = wmem_strdup_printf(drawing.pinfo->pool, "the list %s", name.md5.data());
  return wmem_strdup_printf(drawing.pinfo->pool, "%s has %s", describe_peer(drawing, peer, begins_sentence), list);
}

// Reports which side has which methods, as far as it is known. The methods of the receiver are in the capture only if
// it has announced the same path itself, before or after.
void note_sides(const MpDrawing &drawing, const MpName &told, const MpNumbering &numbering, const char *spawned) {
  if (told.md5.empty()) return;
  const MpPaths &paths = drawing.packet.connection->paths();
  const MpNumbering other{numbering.listener, numbering.owner};
  const MpName *own = paths.find(other, told.text, drawing.packet.moment);
  if (own == nullptr) own = paths.find_later(other, told.text, drawing.packet.moment);
  const char *side = describe_side(drawing, told, numbering.owner, true);
  const char *list = describe_list(drawing, told);
  const char *detail = list == nullptr ? spawned : side;
  if (list != nullptr && spawned != nullptr) {
    detail = wmem_strdup_printf(drawing.pinfo->pool, "%s; %s", side, spawned);
  }
  Finding finding{.rule = &checksum_failed, .subject = told.text.data(), .subject_field = path_field, .detail = detail};
  if (own != nullptr && !own->md5.empty() && own->md5 != told.md5) {
    finding.text = wmem_strdup_printf(drawing.pinfo->pool, "%s; %s (frame %u)", side,
                                      describe_side(drawing, *own, numbering.listener, false), own->defined.packet);
    note_problem(drawing, numbering, finding);
  } else if (detail != nullptr) {
    finding.text = list == nullptr ? spawned : side;
    note_problem(drawing, numbering, finding);
  }
}

// Explains that a node was spawned by its number in an Auto Spawn List, which may differ at the receiver. Null if it
// was not.
const char *describe_spawned_scene(const MpDrawing &drawing, std::string_view path, const MpNumbering &numbering) {
  const godot_codec::MpSpawn *spawn =
      drawing.packet.connection->nodes().find_spawned(numbering, godot_codec::last_name(path), drawing.packet.moment);
  if (spawn == nullptr || spawn->scene == godot_codec::mp_custom_scene) return nullptr;
  const std::string_view spawner = drawing.packet.connection->nodes().spawner_of(*spawn);
  if (spawner.empty()) return nullptr;
  return wmem_strdup_printf(
      drawing.pinfo->pool,
      "spawned in frame %u as scene number %u of %s: does the Auto Spawn List have the same scenes in the same order there?",
      spawn->spawned.packet, unsigned{spawn->scene}, spawner.data());
}

void check_checksum(const MpDrawing &drawing, const MpResolvedMessage &message) {
  const bool is_failed = message.fields.has(MpField::valid) && message.fields.integer(MpField::valid) == 0;
  // Godot reads no confirmation of another size: these bytes are none.
  if (!message.is(MpCommand::confirm_path) || !is_failed || message.command.rest.length > 0) return;
  const MpName *name = message.announced();
  const char *path = path_of(drawing, message);
  if (name != nullptr && has_made_up_name(name->text)) return note_made_up_name(drawing, name->text, message.ids);
  const char *releases = describe_release_conflict(drawing.pinfo);
  note_problem(drawing, message.ids,
               {.rule = &checksum_failed,
                .text = wmem_strdup_printf(
                    drawing.pinfo->pool, "%s reports that its RPC methods of %s differ from those of %s%s%s%s",
                    describe_peer(drawing, message.ids.listener, true), path == nullptr ? "a node" : path,
                    describe_peer(drawing, message.ids.owner, false),
                    name == nullptr ? "" : wmem_strdup_printf(drawing.pinfo->pool, " (frame %u)", name->defined.packet),
                    releases == nullptr ? "" : "; ", releases == nullptr ? "" : releases),
                .subject = path,
                .subject_field = path_field,
                .mark = "its RPC methods differ there"});
  if (name != nullptr)
    note_sides(drawing, *name, message.ids, describe_spawned_scene(drawing, name->text, message.ids));
}

ExpertItem after_checksum_failure{
    {"godot_mp.after_checksum_failure", PI_PROTOCOL, PI_WARN,
     "The RPC methods of the node differ between the two sides: another method may be called"},
    {.row = &checksum_failed}};

// A call of a node whose RPC methods differ at the receiver.
void check_checksum_failure(const MpDrawing &drawing, const MpResolvedMessage &message) {
  if (!message.is(MpCommand::rpc)) return;
  const MpPaths &paths = drawing.packet.connection->paths();
  const godot_codec::PacketPosition moment = drawing.packet.moment;
  const MpName *name = message.fields.has(MpField::path)
                           ? paths.find(message.ids, message.fields.text(MpField::path), moment)
                           : message.announced();
  if (name == nullptr) return;
  const std::optional<godot_codec::PacketPosition> failed = paths.checksum_failure(*name, message.ids.listener, moment);
  if (!failed) return;
  if (has_made_up_name(name->text)) return note_made_up_name(drawing, name->text, message.ids);
  const char *path = name->text.data();
  note_problem(drawing, message.ids,
               {.rule = &after_checksum_failure,
                .text = wmem_strdup_printf(
                    drawing.pinfo->pool,
                    "The RPC methods of %s differ between the two sides (frame %u): another method may be called", path,
                    failed->packet),
                .subject = path,
                .subject_field = path_field,
                .mark = "another method may be called there"});
}

ExpertItem unconfirmed_path{
    {"godot_mp.unconfirmed_path", PI_SEQUENCE, PI_WARN,
     "The receiver has not confirmed the path: it probably has no such node (two-pass)"},
    {.weight = 240,
     .text = "The receiver had no node %s when its path arrived: what was sent with the path is lost",
     .plural = "The receiver had no nodes %s when their paths arrived: what was sent with the paths is lost",
     .advice =
         "The receiver needs a node of this path before the first call. Is the node added later there, or with another parent or name?",
     .merge = Merge::peers}};

// A call or spawn that is lost because the receiver did not have the node when the path arrived. Later frames show it.
void note_lost_with_path(const MpDrawing &drawing, const MpResolvedMessage &message) {
  const MpName *name = drawing.packet.connection->paths().find_lacking(drawing.packet, message.command, message.ids);
  if (name == nullptr) return;
  const char *path = name->text.data();
  const char *advice = nullptr;
  const char *detail = describe_lack(drawing, *name, message.ids, &advice);
  const bool is_spawn = message.is(MpCommand::spawn);
  note_dropped(drawing, is_spawn ? "the receiver has no such spawner" : "the receiver has no such node");
  note_problem(drawing, message.ids,
               {.rule = &unconfirmed_path,
                .text = wmem_strdup_printf(
                    drawing.pinfo->pool, "%s probably has no node %s: it never confirmed the path (frame %u)%s%s",
                    describe_peer(drawing, message.ids.listener, true), path, name->defined.packet,
                    detail == nullptr ? "" : "; ", detail == nullptr ? "" : detail),
                .subject = path,
                .subject_field = path_field,
                .detail = detail,
                .mark = of_path(drawing, path, "missing at the receiver"),
                .advice = advice});
}

ExpertItem unconfirmed_call{
    "godot_mp.unconfirmed_call", PI_SEQUENCE, PI_NOTE,
    "The receiver had not confirmed the path: the call arrives only if the node has been added there since"};

// A call with a path that the receiver has not confirmed. The node may have been added since the path arrived.
void note_unconfirmed_call(const MpDrawing &drawing, const MpResolvedMessage &message) {
  const MpName *name =
      drawing.packet.connection->paths().find_unconfirmed(drawing.packet, message.command, message.ids);
  if (name == nullptr) return;
  add_expert(drawing.pinfo, drawing.item, &unconfirmed_call,
             "%s has not confirmed %s (frame %u): the call arrives only if the node has been added there since",
             describe_peer(drawing, message.ids.listener, true), name->text.data(), name->defined.packet);
}

// A path that was not confirmed in time: reported on the message that announced it, and on messages that need it.
void check_unconfirmed(const MpDrawing &drawing, const MpResolvedMessage &message) {
  if (is_unauthenticated(drawing)) return;
  // A peer that never sends anything is reported once, by `unresponsive`.
  if (drawing.packet.connection->causes().is_mute(1 - drawing.packet.end)) return;
  const MpPaths &paths = drawing.packet.connection->paths();
  note_unconfirmed_call(drawing, message);
  if (PINFO_FD_VISITED(drawing.pinfo)) note_lost_with_path(drawing, message);
  if (!message.is(MpCommand::simplify_path) || message.command.outcome != Outcome::ok) return;
  const MpName *told = paths.find(message.ids, message.fields.number(MpField::path_id), drawing.packet.moment);
  if (told == nullptr || !paths.is_never_confirmed(drawing.packet, *told, message.ids)) return;
  const char *advice = nullptr;
  const char *similar = describe_lack(drawing, *told, message.ids, &advice);
  const char *seen = "it never confirmed the path, although it remained active long after";
  if (told->late_call.packet != 0) {
    seen = wmem_strdup_printf(drawing.pinfo->pool,
                              "it never confirmed the path, and later calls still contain the full path (frame %u)",
                              told->late_call.packet);
  } else if (told->overdue.packet != 0) {
    seen = wmem_strdup_printf(drawing.pinfo->pool, "it has not confirmed the path up to frame %u, nor later",
                              told->overdue.packet);
  }
  note_problem(drawing, message.ids,
               {.rule = &unconfirmed_path,
                .text = wmem_strdup_printf(drawing.pinfo->pool, "%s probably has no such node: %s",
                                           describe_peer(drawing, message.ids.listener, true), seen),
                .subject = told->text.data(),
                .subject_field = path_field,
                .detail = similar,
                .mark = "missing at the receiver",
                .advice = advice});
}

ExpertItem unannounced_path{
    {"godot_mp.unannounced_path", PI_SEQUENCE, PI_NOTE,
     "The receiver has not got the path of this number: Godot drops the message"},
    {.weight = 300,
     .text = "The receiver never got the path of %s: Godot drops messages for it",
     .advice =
         "Did the receiver connect, or get the node, later than the others? Call the node again once the receiver has it."}};

// Returns "Peer 2222 has not got path 3 (Main/World), peer 1111 has (frame 3): Godot drops the message".
const char *describe_unannounced(const MpDrawing &drawing, std::uint32_t number, const godot_codec::MpTelling &other,
                                 const MpNumbering &numbering) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *receiver = describe_peer(drawing, numbering.listener, true);
  if (other.later != nullptr) {
    return wmem_strdup_printf(pool, "%s gets path %u (%s) after this message, in frame %u: Godot drops the message",
                              receiver, number, other.later->text.data(), other.later->defined.packet);
  }
  if (other.name == nullptr) {
    return wmem_strdup_printf(pool, "%s has not got path %u, nor has another peer: Godot drops the message", receiver,
                              number);
  }
  const char *peer = other.receiver == 0 ? "another peer" : describe_peer(drawing, other.receiver, false);
  return wmem_strdup_printf(pool, "%s has not got path %u (%s), %s has (frame %u): Godot drops the message", receiver,
                            number, other.name->text.data(), peer, other.name->defined.packet);
}

constexpr MpRule rules[] = {
    {check_path_of_godot3, {&auto_generated_name}},
    {check_checksum, {&checksum_failed}},
    {check_checksum_failure, {&after_checksum_failure}},
    {check_unconfirmed, {&unconfirmed_path, &unconfirmed_call}},
    {nullptr, {&unannounced_path}},
};

}  // namespace

MpRules path_rules() { return rules; }

void note_unannounced(const MpDrawing &drawing, const MpResolvedPart &part) {
  const std::uint32_t number = part.path_id().value_or(0);
  const godot_codec::MpTelling other = part.unannounced().value_or(godot_codec::MpTelling{});
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *text = describe_unannounced(drawing, number, other, part.ids);
  const char *mark = wmem_strdup_printf(pool, "path %u was not announced there", number);
  const bool is_path = other.name != nullptr;
  const char *what = is_path ? other.name->text.data() : wmem_strdup_printf(pool, "#%u", number);
  const Finding finding{.rule = &unannounced_path,
                        .text = text,
                        .subject = what,
                        .subject_field = is_path ? path_field : nullptr,
                        .mark = mark};
  note_dropped(drawing, "the receiver has not got the path of this number");
  // A few messages that overtake the path while a peer joins are normal.
  const bool is_overtaken =
      drawing.packet.sequence.may_overtake && other.later != nullptr &&
      godot_codec::elapsed(drawing.packet.time, other.later->time) < godot_codec::mp_confirmation_wait;
  if (is_overtaken || may_have_overtaken(drawing)) return note_harmless(drawing, finding);
  note_problem(drawing, part.ids, finding);
}

}  // namespace godot_plugin
