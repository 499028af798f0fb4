// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/judge.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <optional>
#include <string_view>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/arguments.h"
#include "godot-codec/multiplayer/sentence.h"
#include "godot-codec/multiplayer/signature.h"
#include "godot-codec/multiplayer/values.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/taps.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/releases.h"
#include "plugin/multiplayer/causes.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/multiplayer/words.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/problems.h"

namespace godot_plugin {
namespace {

using godot_codec::MpAuthority;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpMessage;
using godot_codec::MpName;
using godot_codec::MpNode;
using godot_codec::MpNumbering;
using godot_codec::MpOwner;
using godot_codec::MpPaths;
using godot_codec::MpPeers;
using godot_codec::MpProperties;
using godot_codec::MpRoute;
using godot_codec::Outcome;
using godot_codec::TextBuffer;

constexpr const char *path_field = "godot_mp.path";

// SceneMultiplayer's auth_timeout is 3 s if nobody sets it; it is counted from the connection on, and asked once a
// frame.
constexpr std::int64_t least_auth_timeout = 29 * (godot_codec::nanoseconds_per_second / 10);
constexpr std::int64_t most_auth_timeout = 34 * (godot_codec::nanoseconds_per_second / 10);

// Rules by which a receiver drops a message.
constexpr const char *never_told = "the receiver has not got the path of this number";
constexpr const char *not_spawned = "the node does not exist there";
constexpr const char *not_remote = "that peer may not call its method";

// Tells which side has which methods, as far as that is known. A peer that says that the methods differ has its own
// list in the capture only if it has announced the same path itself, before or after.
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
  Finding finding{
      .rule = &mp_experts.checksum_failed, .subject = told.text.data(), .subject_field = path_field, .detail = detail};
  if (own != nullptr && !own->md5.empty() && own->md5 != told.md5) {
    finding.text = wmem_strdup_printf(drawing.pinfo->pool, "%s; %s (frame %u)", side,
                                      describe_side(drawing, *own, numbering.listener, false), own->defined.packet);
    note_problem(drawing, numbering, finding);
  } else if (detail != nullptr) {
    finding.text = list == nullptr ? spawned : side;
    note_problem(drawing, numbering, finding);
  }
}

// The engine counts the names that it makes up: another node may have the same one at the other peer.
void note_made_up_name(const MpDrawing &drawing, std::string_view path, const MpNumbering &numbering) {
  const char *shown = printable(drawing.pinfo->pool, path);
  note_problem(
      drawing, numbering,
      {.rule = &mp_experts.auto_generated_name,
       .text = wmem_strdup_printf(
           drawing.pinfo->pool,
           "%s contains an auto-generated name, which differs on every peer: the receiver does not find the node, or finds another one",
           shown),
       .subject = shown,
       .subject_field = path_field,
       .mark = "auto-generated name"});
}

// Tells that a node was spawned by its number in a list of scenes, which may differ at the receiver; null if it was
// not.
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

void note_checksum(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const bool is_failed = message.fields.has(MpField::valid) && message.fields.integer(MpField::valid) == 0;
  // Godot reads no confirmation of another size: these bytes are none.
  if (message.command != MpCommand::confirm_path || !is_failed || message.rest.length > 0) return;
  const MpName *name = godot_codec::find_mp_name(drawing.packet, message.fields, numbering);
  const char *path = path_of(drawing, message.fields, numbering);
  if (name != nullptr && has_made_up_name(name->text)) return note_made_up_name(drawing, name->text, numbering);
  const char *releases = describe_two_releases(drawing.pinfo);
  note_problem(drawing, numbering,
               {.rule = &mp_experts.checksum_failed,
                .text = wmem_strdup_printf(
                    drawing.pinfo->pool, "%s reports that its RPC methods of %s differ from those of %s%s%s%s",
                    describe_peer(drawing, numbering.listener, true), path == nullptr ? "a node" : path,
                    describe_peer(drawing, numbering.owner, false),
                    name == nullptr ? "" : wmem_strdup_printf(drawing.pinfo->pool, " (frame %u)", name->defined.packet),
                    releases == nullptr ? "" : "; ", releases == nullptr ? "" : releases),
                .subject = path,
                .subject_field = path_field,
                .mark = "its RPC methods differ there"});
  if (name != nullptr) note_sides(drawing, *name, numbering, describe_spawned_scene(drawing, name->text, numbering));
}

// A call of a node whose methods differ at the receiver.
void note_checksum_failure(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (message.command != MpCommand::rpc) return;
  const MpPaths &paths = drawing.packet.connection->paths();
  const godot_codec::PacketPosition moment = drawing.packet.moment;
  const MpName *name = message.fields.has(MpField::path)
                           ? paths.find(numbering, message.fields.text(MpField::path), moment)
                           : godot_codec::find_mp_name(drawing.packet, message.fields, numbering);
  if (name == nullptr) return;
  const std::optional<godot_codec::PacketPosition> failed = paths.checksum_failure(*name, numbering.listener, moment);
  if (!failed) return;
  if (has_made_up_name(name->text)) return note_made_up_name(drawing, name->text, numbering);
  const char *path = name->text.data();
  note_problem(drawing, numbering,
               {.rule = &mp_experts.after_checksum_failure,
                .text = wmem_strdup_printf(
                    drawing.pinfo->pool,
                    "The RPC methods of %s differ between the two sides (frame %u): another method may be called", path,
                    failed->packet),
                .subject = path,
                .subject_field = path_field,
                .mark = "another method may be called there"});
}

// A spawn of a scene whose number is beyond the spawner's list in the game's folder.
void note_unlisted_scene(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  if (names == nullptr || message.command != MpCommand::spawn || message.outcome != Outcome::ok) return;
  const auto scene = static_cast<std::uint32_t>(message.fields.integer(MpField::scene));
  const MpName *spawner = godot_codec::find_mp_name(drawing.packet, message.fields, numbering);
  if (spawner == nullptr || scene == godot_codec::mp_custom_scene) return;
  const std::optional<std::size_t> count = names->spawnable_scenes(spawner->text);
  if (!count || scene < *count) return;
  const char *path = spawner->text.data();
  const char *list = wmem_strdup_printf(drawing.pinfo->pool, "number %u, of %zu%s", scene, *count,
                                        describe_line(drawing, names->node_line(spawner->text)));
  note_problem(
      drawing, numbering,
      {.rule = &mp_experts.unlisted_scene,
       .text = wmem_strdup_printf(
           drawing.pinfo->pool,
           "%s spawns scene number %u, but its Auto Spawn List in the project folder has %zu scenes: a receiver with that list cannot spawn it (\"Index … is out of bounds\")",
           path, scene, *count),
       .subject = path,
       .subject_field = path_field,
       .detail = list,
       .mark = "the scene is not in the Auto Spawn List"});
}

// True if the receiver waits for authentication, and drops everything else.
bool is_dropped_unauthenticated(const MpDrawing &drawing) {
  const godot_codec::MpPacket &packet = drawing.packet;
  if (!packet.has_roles()) return false;
  const godot_codec::MpAuthentication &receiver = packet.connection->peers().authentication(1 - packet.end);
  const bool has_asked = receiver.asked.packet != 0 && receiver.asked < packet.moment;
  const bool has_completed = receiver.completed.packet != 0 && receiver.completed < packet.moment;
  return has_asked && !has_completed;
}

// True if the receiver never finishes its authentication: nothing gets through to it. Looks ahead.
bool is_never_admitted(const MpDrawing &drawing) {
  const godot_codec::MpPacket &packet = drawing.packet;
  if (!packet.has_roles()) return false;
  const godot_codec::MpAuthentication &receiver = packet.connection->peers().authentication(1 - packet.end);
  return receiver.asked.packet != 0 && receiver.completed.packet == 0;
}

// True if the capture may lack a message by which one of the sides took part in an authentication.
bool may_lack_authentication(const godot_codec::MpPacket &packet) {
  constexpr std::int64_t longest = std::int64_t{1} << 61;
  const std::int64_t until = std::min(packet.time, longest) + most_auth_timeout;
  const godot_codec::MpPeriod period{godot_codec::packet_position_zero, -longest, until};
  const godot_codec::MpAccount &messages = packet.connection->messages();
  return godot_codec::may_lack(packet, messages, 0, period) || godot_codec::may_lack(packet, messages, 1, period);
}

void note_authentication(const MpDrawing &drawing, const MpMessage &message) {
  const godot_codec::MpPacket &packet = drawing.packet;
  if (!packet.has_roles() || packet.connection == nullptr) return;
  const MpNumbering ends{godot_codec::mp_end(packet.end), godot_codec::mp_end(1 - packet.end)};
  if (message.command != MpCommand::auth) {
    if (!is_dropped_unauthenticated(drawing) || may_lack_authentication(packet)) return;
    note_dropped(drawing, "the receiver waits for authentication");
    note_problem(
        drawing, ends,
        {.rule = &mp_experts.authentication,
         .text = wmem_strdup_printf(
             drawing.pinfo->pool, "%s requires authentication, but %s does not take part: it needs an auth_callback",
             describe_peer(drawing, ends.listener, true), describe_peer(drawing, ends.owner, false)),
         .mark = "not authenticated"});
    return;
  }
  if (!PINFO_FD_VISITED(drawing.pinfo)) return;
  const Finding finding = find_failed_authentication(drawing, message);
  if (finding.rule != nullptr && !may_lack_authentication(packet)) note_problem(drawing, ends, finding);
}

// The receiver waits for an authentication that the sender knows nothing of. It drops all that comes, and says nothing
// until its auth_timeout ends. @returns whether that is so
bool note_unanswered_authentication(const MpDrawing &drawing, const MpNumbering &numbering) {
  const godot_codec::MpPacket &packet = drawing.packet;
  if (packet.delivery == nullptr || !packet.has_roles()) return false;
  const godot_codec::DisconnectInfo farewell = packet.delivery->farewell();
  const bool is_by_receiver = farewell.is_said && farewell.by_client != packet.is_from_client();
  const bool is_in_time = farewell.after > least_auth_timeout && farewell.after < most_auth_timeout;
  const bool is_mute = packet.connection->causes().is_silent(1 - packet.end);
  if (!is_by_receiver || !is_in_time || !is_mute) return false;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *receiver = describe_peer(drawing, numbering.listener, true);
  note_dropped(drawing, "the receiver waits for authentication");
  note_problem(
      drawing, numbering,
      {.rule = &mp_experts.authentication,
       .text = wmem_strdup_printf(
           pool,
           "%s sent nothing and disconnected after %.1f s (frame %u), the default auth_timeout: does it have an auth_callback, but %s does not?",
           receiver, static_cast<double>(farewell.after) / godot_codec::nanoseconds_per_second, farewell.moment.packet,
           describe_peer(drawing, numbering.owner, false)),
       .mark = "not authenticated",
       .disconnected_in = farewell.moment.packet});
  return true;
}

// A call or spawn that is lost because the receiver lacked the node when the path arrived. Later frames show that.
void note_lost_with_path(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const MpName *name = drawing.packet.connection->paths().find_lacking(drawing.packet, message, numbering);
  if (name == nullptr) return;
  const char *path = name->text.data();
  const char *advice = nullptr;
  const char *detail = describe_lack(drawing, *name, numbering, &advice);
  const bool is_spawn = message.command == MpCommand::spawn;
  note_dropped(drawing, is_spawn ? "the receiver has no such spawner" : "the receiver has no such node");
  note_problem(drawing, numbering,
               {.rule = &mp_experts.unconfirmed_path,
                .text = wmem_strdup_printf(drawing.pinfo->pool,
                                           "%s probably has no node %s: it never confirmed the path (frame %u)%s%s",
                                           describe_peer(drawing, numbering.listener, true), path, name->defined.packet,
                                           detail == nullptr ? "" : "; ", detail == nullptr ? "" : detail),
                .subject = path,
                .subject_field = path_field,
                .detail = detail,
                .mark = of_path(drawing, path, "missing at the receiver"),
                .advice = advice});
}

// A call with a path that was not confirmed. The node may have been added since the path arrived.
void note_unconfirmed_call(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const MpName *name = drawing.packet.connection->paths().find_unconfirmed(drawing.packet, message, numbering);
  if (name == nullptr) return;
  add_expert(drawing.pinfo, drawing.item, &mp_experts.unconfirmed_call,
             "%s has not confirmed %s (frame %u): the call arrives only if the node has been added there since",
             describe_peer(drawing, numbering.listener, true), name->text.data(), name->defined.packet);
}

// A path, or a call with it, that crosses with the node's despawn. Both ends work as they should.
void note_crossing_despawn(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const MpName *name = drawing.packet.connection->paths().find_crossed(drawing.packet, message, numbering);
  if (name == nullptr) return;
  note_dropped(drawing, not_spawned);
  note_harmless(drawing, {.rule = &mp_experts.unknown_node,
                          .text = wmem_strdup_printf(
                              drawing.pinfo->pool,
                              "%s was despawned (frame %u) while this message was on its way: Godot drops the "
                              "message, which is harmless",
                              name->text.data(), name->despawned.packet)});
}

// Notes a path that should have been confirmed long ago on the message that announced it, and on those that need it.
void note_unconfirmed(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (is_dropped_unauthenticated(drawing) || is_never_admitted(drawing)) return;
  if (note_unanswered_authentication(drawing, numbering)) return;
  note_crossing_despawn(drawing, message, numbering);
  // A peer that never says anything is reported once, as a whole.
  if (drawing.packet.connection->causes().is_mute(1 - drawing.packet.end)) return;
  const MpPaths &paths = drawing.packet.connection->paths();
  note_unconfirmed_call(drawing, message, numbering);
  if (PINFO_FD_VISITED(drawing.pinfo)) note_lost_with_path(drawing, message, numbering);
  if (message.command != MpCommand::simplify_path || message.outcome != Outcome::ok) return;
  const MpName *told = paths.find(numbering, message.fields.number(MpField::path_id), drawing.packet.moment);
  if (told == nullptr || !paths.is_never_confirmed(drawing.packet, *told, numbering)) return;
  const char *advice = nullptr;
  const char *similar = describe_lack(drawing, *told, numbering, &advice);
  const char *seen = "it never confirmed the path, although it remained active long after";
  if (told->late_call.packet != 0) {
    seen = wmem_strdup_printf(drawing.pinfo->pool,
                              "it never confirmed the path, and later calls still contain the full path (frame %u)",
                              told->late_call.packet);
  } else if (told->overdue.packet != 0) {
    seen = wmem_strdup_printf(drawing.pinfo->pool, "it has not confirmed the path up to frame %u, nor later",
                              told->overdue.packet);
  }
  note_problem(drawing, numbering,
               {.rule = &mp_experts.unconfirmed_path,
                .text = wmem_strdup_printf(drawing.pinfo->pool, "%s probably has no such node: %s",
                                           describe_peer(drawing, numbering.listener, true), seen),
                .subject = told->text.data(),
                .subject_field = path_field,
                .detail = similar,
                .mark = "missing at the receiver",
                .advice = advice});
}

// Godot 3 confirms a path whether or not it has the node, and drops calls of a missing node without a word. So only a
// made-up name shows that the node may be missing.
void note_path_of_godot3(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (message.generation != godot_codec::Generation::godot3 || message.command != MpCommand::simplify_path) return;
  const std::string_view path = message.fields.text(MpField::path);
  if (has_made_up_name(path)) note_made_up_name(drawing, path, numbering);
}

// "take_damage() in res://world.gd:4", "take_damage()"; null: it has no name.
const char *describe_source(const MpDrawing &drawing, const godot_codec::MpMethod &method) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const std::string_view name = drawing.packet.names->method(method).text;
  if (name.empty()) return nullptr;
  return wmem_strdup_printf(pool, "%s()%s", printable(pool, name),
                            describe_line(drawing, drawing.packet.names->source_line(method)));
}

