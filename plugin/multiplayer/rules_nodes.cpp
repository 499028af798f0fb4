// SPDX-License-Identifier: GPL-2.0-or-later
#include <optional>

#include "plugin/epan/packet_info.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/multiplayer/rules.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

ExpertItem unknown_node{
    {"godot_mp.unknown_node", PI_SEQUENCE, PI_NOTE, "The receiver has no such node"},
    {.weight = 310,
     .text = "%r does not have %s (not spawned yet, or already despawned), so Godot drops messages for it",
     .advice = "Send to the node only while the receiver has it: after its spawn, and before its queue_free()."}};

// Adds a Note if the announcement of a path, or a call with this path, was sent before its sender received the despawn
// of the node. Neither side is wrong.
void check_crossing_despawn(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (is_dropped_as_unauthenticated(dissection)) return;
  const MpAnnouncedPath *name = dissection.paths().find_crossed_path(message);
  if (name == nullptr) return;
  set_drop_reason(dissection, "the node does not exist there");
  report_harmless(dissection, {.expert = &unknown_node,
                               .text = dissection.format(
                                   "%s was despawned (frame %u) while this message was on its way, so Godot drops it",
                                   name->text.data(), name->despawned_at.packet)});
}

ExpertItem unsynchronized{
    {"godot_mp.unsynchronized", PI_SEQUENCE, PI_NOTE,
     "A synchronizer of the node sends to other peers, but never to this one (two-pass)"},
    {.weight = 420,
     .advice =
         "On the authority of the synchronizer, call set_visibility_for(peer, true), or set public_visibility to true."}};

// Reports a node with several synchronizers if one of them never sends to this receiver.
void check_silent_synchronizer(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (message.command.outcome != Outcome::ok || may_update_state(dissection.pinfo)) return;
  const godot_codec::MpNetIdTarget *node = message.node();
  if (node == nullptr || node->spawn->spawned_at != dissection.packet.position) return;
  const MpSpawnedNode &spawn = *node->spawn;
  if (spawn.unsynchronized_at.packet == 0) return;
  report_problem(
      dissection, message.ids,
      {.expert = &unsynchronized,
       .text = dissection.format(
           "Node %s has %u synchronizers. Number %u sends values to other peers, but never to %s, although this peer has the node",
           spawn.name.data(), spawn.synchronizers, spawn.silent_synchronizer_index + 1,
           describe_peer(dissection, message.ids.receiver, false)),
       .subject = {node_of(dissection, message), node_field},
       .info_mark = dissection.format("Synchronizer %u (of %u) never sends to this peer",
                                      spawn.silent_synchronizer_index + 1, spawn.synchronizers)});
}

ExpertItem unlisted_scene{
    {"godot_mp.unlisted_scene", PI_SEQUENCE, PI_WARN,
     "Spawned scene that is not in the Auto Spawn List of the spawner in the project folder"},
    {.weight = 230,
     .advice =
         "Add the scene to the Auto Spawn List, or call add_spawnable_scene() on both sides, in the same order."}};

// Reports a spawn with a scene index that is not in the Auto Spawn List of the project folder.
void check_unlisted_scene(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpGameNames *names = dissection.packet.names;
  if (names == nullptr || message.command.outcome != Outcome::ok) return;
  const auto scene = static_cast<std::uint32_t>(message.fields.integer(MpField::scene));
  const MpAnnouncedPath *spawner = message.announced_path();
  if (spawner == nullptr || scene == godot_codec::mp_custom_scene) return;
  const std::optional<std::size_t> count = names->count_spawnable_scenes(spawner->text);
  if (!count || scene < *count) return;
  const char *path = spawner->text.data();
  report_problem(
      dissection, message.ids,
      {.expert = &unlisted_scene,
       .text = dissection.format(
           "%s spawned the scene with index %u, but its Auto Spawn List%s has only %zu scene%s (the first has index 0), so the receiver cannot spawn that scene",
           path, scene, describe_source_line(dissection, names->find_node_line(spawner->text)), *count,
           *count == 1 ? "" : "s"),
       .subject = {path, path_field},
       .info_mark = "the scene is not in the Auto Spawn List"});
}

