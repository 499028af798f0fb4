// SPDX-License-Identifier: GPL-2.0-or-later
#include <optional>

#include "godot-codec/core/path.h"
#include "plugin/godot/releases.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/rules.h"

namespace godot_plugin {
namespace {

ExpertItem auto_generated_name{
    {"godot_mp.auto_generated_name", PI_PROTOCOL, PI_WARN,
     "The path contains an auto-generated name, which differs on each peer"},
    {.weight = 290,
     .advice = "Give the node the same name on all peers before add_child(), or call add_child(node, true).",
     .merge = RowMerge::same_peers}};

// Reports a path with an auto-generated name. Such names contain a counter, so on the other peer a different node may
// have this name.
void report_auto_generated_name(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  const char *shown = dissection.printable(path);
  report_problem(
      dissection, scope,
      {.expert = &auto_generated_name,
       .text = dissection.format(
           "%s contains an auto-generated name, which differs on every peer, so messages are lost or reach another node",
           shown),
       .subject = {shown, path_field},
       .info_mark = "auto-generated name"});
}

// Godot 3 confirms a path even if the node does not exist, and drops calls of a missing node without an error. So only
// an auto-generated name shows that the node may be missing.
void check_godot3_path(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (message.command.is_godot4()) return;
  const std::string_view path = message.fields.text(MpField::path);
  if (has_auto_generated_name(path)) report_auto_generated_name(dissection, path, message.ids);
}

ExpertItem checksum_failed{
    {"godot_mp.checksum_failed", PI_PROTOCOL, PI_WARN,
     "The RPC methods of the node differ between the two sides (two-pass: which methods the other side has)"},
    {.weight = 220,
     .text = "The RPC methods of %s differ between the two sides, so calls may run the wrong method",
     .advice = "Export server and client from the same project: each node needs the same @rpc methods on both sides.",
     .filter = "(godot_mp.checksum_failed or godot_mp.after_checksum_failure)"}};

// Describes a list of RPC methods with the project folder, for example "the methods of res://world.gd". Null if the
// folder does not help.
const char *describe_method_list(const MpDissection &dissection, const MpAnnouncedPath &name) {
  const MpGameNames *names = dissection.packet.names;
  if (name.md5 == godot_codec::mp_md5_of_no_methods) return "no RPC methods";
  if (names == nullptr) return nullptr;
  const std::string_view sender = names->source_of_method_list(name.md5);
  if (!sender.empty()) return dissection.format("the methods of %s", dissection.printable(sender));
  const std::string_view text = names->describe_method_mismatch(name.md5, name.text);
  if (text.empty()) return nullptr;
  const std::size_t nearest = text.find(": ");
  if (nearest == std::string_view::npos) return "other methods than the project folder";
  return dissection.format("other methods%s", dissection.printable(text.substr(nearest)));
}

// Returns "The server has the methods of res://world.gd", or the MD5 of the list if nothing else is known.
const char *describe_side_methods(const MpDissection &dissection, const MpAnnouncedPath &name, std::int32_t peer,
                                  bool begins_sentence) {
  const char *list = describe_method_list(dissection, name);
  if (list == nullptr) list = dissection.format("methods with the MD5 %s", name.md5.data());
  return dissection.format("%s has %s", describe_peer(dissection, peer, begins_sentence), list);
}

// Reports which side has which methods, as far as known. The receiver's methods are in the capture only if the receiver
// itself announces the same path.
void report_differing_methods(const MpDissection &dissection, const MpAnnouncedPath &announced, const MpIdScope &scope,
                              const char *spawned) {
  if (announced.md5.empty()) return;
  const MpIdScope other{scope.receiver, scope.sender};
  const MpAnnouncedPath *own = dissection.paths().find(other, announced.text, dissection.packet.position);
  if (own == nullptr) own = dissection.paths().find_later(other, announced.text, dissection.packet.position);
  const char *side = describe_side_methods(dissection, announced, scope.sender, true);
  const char *list = describe_method_list(dissection, announced);
  const char *detail = list == nullptr ? spawned : side;
  if (list != nullptr && spawned != nullptr) {
    detail = dissection.format("%s. %s", side, spawned);
  }
  Finding finding{.expert = &checksum_failed, .subject = {announced.text.data(), path_field}, .detail = detail};
  if (own != nullptr && !own->md5.empty() && own->md5 != announced.md5) {
    finding.text =
        dissection.format("%s; %s (frame %u)", side, describe_side_methods(dissection, *own, scope.receiver, false),
                          own->position.packet);
    report_problem(dissection, scope, finding);
  } else if (detail != nullptr) {
    finding.text = list == nullptr ? spawned : side;
    report_problem(dissection, scope, finding);
  }
}

// Returns an explanation if the node was spawned by an index of an Auto Spawn List, which may differ at the receiver;
// otherwise null.
const char *describe_spawned_scene(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  const MpSpawnedNode *spawn =
      dissection.nodes().find_spawned(scope, godot_codec::base_name(path), dissection.packet.position);
  if (spawn == nullptr || spawn->scene == godot_codec::mp_custom_scene) return nullptr;
  const std::string_view spawner = dissection.nodes().spawner_path_of(*spawn);
  if (spawner.empty()) return nullptr;
  return dissection.format(
      "The node was spawned by index %u of the Auto Spawn List of %s (frame %u). The list of the receiver may differ",
      unsigned{spawn->scene}, spawner.data(), spawn->spawned_at.packet);
}

void check_failed_checksum(const MpDissection &dissection, const MpResolvedMessage &message) {
  const bool is_failed = message.fields.has(MpField::valid) && message.fields.integer(MpField::valid) == 0;
  // Godot ignores a confirmation with trailing bytes, so it is not a confirmation.
  if (!is_failed || message.command.rest_bytes.length > 0) return;
  const MpAnnouncedPath *name = message.announced_path();
  const char *path = path_of(dissection, message);
  if (name != nullptr && has_auto_generated_name(name->text))
    return report_auto_generated_name(dissection, name->text, message.ids);
  const char *releases = describe_release_conflict(dissection.pinfo);
  report_problem(dissection, message.ids,
                 {.expert = &checksum_failed,
                  .text = dissection.format(
                      "%s reports that its RPC methods of %s differ from those of %s%s%s%s",
                      describe_peer(dissection, message.ids.receiver, true), path == nullptr ? "a node" : path,
                      describe_peer(dissection, message.ids.sender, false),
                      name == nullptr ? "" : dissection.format(" (frame %u)", name->position.packet),
                      releases == nullptr ? "" : "; ", releases == nullptr ? "" : releases),
                  .subject = {path, path_field},
                  .info_mark = "its RPC methods differ there"});
  if (name == nullptr) return;
  report_differing_methods(dissection, *name, message.ids, describe_spawned_scene(dissection, name->text, message.ids));
}

ExpertItem after_checksum_failure{
    {"godot_mp.after_checksum_failure", PI_PROTOCOL, PI_WARN,
     "The RPC methods of the node differ between the two sides, so the call may run the wrong method"},
    {.counted_as = &checksum_failed}};

// Reports a call of a node that has different RPC methods on the receiver.
void check_call_after_checksum_failure(const MpDissection &dissection, const MpResolvedMessage &message) {
  const PacketPosition position = dissection.packet.position;
  const bool has_path = message.fields.has(MpField::path);
  const MpAnnouncedPath *name = has_path ? dissection.paths().find(message) : message.announced_path();
  if (name == nullptr) return;
  const std::optional<PacketPosition> failed =
      dissection.paths().find_checksum_failure(*name, message.ids.receiver, position);
  if (!failed) return;
  if (has_auto_generated_name(name->text)) return report_auto_generated_name(dissection, name->text, message.ids);
  const char *path = name->text.data();
  report_problem(
      dissection, message.ids,
      {.expert = &after_checksum_failure,
       .text = dissection.format(
           "The RPC methods of %s differ between the two sides (frame %u), so the call may run the wrong method", path,
           failed->packet),
       .subject = {path, path_field},
       .info_mark = "another method may be called there"});
}

ExpertItem unconfirmed_path{
    {"godot_mp.unconfirmed_path", PI_SEQUENCE, PI_WARN,
     "The receiver has not confirmed the path: it probably has no such node (two-pass)"},
    {.weight = 240,
     .text = "%r did not have the node %s when the first message for it arrived",
     .plural_text =
         "%r did not have the nodes %s when the first messages for them arrived, so those messages were lost",
     .advice = add_node_before,
     .merge = RowMerge::same_peers}};

// @param text what the receiver did not confirm, without the advice
void report_unconfirmed_path(const MpDissection &dissection, const MpResolvedMessage &message,
                             const MpAnnouncedPath &name, const char *text, const char *mark) {
  const char *advice = advice_about_missing_node(dissection, name, message.ids);
  report_problem(dissection, message.ids,
                 {.expert = &unconfirmed_path,
                  .text = advice == nullptr ? text : dissection.format("%s. %s", text, advice),
                  .subject = {name.text.data(), path_field},
                  .detail = describe_lost_messages(name, advice),
                  .info_mark = mark,
                  .advice = advice});
}

// Reports a call or spawn that is lost because the receiver did not have the node when the path arrived. Only later
// frames show this.
void report_lost_for_missing_node(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpAnnouncedPath *name = dissection.paths().find_missing_node(message);
  if (name == nullptr) return;
  const char *path = name->text.data();
  const bool is_spawn = message.is(MpCommand::spawn);
  set_drop_reason(dissection, is_spawn ? "the receiver has no such spawner" : "the receiver has no such node");
  report_unconfirmed_path(
      dissection, message, *name,
      dissection.format("%s probably had no node %s, because it never confirmed the path (frame %u)",
                        describe_peer(dissection, message.ids.receiver, true), path, name->position.packet),
      dissection.format("%s missing at the receiver", path));
}

ExpertItem unconfirmed_call{
    "godot_mp.unconfirmed_call", PI_SEQUENCE, PI_NOTE,
    "The receiver had not confirmed the path, so the call arrives only if the node has been added since"};

// Reports a call with a path that the receiver has not confirmed. The node may exist by now, because it may have been
// added after the path arrived.
void report_unconfirmed_call(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpAnnouncedPath *name = dissection.paths().find_unconfirmed_path(message);
  if (name == nullptr) return;
  add_expert(dissection.pinfo, dissection.item, &unconfirmed_call,
             "%s has not confirmed the path %s (frame %u), so the call arrives only if the node has been added since",
             describe_peer(dissection, message.ids.receiver, true), name->text.data(), name->position.packet);
}

// Reports a path that was not confirmed in time, on the message that announced the path and on messages that need the
// path.
void check_unconfirmed_path(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (is_dropped_as_unauthenticated(dissection)) return;
  // The rule `unresponsive` already reports a peer that never sends anything.
  if (dissection.packet.connection->problems().is_unresponsive(1 - dissection.packet.sender_side)) return;
  report_unconfirmed_call(dissection, message);
  if (PINFO_FD_VISITED(dissection.pinfo)) report_lost_for_missing_node(dissection, message);
  if (!message.is(MpCommand::simplify_path) || message.command.outcome != Outcome::ok) return;
  const MpAnnouncedPath *announced =
      dissection.paths().find(message.ids, message.fields.number(MpField::path_id), dissection.packet.position);
  if (announced == nullptr || !dissection.paths().is_never_confirmed(dissection.packet, *announced, message.ids))
    return;
  const char *seen = "it never confirmed the path, although it remained active long after";
  if (announced->late_call.packet != 0) {
    seen = dissection.format("it never confirmed the path, and later calls still contain the full path (frame %u)",
                             announced->late_call.packet);
  } else if (announced->overdue_at.packet != 0) {
    seen = dissection.format("it has not confirmed the path up to frame %u, nor later", announced->overdue_at.packet);
  }
  report_unconfirmed_path(dissection, message, *announced,
                          dissection.format("%s probably had no such node, because %s",
                                            describe_peer(dissection, message.ids.receiver, true), seen),
                          "missing at the receiver");
}

ExpertItem unannounced_path{
    {"godot_mp.unannounced_path", PI_SEQUENCE, PI_NOTE,
     "The receiver has not got the path of this number: Godot drops the message"},
    {.weight = 300,
     .text = "%r never got the path of %s, so Godot drops messages for this node",
     .plural_text = "%r never got the paths of %s, so Godot drops messages for these nodes",
     .advice =
         "The receiver may have connected later than other peers. Send to the node only after the receiver has connected and has added the node."}};

// Returns "Peer 2222 has not got path 3 (Main/World), peer 1111 has (frame 3), so Godot drops the message".
const char *describe_unannounced_path(const MpDissection &dissection, std::uint32_t number,
                                      const godot_codec::MpAnnouncement &other, const MpIdScope &scope) {
  const char *receiver = describe_peer(dissection, scope.receiver, true);
  if (other.later != nullptr) {
    return dissection.format("%s gets path %u (%s) only later (frame %u), so Godot drops the message", receiver, number,
                             other.later->text.data(), other.later->position.packet);
  }
  if (other.name == nullptr) {
    return dissection.format("%s has not got path %u, and no other peer has, so Godot drops the message", receiver,
                             number);
  }
  const std::int32_t other_receiver = other.name->receiver_id;
  const char *peer = other_receiver == 0 ? "another peer" : describe_peer(dissection, other_receiver, false);
  return dissection.format("%s has not got path %u (%s), but %s has (frame %u), so Godot drops the message", receiver,
                           number, other.name->text.data(), peer, other.name->position.packet);
}

constexpr MpRule rules[] = {
    {{MpCommand::simplify_path}, check_godot3_path},
    {{MpCommand::confirm_path}, check_failed_checksum},
    {{MpCommand::rpc}, check_call_after_checksum_failure},
    {{MpCommand::rpc, MpCommand::simplify_path, MpCommand::spawn}, check_unconfirmed_path},
};

}  // namespace

MpRules path_rules() { return rules; }

void report_unannounced_path(const MpDissection &dissection, const MpResolvedItem &resolved) {
  const std::uint32_t number = resolved.path_id().value_or(0);
  const godot_codec::MpAnnouncement other = resolved.unannounced_path_id().value_or(godot_codec::MpAnnouncement{});
  const char *text = describe_unannounced_path(dissection, number, other, resolved.ids);
  const char *mark = dissection.format("path %u was not announced there", number);
  const bool is_path = other.name != nullptr;
  const char *what = is_path ? other.name->text.data() : dissection.format("node #%u", number);
  const Finding finding{
      .expert = &unannounced_path, .text = text, .subject = {what, is_path ? path_field : nullptr}, .info_mark = mark};
  set_drop_reason(dissection, "the receiver has not got the path of this number");
  // While a peer joins, it is normal that a few messages overtake the path.
  const bool is_overtaken =
      dissection.packet.sequence.may_overtake && other.later != nullptr &&
      godot_codec::elapsed(dissection.packet.time, other.later->time) < godot_codec::mp_confirmation_wait;
  if (is_overtaken || may_have_overtaken(dissection)) return report_harmless(dissection, finding);
  report_problem(dissection, resolved.ids, finding);
}

}  // namespace godot_plugin