// The peer that may make a call instead of its caller; authority 0: the caller may, or that is not known.
struct Refusal {
  std::int32_t authority = 0;
  bool is_proven = false;   // only scripts can move the authority, and it is known what they do
  bool is_certain = false;  // is_proven, or the peers' own messages show it
};

Refusal refusal_of(const MpDrawing &drawing, const MpRoute &route, const godot_codec::MpMethod &method) {
  const godot_codec::MpNames &names = *drawing.packet.names;
  const std::optional<std::int32_t> id = drawing.packet.connection->peers().id_of(route.sender, drawing.packet.moment);
  const std::int32_t proven = names.authority_of_method(method);
  const MpAuthority &authority = drawing.packet.connection->authority();
  if (proven != 0 && id) {
    const bool is_owner = *id == proven || authority.is_against_project(route.sender, method.path);
    return is_owner ? Refusal{} : Refusal{proven, true, true};
  }
  const bool may_be_server =
      drawing.packet.role_of(route.sender) == godot_codec::MpRole::server || !drawing.packet.has_roles();
  if (may_be_server || authority.is_only_authority(route.sender, method.path)) return {};
  if (!names.may_move_authority()) return {godot_codec::mp_server, true, true};
  const MpOwner owner = authority.owner_of(route.sender, method.path, drawing.packet.moment);
  if (owner == MpOwner::peer) return {};
  return {godot_codec::mp_server, false, owner == MpOwner::another};
}