ExpertItem property_mismatch{
    {"godot_mp.property_mismatch", PI_PROTOCOL, PI_NOTE,
     "The values do not match the properties in the project folder"},
    {.weight = 250,
     .advice =
         "Export server and client from the same project: the replication config of the synchronizer must be the same on both sides."}};

ExpertItem nan_value{
    {"godot_mp.nan", PI_PROTOCOL, PI_WARN, "Value is NaN"},
    {.weight = 390,
     .advice =
         "Find where the sender computes this value. 0.0 / 0.0 gives NaN, and so does v / v.length() for a zero-length vector v. is_finite() returns false for NaN."}};

ExpertItem object_property{
    {"godot_mp.object_property", PI_PROTOCOL, PI_WARN, "A synchronized property contains an Object"},
    {.weight = 380, .advice = "Synchronize the resource_path of the object, or plain values."}};

void check_despawn(const MpDissection &dissection, const MpResolvedMessage &message) {
  report_missing_node(dissection, dissection.item, message);
}

// Returns the spawner of an object's node if the receiver does not have the spawner; otherwise null.
const MpAnnouncedPath *find_missing_spawner(const MpResolvedItem &object) {
  const godot_codec::MpPathTracker &paths = object.packet.connection->paths();
  if (!paths.may_have_missing_nodes() || object.node() == nullptr) return nullptr;
  const MpSpawnedNode &spawn = *object.node()->spawn;
  const MpIdScope scope{spawn.sender, spawn.receiver};
  const MpAnnouncedPath *spawner = paths.find(scope, spawn.spawner, spawn.spawned_at);
  return spawner != nullptr && paths.is_never_confirmed(object.packet, *spawner, scope) ? spawner : nullptr;
}

constexpr MpRule rules[] = {
    {{MpCommand::rpc, MpCommand::simplify_path}, check_crossing_despawn},
    {{MpCommand::despawn}, check_despawn},
    {{MpCommand::spawn}, check_silent_synchronizer},
    {{MpCommand::spawn}, check_unlisted_scene},
};

}  // namespace

MpRules node_rules() { return rules; }

void report_missing_node(const MpDissection &dissection, proto_item *item, const MpResolvedItem &resolved) {
  using State = godot_codec::MpNodePresence::State;
  if (dissection.context->is_duplicate_or_quoted || !resolved.fields.has(MpField::net_id) ||
      is_id_scope_unknown(dissection, resolved.ids))
    return;
  const std::uint32_t id = resolved.fields.number(MpField::net_id);
  const godot_codec::MpNodePresence presence = dissection.nodes().find_presence(dissection.packet, resolved.ids, id);
  if (presence.state == State::present || presence.state == State::uncertain) return;
  const char *what = presence.state == State::despawned ? "has already got the node's despawn"
                     : presence.position.packet != 0    ? "gets the node's spawn later"
                                                        : "has not got a spawn of the node";
  const char *where = presence.position.packet == 0 ? "" : dissection.format(" (frame %u)", presence.position.packet);
  const char *text = dissection.format("%s %s%s", describe_peer(dissection, resolved.ids.receiver, true), what, where);
  const Finding finding{.expert = &unknown_node, .text = text, .subject = {node_of(dissection, resolved), node_field}};
  set_drop_reason(dissection, "the node does not exist there");
  const bool is_harmless =
      !presence.is_lasting || (presence.state == State::not_announced && may_have_overtaken(dissection));
  if (is_harmless) return report_harmless(dissection, finding, item);
  report_problem(dissection, resolved.ids, finding, item);
}