// A call that its receiver refuses, which only the receiver's own log says.
void note_authority(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route,
                    const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const bool is_call = message.command == MpCommand::rpc && message.fields.has(MpField::method_id);
  if (names == nullptr || !is_call) return;
  const godot_codec::MpMethod method = godot_codec::mp_method_of(drawing.packet, message, numbering);
  if (names->is_disabled(method)) {
    note_dropped(drawing, "its mode is \"disabled\"");
    return note_problem(drawing, numbering,
                        {.rule = &mp_experts.refused,
                         .text = "The mode of the method is \"disabled\": Godot rejects the call from every peer",
                         .subject = path_of(drawing, message.fields, numbering),
                         .subject_field = path_field,
                         .detail = "the mode of the method is \"disabled\"",
                         .mark = "Godot rejects it"});
  }
  if (!names->is_for_authority(method)) return;
  const Refusal refusal = refusal_of(drawing, route, method);
  if (refusal.authority == 0) return;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *caller = describe_peer(drawing, route.sender, false);
  const bool is_server = refusal.authority == godot_codec::mp_server;
  const char *authority = is_server ? "the server" : wmem_strdup_printf(pool, "peer %d", refusal.authority);
  const char *text = wmem_strdup_printf(
      pool, "Only the authority of the node may call this method, and %s is not %s: Godot rejects the call%s", caller,
      authority,
      refusal.is_proven ? ", according to the scripts of the project folder"
                        : ", unless a script has made the sender the authority");
  ExpertItem *field = refusal.is_proven ? &mp_experts.refused : &mp_experts.not_allowed;
  // The table of problems gets only what is certain.
  if (!refusal.is_certain) return add_expert(drawing.pinfo, drawing.item, field, "%s", text);
  const char *source = describe_source(drawing, method);
  const char *detail =
      wmem_strdup_printf(pool, "%s is called by %s, but its authority is %s%s; @rpc(\"any_peer\") allows all peers",
                         source == nullptr ? "a method" : source, caller, authority,
                         refusal.is_proven ? " according to the scripts of the project folder" : "");
  note_dropped(drawing, "only the authority may call it");
  note_problem(drawing, numbering,
               {.rule = field,
                .text = text,
                .subject = path_of(drawing, message.fields, numbering),
                .subject_field = path_field,
                .detail = detail,
                .mark = refusal.is_proven ? "Godot rejects it" : nullptr});
}