void check_objects(const MpDissection &dissection, const MpResolvedMessage &message) {
  // Only later frames reveal the problems.
  const bool are_problems_known = PINFO_FD_VISITED(dissection.pinfo) && !dissection.context->is_duplicate_or_quoted;
  if (!are_problems_known && !are_checks_counted(dissection)) return;
  const MpAnnouncedPath *missing_spawner = nullptr;  // the first spawner that the receiver does not have
  bool is_conflict_reported = false;
  bool are_all_unspawned = true;
  for (std::uint32_t i = 0; const MpResolvedObject *object = message.object(i); ++i) {
    if (object->object.outcome != Outcome::ok) return;
    count_unknown_reference(dissection, *object);
    if (!are_problems_known) continue;
    if (report_authority_conflict(dissection, *object, !is_conflict_reported)) is_conflict_reported = true;
    const MpAnnouncedPath *spawner = find_missing_spawner(*object);
    if (missing_spawner == nullptr) missing_spawner = spawner;
    are_all_unspawned = are_all_unspawned && spawner != nullptr;
  }
  if (missing_spawner == nullptr || !are_all_unspawned) return;
  if (dissection.result->mark == nullptr)
    dissection.result->mark = dissection.format("%s missing at the receiver", missing_spawner->text.data());
  set_drop_reason(dissection, "the receiver has no such spawner");
}

void report_property_mismatch(const MpDissection &dissection, proto_item *item, const MpResolvedItem &resolved,
                              const char *object) {
  const godot_codec::MpPropertyMatch fit = resolved.properties().match_properties();
  if (fit == godot_codec::MpPropertyMatch::matching && are_checks_counted(dissection)) {
    add_message_counts(dissection.pinfo, {.values = resolved.properties().value_count()});
  }
  if (fit != godot_codec::MpPropertyMatch::other_count && fit != godot_codec::MpPropertyMatch::other_types) return;
  const char *what = *object == '\0' ? nullptr : object;
  const char *text = dissection.format(
      fit == godot_codec::MpPropertyMatch::other_count
          ? "The number of values that %s synchronizes differs from the number of properties in its replication config in the project folder"
          : "The values that %s synchronizes have other types than the properties of its replication config in the project folder",
      what == nullptr ? "a node" : what);
  const std::string_view script = dissection.packet.names->project().facts().config_script;
  if (!script.empty()) {
    return add_expert(dissection.pinfo, item, &property_mismatch, "%s, but %s may have changed the replication config",
                      text, dissection.printable(script));
  }
  report_problem(dissection, resolved.ids,
                 {.expert = &property_mismatch,
                  .text = text,
                  .subject = {what, "godot_mp.object"},
                  .info_mark = "the properties differ from the project folder"},
                 item);
}

bool has_value_problem(const MpDissection &dissection, std::size_t offset, bool is_property) {
  const godot_codec::Bytes bytes = dissection.packet.bytes;
  return godot_codec::has_mp_nan(bytes, offset) || (is_property && godot_codec::is_mp_object(bytes, offset));
}

void report_value_problem(const MpDissection &dissection, std::size_t offset, bool is_property, const char *name,
                          const char *object) {
  const godot_codec::Bytes bytes = dissection.packet.bytes;
  if (object != nullptr && *object == '\0') object = nullptr;
  const MpRoute ends = godot_codec::direct_route(dissection.packet);
  if (godot_codec::has_mp_nan(bytes, offset)) {
    report_problem(dissection, ends,
                   {.expert = &nan_value,
                    .text = dissection.format("%s%s%s is or contains NaN (not a number)",
                                              object == nullptr ? "" : object, object == nullptr ? "" : ":", name),
                    .subject = {object, node_field},
                    .info_mark = "NaN"});
  }
  if (!is_property || !godot_codec::is_mp_object(bytes, offset)) return;
  report_problem(
      dissection, ends,
      {.expert = &object_property,
       .text = dissection.format("%s:%s is synchronized but contains an Object, which the receiver does not get",
                                 object == nullptr ? "a node" : object, name),
       .subject = {object, node_field},
       .info_mark = "Object as a property"});
}

}  // namespace godot_plugin