constexpr const char *advice_about_variables =
    "Write \"remote\", \"master\" or \"puppet\" before the var, or call rset_config(), on the receiver.";
constexpr const char *advice_about_types =
    "Pass a value of the declared type in the call (int(x), str(x)), or change the type of the parameter.";

// `take_damage("five", "fall")`
const char *describe_call(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route, const char *path) {
  constexpr std::string_view verb = "RPC ";
  const std::string_view sentence = pool_text(drawing, [&](TextBuffer &text) {
    static_cast<void>(godot_codec::append_mp_sentence(drawing.packet, message, route, text));
  });
  const std::size_t begin = sentence.find(verb);
  if (begin == std::string_view::npos) return nullptr;
  std::string_view call = sentence.substr(begin + verb.size());
  if (path != nullptr && call.starts_with(path) && call.substr(std::strlen(path)).starts_with('.')) {
    call.remove_prefix(std::strlen(path) + 1);
  }
  return call.data();  // to the end of the sentence, which is terminated
}

// A call with arguments that the method does not take.
void note_signature(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route,
                    const MpNumbering &numbering) {
  const godot_codec::project::Function *function = called_function(drawing, message, numbering);
  if (function == nullptr || message.outcome != Outcome::ok) return;
  const godot_codec::MpArguments arguments = godot_codec::read_mp_arguments(*drawing.packet.values, message);
  if (godot_codec::is_mp_call_accepted(*function, arguments)) return;
  const char *signature =
      pool_text(drawing, [&](TextBuffer &text) { godot_codec::append_mp_signature(*function, text); });
  const char *refusal =
      pool_text(drawing, [&](TextBuffer &text) { godot_codec::append_mp_refusal(*function, arguments, text); });
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const godot_codec::MpSourceLine source =
      drawing.packet.names->source_line(godot_codec::mp_method_of(drawing.packet, message, numbering));
  const bool is_count =
      arguments.count < function->least() || (arguments.count > function->parameters.size() && !function->takes_more);
  const char *gets = is_count ? wmem_strdup_printf(pool, "is called with %u argument%s", arguments.count,
                                                   arguments.count == 1 ? "" : "s")
                              : "is called with an argument of another type";
  const char *path = path_of(drawing, message.fields, numbering);
  note_dropped(drawing, "its arguments do not match");
  note_problem(drawing, numbering,
               {.rule = &mp_experts.signature_mismatch,
                .text = wmem_strdup_printf(pool, "%s %s: the receiver does not call it, and reports \"%s\"",
                                           printable(pool, signature), gets, printable(pool, refusal)),
                .subject = path,
                .subject_field = path_field,
                .detail = wmem_strdup_printf(pool, "%s%s: %s", printable(pool, signature),
                                             describe_line(drawing, source), printable(pool, refusal)),
                .call = describe_call(drawing, message, route, path),
                .mark = "its arguments do not match",
                .advice = is_count ? nullptr : advice_about_types});
}

// A call with a node or a resource as an argument: it is encoded as its instance's id, which means nothing elsewhere.
void note_object_arguments(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const bool is_spawn = message.command == MpCommand::spawn && message.custom.count > 0;
  const bool is_call = message.command == MpCommand::rpc && message.generation == godot_codec::Generation::godot4;
  if (!(is_call || is_spawn) || message.outcome != Outcome::ok) return;
  godot_codec::MpValueCursor values(*drawing.packet.values, is_spawn ? message.custom : message.variants,
                                    message.generation);
  while (values.next()) {
    const std::uint64_t id =
        godot_codec::mp_object_id(drawing.packet.bytes, values.walk().offset, values.walk().end, message.generation);
    if (id == 0) continue;
    return note_problem(
        drawing, numbering,
        {.rule = &mp_experts.object_id_argument,
         .text = wmem_strdup_printf(
             drawing.pinfo->pool,
             "Argument %u is or contains an Object: the receiver gets an EncodedObjectAsID with the ID %" PRIu64
             ", which is valid only on the sender",
             values.index(), id),
         .subject = path_of(drawing, message.fields, numbering),
         .subject_field = path_field,
         .mark = is_spawn ? "Object in the spawn data" : "Object as an argument"});
  }
}

// True if a node's name is a number that may be a peer's id.
bool has_number(std::string_view path) {
  const std::string_view name = godot_codec::last_name(path);
  return name.find_first_not_of("0123456789") == std::string_view::npos && !name.empty();
}

// Why Godot 3 refuses a call or a value, by the words in front of the functions or variables of that name; null: it
// does not.
const char *describe_refused_member(const MpDrawing &drawing, const godot_codec::MpRemoteMember &member,
                                    const MpRoute &route, const char *path, const char *name, const char *what,
                                    const char *word) {
  using Callers = godot_codec::project::RemoteCallers;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *verb = *word == 'v' ? "set" : "call";
  if (member.callers == Callers::nobody) {
    return wmem_strdup_printf(
        pool,
        "%s is %s by other peers, but no script of the project folder allows this: Godot rejects it. Write \"remote %s %s\" (or puppet, master, remotesync)",
        what, *word == 'v' ? "set" : "called", word, name);
  }
  const std::optional<std::int32_t> id = drawing.packet.connection->peers().id_of(route.sender, drawing.packet.moment);
  const bool has_rivals = member.callers == Callers::master && path != nullptr && *word == 'f' &&
                          drawing.packet.connection->authority().has_rivals(path);
  // The node's name is a peer's id, but not this peer's: so it belongs to the other one.
  if (has_rivals && PINFO_FD_VISITED(drawing.pinfo) && id && !has_name_of(path, *id) && has_number(path)) {
    return wmem_strdup_printf(
        pool,
        "%s is a puppet %s, which only the network master of the node may call. Two peers call such methods of the node, and by its name the master is not %s: Godot rejects the calls of that peer. Write \"remote %s %s\" or \"master %s %s\"",
        what, word, describe_peer(drawing, route.sender, false), word, name, word, name);
  }
  const bool is_by_master =
      drawing.packet.role_of(route.sender) == godot_codec::MpRole::server || !drawing.packet.has_roles();
  if (member.callers != Callers::master || is_by_master || drawing.packet.names->may_move_authority()) return nullptr;
  return wmem_strdup_printf(
      pool,
      "%s is a puppet %s: only the network master of the node, the server, may %s it, but %s does: Godot rejects it. Write \"remote %s %s\" or \"master %s %s\"",
      what, word, verb, describe_peer(drawing, route.sender, false), word, name, word, name);
}

// "take_damage() takes 2 arguments, and gets 3"; null: they fit.
const char *describe_unfit_arguments(const MpDrawing &drawing, const MpMessage &message,
                                     const godot_codec::MpRemoteMember &member, const char *name) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *line = describe_line(drawing, member.source);
  const std::size_t count = message.variants.count;
  if (count < member.least || count > member.most) {
    const std::size_t taken = count < member.least ? member.least : member.most;
    return wmem_strdup_printf(pool, "%s()%s takes %zu argument%s and is called with %zu", name, line, taken,
                              taken == 1 ? "" : "s", count);
  }
  if (member.function == nullptr) return nullptr;
  const godot_codec::MpArguments arguments = godot_codec::read_mp_arguments(*drawing.packet.values, message);
  if (godot_codec::is_mp_call_accepted(*member.function, arguments)) return nullptr;
  const char *refusal =
      pool_text(drawing, [&](TextBuffer &text) { godot_codec::append_mp_refusal(*member.function, arguments, text); });
  return wmem_strdup_printf(pool, "%s()%s: %s", name, line, printable(pool, refusal));
}

// Godot 3 sends the name of the method or variable. Compares the call with the functions or variables of that name in
// the folder: who may use them, and what they take.
void note_call_of_godot3(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route,
                         const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const bool is_variable = message.command == MpCommand::rset;
  const bool is_call = is_variable || message.command == MpCommand::rpc;
  const bool is_read = message.outcome == Outcome::ok && message.generation == godot_codec::Generation::godot3;
  if (names == nullptr || !is_call || !is_read) return;
  const std::string_view name = message.fields.text(is_variable ? MpField::property : MpField::method);
  const godot_codec::MpRemoteMember member = names->remote_member(name, is_variable);
  if (!member.is_known && !member.is_lacking) return;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *path = path_of(drawing, message.fields, numbering);
  const char *shown = printable(pool, name);
  if (member.is_lacking) {
    note_dropped(drawing, not_remote);
    return note_problem(
        drawing, numbering,
        {.rule = &mp_experts.not_remote,
         .text = wmem_strdup_printf(
             pool,
             "%s() of %s is called by other peers, but no script of the project folder has a function of that name: Godot rejects it. Is the name spelled differently, or is the folder of another version?",
             shown, path == nullptr ? "a node" : path),
         .subject = path,
         .subject_field = path_field,
         .mark = "Godot rejects it"});
  }
  const char *what = wmem_strdup_printf(pool, "%s%s of %s%s", shown, is_variable ? "" : "()",
                                        path == nullptr ? "a node" : path, describe_line(drawing, member.source));
  const char *refusal =
      describe_refused_member(drawing, member, route, path, shown, what, is_variable ? "var" : "func");
  if (refusal != nullptr) {
    note_dropped(drawing, not_remote);
    return note_problem(drawing, numbering,
                        {.rule = &mp_experts.not_remote,
                         .text = refusal,
                         .subject = path,
                         .subject_field = path_field,
                         .mark = "Godot rejects it",
                         .advice = is_variable ? advice_about_variables : nullptr});
  }
  const char *unfit = is_variable ? nullptr : describe_unfit_arguments(drawing, message, member, shown);
  if (unfit == nullptr) return;
  const bool is_count = message.variants.count < member.least || message.variants.count > member.most;
  note_dropped(drawing, "its arguments do not match");
  note_problem(drawing, numbering,
               {.rule = &mp_experts.signature_mismatch,
                .text = wmem_strdup_printf(pool, "%s: the receiver does not call it", unfit),
                .subject = path,
                .subject_field = path_field,
                .detail = unfit,
                .call = describe_call(drawing, message, route, path),
                .mark = "its arguments do not match",
                .advice = is_count ? nullptr : advice_about_types});
}

// A call of a node with a list of methods that the project lacks.
void note_call_of_unknown_methods(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const bool is_call = message.command == MpCommand::rpc && message.fields.has(MpField::method_id);
  if (names == nullptr || !is_call) return;
  const godot_codec::MpMethod method = godot_codec::mp_method_of(drawing.packet, message, numbering);
  if (!names->lacks_list(method.md5) || !names->method(method).text.empty()) return;
  add_expert(drawing.pinfo, drawing.item, &mp_experts.after_unknown_methods,
             "No script of the project folder has the methods of %s: the name of this method is unknown",
             printable(drawing.pinfo->pool, method.path));
}

// A list of methods that the project lacks.
void note_unknown_methods(const MpDrawing &drawing, const MpMessage &message) {
  const godot_codec::MpNames *names = drawing.packet.names;
  if (names == nullptr || message.command != MpCommand::simplify_path || !message.fields.has(MpField::md5)) return;
  const std::string_view text = names->mismatch(message.fields.text(MpField::md5), message.fields.text(MpField::path));
  if (text.empty()) return;
  add_expert(drawing.pinfo, drawing.item, &mp_experts.unknown_methods, "Methods of %s: %s",
             printable(drawing.pinfo->pool, message.fields.text(MpField::path)), printable(drawing.pinfo->pool, text));
}

// A message that the server is to relay, and cannot.
void note_absent_peer(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route) {
  using State = godot_codec::MpWhereabouts::State;
  const godot_codec::MpPacket &packet = drawing.packet;
  const bool is_for_one = route.receiver > godot_codec::mp_server && message.inner.length == 0;
  if (!packet.is_from_client() || !is_for_one || packet.role_of(route.sender) != godot_codec::MpRole::client) return;
  const godot_codec::MpWhereabouts where = packet.connection->peers().whereabouts(route.receiver, packet.moment);
  if (where.state == State::here) return;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *peer = wmem_strdup_printf(pool, "%d", route.receiver);
  const char *text =
      wmem_strdup_printf(pool, "Peer %s has left (frame %u): messages to it are lost", peer, where.moment.packet);
  // No problem of the game: the sender had not heard yet that the peer has left.
  add_expert(drawing.pinfo, drawing.item, &mp_experts.absent_peer, "%s", text);
  if (drawing.notes->mark == nullptr) drawing.notes->mark = "that peer has left";
}

// A node of which the receiver gets everything but the values of a synchronizer.
void note_unsynchronized(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (message.command != MpCommand::spawn || message.outcome != Outcome::ok || may_learn(drawing.pinfo)) return;
  const MpNode *node = godot_codec::find_mp_node(drawing.packet, message.fields, numbering);
  if (node == nullptr || node->spawn->spawned != drawing.packet.moment) return;
  const godot_codec::MpSpawn &spawn = *node->spawn;
  if (spawn.unsynchronized.packet == 0) return;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *which =
      wmem_strdup_printf(pool, "Synchronizer %u of %u", spawn.unsynchronized_place + 1, spawn.synchronizers);
  note_problem(
      drawing, numbering,
      {.rule = &mp_experts.unsynchronized,
       .text = wmem_strdup_printf(
           pool,
           "%s of %s sends to other peers, but never to this one, which has the node: is it hidden there (public_visibility, set_visibility_for())?",
           which, spawn.name.data()),
       .subject = node_of(drawing, message.fields, numbering),
       .subject_field = "godot_mp.node",
       .mark = wmem_strdup_printf(pool, "%s never sends to this peer", which)});
}

// True if this message adds to the numbers that an empty table of problems shows.
bool are_checks_counted(const MpDrawing &drawing) {
  return !drawing.context->is_copy && drawing.pinfo->flags.in_error_pkt == 0 && wants_experts(drawing.pinfo, nullptr);
}

// Counts a part of a message that is about a node which became known before the recording. In a whole recording, a
// message may only arrive before the spawn, or after the despawn.
void count_unknown_node(const MpDrawing &drawing) {
  if (drawing.packet.connection->peers().is_from_start(drawing.packet.moment)) return;
  count_for_problems(drawing.pinfo, {.unknown_nodes = 1});
}

// Counts a call, or the values of an object, if its node is not known.
void count_if_unknown(const MpDrawing &drawing, const MpFields &fields, const MpNumbering &numbering) {
  if (!are_checks_counted(drawing) || fields.has(MpField::path)) return;
  const bool is_known = fields.has(MpField::net_id)
                            ? godot_codec::find_mp_node(drawing.packet, fields, numbering) != nullptr
                            : godot_codec::find_mp_name(drawing.packet, fields, numbering) != nullptr;
  if (!is_known) count_unknown_node(drawing);
}

// True if the project folder has the method or variable.
bool is_in_project(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const godot_codec::MpNames &names = *drawing.packet.names;
  const MpFields &fields = message.fields;
  if (message.command == MpCommand::rset) return names.remote_member(fields.text(MpField::property), true).is_known;
  if (fields.has(MpField::method)) return names.remote_member(fields.text(MpField::method), false).is_known;
  return !godot_codec::mp_method_name(drawing.packet, message, numbering).text.empty();
}

// Counts a call or a spawn that is compared with the project folder.
void count_checks(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const bool is_call = message.command == MpCommand::rpc || message.command == MpCommand::rset;
  const bool is_spawn = message.command == MpCommand::spawn;
  if (message.outcome != Outcome::ok || !(is_call || is_spawn) || !are_checks_counted(drawing)) return;
  const MpName *node = godot_codec::find_mp_name(drawing.packet, message.fields, numbering);
  if (is_call) count_if_unknown(drawing, message.fields, numbering);
  if (is_spawn && node == nullptr) return count_unknown_node(drawing);
  if (drawing.packet.names == nullptr) return;
  if (is_spawn && drawing.packet.names->spawnable_scenes(node->text)) count_for_problems(drawing.pinfo, {.spawns = 1});
  if (is_call && is_in_project(drawing, message, numbering)) count_for_problems(drawing.pinfo, {.calls = 1});
}

}  // namespace

bool is_of_nobody(const MpDrawing &drawing, const MpNumbering &numbering) {
  return !drawing.packet.has_roles() && !godot_codec::is_mp_end(numbering.owner);
}

namespace {

// True if a message may have overtaken what its receiver needs for it. The first pass cannot know whether that arrives.
bool may_have_overtaken(const MpDrawing &drawing) {
  return drawing.packet.turn.may_overtake && !PINFO_FD_VISITED(drawing.pinfo);
}

// "Peer 2222 has not got path 3 (Main/World), peer 1111 has (frame 3): Godot drops the message".
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

}  // namespace

void note_unannounced(const MpDrawing &drawing, std::uint32_t number, const godot_codec::MpTelling &other,
                      const MpNumbering &numbering) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *text = describe_unannounced(drawing, number, other, numbering);
  const char *mark = wmem_strdup_printf(pool, "path %u was not announced there", number);
  const bool is_path = other.name != nullptr;
  const char *what = is_path ? other.name->text.data() : wmem_strdup_printf(pool, "#%u", number);
  const Finding finding{.rule = &mp_experts.unannounced_path,
                        .text = text,
                        .subject = what,
                        .subject_field = is_path ? path_field : nullptr,
                        .mark = mark};
  note_dropped(drawing, never_told);
  // A few messages that overtake the path while a peer joins are normal.
  const bool is_overtaken =
      drawing.packet.turn.may_overtake && other.later != nullptr &&
      godot_codec::elapsed(drawing.packet.time, other.later->time) < godot_codec::mp_confirmation_wait;
  if (is_overtaken || may_have_overtaken(drawing)) return note_harmless(drawing, finding);
  note_problem(drawing, numbering, finding);
}

void note_presence(const MpDrawing &drawing, proto_item *item, const MpFields &fields, const MpNumbering &numbering) {
  using State = godot_codec::MpPresence::State;
  if (drawing.context->is_copy || !fields.has(MpField::net_id) || is_of_nobody(drawing, numbering)) return;
  const std::uint32_t id = fields.number(MpField::net_id);
  const godot_codec::MpPresence presence = drawing.packet.connection->nodes().presence(drawing.packet, numbering, id);
  if (presence.state == State::present || presence.state == State::uncertain) return;
  const char *what = presence.state == State::gone ? "has already got the node's despawn"
                     : presence.moment.packet != 0 ? "gets the node's spawn later"
                                                   : "has not got a spawn of the node";
  const char *where =
      presence.moment.packet == 0 ? "" : wmem_strdup_printf(drawing.pinfo->pool, " (frame %u)", presence.moment.packet);
  const char *text =
      wmem_strdup_printf(drawing.pinfo->pool, "%s %s%s", describe_peer(drawing, numbering.listener, true), what, where);
  const Finding finding{.rule = &mp_experts.unknown_node,
                        .text = text,
                        .subject = node_of(drawing, fields, numbering),
                        .subject_field = "godot_mp.node"};
  note_dropped(drawing, not_spawned);
  const bool is_harmless = !presence.is_lasting || (presence.state == State::not_told && may_have_overtaken(drawing));
  if (is_harmless) return note_harmless(drawing, finding, item);
  note_problem(drawing, numbering, finding, item);
}

const MpName *MpObjectNotes::missing_spawner(const MpFields &object) const {
  const godot_codec::MpPacket &packet = drawing_.packet;
  const MpPaths &paths = packet.connection->paths();
  if (!paths.may_lack_nodes() || !object.has(MpField::net_id)) return nullptr;
  const MpNode *node = godot_codec::find_mp_node(packet, object, numbering_);
  if (node == nullptr) return nullptr;
  const godot_codec::MpSpawn &spawn = *node->spawn;
  return paths.find_lacking(packet, spawn.spawner, {spawn.owner, spawn.listener}, spawn.spawned);
}

void MpObjectNotes::add(const MpFields &object) {
  ++count_;
  count_if_unknown(drawing_, object, numbering_);
  if (!PINFO_FD_VISITED(drawing_.pinfo) || drawing_.context->is_copy) return;
  if (note_rivalry(drawing_, message_, object, numbering_, !is_rivalry_told_)) is_rivalry_told_ = true;
  const MpName *spawner = missing_spawner(object);
  if (spawner == nullptr) return;
  if (spawner_ == nullptr) spawner_ = spawner;
  ++unspawned_;
}

void MpObjectNotes::end() {
  if (spawner_ == nullptr || unspawned_ < count_) return;
  if (drawing_.notes->mark == nullptr)
    drawing_.notes->mark = of_path(drawing_, spawner_->text.data(), "missing at the receiver");
  if (drawing_.notes->dropped == nullptr) drawing_.notes->dropped = "the receiver has no such spawner";
}

void note_fit(const MpDrawing &drawing, proto_item *item, const MpProperties &properties, const char *object,
              const MpNumbering &numbering) {
  const godot_codec::MpFit fit = properties.fit();
  if (fit == godot_codec::MpFit::fitting && are_checks_counted(drawing)) {
    count_for_problems(drawing.pinfo, {.values = properties.value_count()});
  }
  if (fit != godot_codec::MpFit::other_count && fit != godot_codec::MpFit::other_types) return;
  const char *what = *object == '\0' ? nullptr : object;
  const char *text =
      fit == godot_codec::MpFit::other_count
          ? "The replication config in the project folder has fewer properties than there are values"
          : "The replication config in the project folder has properties of other types than these values";
  const std::string_view script = drawing.packet.names->config_script();
  if (!script.empty()) {
    return add_expert(drawing.pinfo, item, &mp_experts.property_mismatch,
                      "%s. %s may have changed the replication config", text, printable(drawing.pinfo->pool, script));
  }
  note_problem(drawing, numbering,
               {.rule = &mp_experts.property_mismatch,
                .text = text,
                .subject = what,
                .subject_field = "godot_mp.object",
                .mark = "the properties differ from the project folder"},
               item);
}

void note_loss(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering,
               const godot_codec::MpLoss &loss, const char *received) {
  const char *format = "The receiver cannot decode argument %u%s: this argument and all later ones arrive as null, %s";
  if (loss.is_if_refused) {
    note_problem(drawing, numbering,
                 {.rule = &mp_experts.arguments_refusable,
                  .text = wmem_strdup_printf(drawing.pinfo->pool, format, loss.first,
                                             " unless it allows objects (allow_object_decoding)", received),
                  .subject = path_of(drawing, message.fields, numbering),
                  .subject_field = path_field});
    return;
  }
  note_problem(drawing, numbering,
               {.rule = &mp_experts.unreadable_argument,
                .text = wmem_strdup_printf(drawing.pinfo->pool, format, loss.first, "", received),
                .subject = path_of(drawing, message.fields, numbering),
                .subject_field = path_field});
}

bool is_odd_value(const MpDrawing &drawing, std::size_t offset, bool is_property) {
  const godot_codec::Bytes bytes = drawing.packet.bytes;
  return godot_codec::mp_has_nan(bytes, offset) || (is_property && godot_codec::mp_is_object(bytes, offset));
}

void note_value(const MpDrawing &drawing, std::size_t offset, bool is_property, const char *name, const char *object) {
  const godot_codec::Bytes bytes = drawing.packet.bytes;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  if (object != nullptr && *object == '\0') object = nullptr;
  const MpRoute route = godot_codec::direct_route(drawing.packet);
  const MpNumbering ends{route.sender, route.receiver};
  if (godot_codec::mp_has_nan(bytes, offset)) {
    note_problem(
        drawing, ends,
        {.rule = &mp_experts.nan,
         .text = wmem_strdup_printf(
             pool,
             "%s%s%s is NaN (not a number): a division by zero, or a zero-length vector that was normalized, on the sender",
             object == nullptr ? "" : object, object == nullptr ? "" : ":", name),
         .subject = object,
         .subject_field = "godot_mp.node",
         .mark = "NaN"});
  }
  if (!is_property || !godot_codec::mp_is_object(bytes, offset)) return;
  note_problem(
      drawing, ends,
      {.rule = &mp_experts.object_property,
       .text = wmem_strdup_printf(
           pool,
           "%s:%s is synchronized but contains an Object or a Resource: the receiver gets null. Synchronize its resource_path, or plain values",
           object == nullptr ? "a node" : object, name),
       .subject = object,
       .subject_field = "godot_mp.node",
       .mark = "Object as a property"});
}

void note_message(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route,
                  const MpNumbering &numbering) {
  if (godot_codec::mp_unknown_flags(message) != 0) {
    add_expert(drawing.pinfo, drawing.item, &mp_experts.unknown_flags);
  }
  if (message.command == MpCommand::sync && message.range.length > godot_codec::mp_max_sync_size) {
    add_expert(drawing.pinfo, drawing.item, &mp_experts.oversized_sync);
  }
  count_checks(drawing, message, numbering);
  note_causes(drawing);
  note_path_of_godot3(drawing, message, numbering);
  note_checksum(drawing, message, numbering);
  note_checksum_failure(drawing, message, numbering);
  note_unconfirmed(drawing, message, numbering);
  if (message.command == MpCommand::despawn) note_presence(drawing, drawing.item, message.fields, numbering);
  note_authority(drawing, message, route, numbering);
  note_authentication(drawing, message);
  note_absent_peer(drawing, message, route);
  note_unsynchronized(drawing, message, numbering);
  note_unlisted_scene(drawing, message, numbering);
  note_unknown_methods(drawing, message);
  note_call_of_unknown_methods(drawing, message, numbering);
  note_signature(drawing, message, route, numbering);
  note_object_arguments(drawing, message, numbering);
  note_call_of_godot3(drawing, message, route, numbering);
}

}  // namespace godot_plugin
