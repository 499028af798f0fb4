// SPDX-License-Identifier: GPL-2.0-or-later
// Explains why the receiver of a path does not have the node, for the rule `unconfirmed_path`.
#include <algorithm>
#include <optional>

#include "godot-codec/core/path.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/descriptions.h"

namespace godot_plugin {
namespace {

// Returns the first announced path that a function accepts, or null. Path IDs begin at 1.
template <typename Accepts>
const MpAnnouncedPath *find_announced_path(const MpDissection &dissection, const MpIdScope &scope,
                                           PacketPosition position, Accepts accepts) {
  // The first paths are enough: if more were announced, one of the first already is such a path.
  constexpr std::uint32_t max_paths = 64;
  for (std::uint32_t number = 1; number <= max_paths; ++number) {
    const MpAnnouncedPath *found = dissection.paths().find(scope, number, position);
    if (found == nullptr || accepts(*found)) return found;
  }
  return nullptr;
}

// The functions below return advice about one possible cause, or null if the packets do not show that cause.

// Cause: the path is misspelled.
const char *advice_about_name(const MpDissection &dissection, std::string_view path) {
  const MpGameNames *names = dissection.packet.names;
  const std::string_view similar = names == nullptr ? std::string_view{} : names->find_similar_path(path);
  if (similar.empty()) return nullptr;
  return dissection.format("Check the name: no scene in the project folder has this path, but one has %s.",
                           dissection.printable(similar));
}

// True if the spawner's spawn_path in the project folder is empty, or does not lead to a node of the scene.
bool has_no_root(const MpDissection &dissection, std::string_view spawner) {
  const MpGameNames *names = dissection.packet.names;
  return names != nullptr && names->count_spawnable_scenes(spawner) && !names->find_relative_root(spawner).is_known;
}

// Cause: the node, or a node above it, was despawned.
const char *advice_about_despawn(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  constexpr unsigned max_depth = 8;
  for (unsigned depth = 0; depth < max_depth && !path.empty(); ++depth) {
    const MpSpawnedNode *spawn =
        dissection.nodes().find_newest(scope, godot_codec::base_name(path), dissection.packet.position);
    path = godot_codec::mp_ancestor_path(path, 1);
    if (spawn == nullptr || !spawn->despawned_at || *spawn->despawned_at > dissection.packet.position) continue;
    return dissection.format(
        "Node %s was despawned on the receiver (frame %u), but the sender still uses the node. If the sender moved the node with reparent(), keep the node below the spawn_path. Otherwise free the node on the sender.",
        spawn->name.data(), spawn->despawned_at->packet);
  }
  return nullptr;
}

// Cause: the receiver got spawns of siblings, but never of the node.
const char *advice_about_siblings_spawn(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  const std::string_view parent = godot_codec::mp_ancestor_path(path, 1);
  if (parent.empty()) return nullptr;
  const MpSpawnedNode *spawn = nullptr;
  const auto is_spawned_sibling = [&](const MpAnnouncedPath &other) {
    if (other.text == path || godot_codec::mp_ancestor_path(other.text, 1) != parent) return false;
    spawn = dissection.nodes().find_spawned(scope, other.text.substr(parent.size() + 1), dissection.packet.position);
    return spawn != nullptr;
  };
  if (find_announced_path(dissection, scope, dissection.packet.position, is_spawned_sibling) == nullptr) return nullptr;
  return dissection.format(
      "Add its scene to the Auto Spawn List, or add the node on both sides: its siblings were spawned (frame %u), but this node was not.",
      spawn->spawned_at.packet);
}

// Cause: the node, or a node above it, existed already when the receiver spawned it.
const char *advice_about_existing_node(const MpDissection &dissection, const MpAnnouncedPath &name,
                                       const MpIdScope &scope) {
  constexpr unsigned max_depth = 8;
  std::string_view path = name.text;
  for (unsigned depth = 0; depth < max_depth && !path.empty(); ++depth) {
    const MpSpawnedNode *spawn = dissection.nodes().find_newest(
        {scope.receiver, scope.sender}, godot_codec::base_name(path), godot_codec::packet_position_last);
    path = godot_codec::mp_ancestor_path(path, 1);
    if (spawn == nullptr || spawn->spawned_at < name.position) continue;
    const std::string_view spawner = dissection.nodes().spawner_path_of(*spawn);
    const std::string_view scene = godot_codec::mp_ancestor_path(spawner, 1);
    if (spawner.empty() || !path.starts_with(scene)) continue;
    return dissection.format(
        "%s added node %s itself, before the node was spawned for this peer (frame %u), so the spawn failed. Add the node only through its MultiplayerSpawner, not in a script of the client.",
        describe_peer(dissection, scope.sender, true), spawn->name.data(), spawn->spawned_at.packet);
  }
  return nullptr;
}

// Cause: a node that has the ID of the receiver as its name was never spawned for the receiver.
const char *advice_about_unspawned_player(const MpDissection &dissection, std::string_view path,
                                          const MpIdScope &scope) {
  const std::optional<std::int32_t> id = dissection.peers().id_of(scope.receiver, dissection.packet.position);
  const bool is_servers = scope.sender == dissection.peers().server() && dissection.peers().is_from_start();
  if (!id || !is_servers || !has_peer_id_as_name(path, *id)) return nullptr;
  // Search the whole capture, because after packet loss the path may arrive before the spawn.
  const char *name = dissection.format("%d", *id);
  if (dissection.nodes().find_newest(scope, name, godot_codec::packet_position_last) != nullptr) return nullptr;
  // The capture may lack the spawn, so this is no proof.
  const godot_codec::MpPeriod until_now{godot_codec::packet_position_zero, INT64_MIN, dissection.packet.time};
  if (godot_codec::may_have_capture_gap(dissection.packet, godot_codec::side_of_peer(scope.sender), until_now))
    return nullptr;
  return dissection.format(
      "Node %d was never spawned for the receiver. Add its scene to the Auto Spawn List of a MultiplayerSpawner, and add the node below the spawn_path. Without a spawner, add the node on both sides.",
      *id);
}

// Returns advice about a spawned node that does not exist on the receiver.
const char *advice_about_failed_spawn(const MpDissection &dissection, const MpSpawnedNode &spawn,
                                      const MpIdScope &scope) {
  const MpAnnouncedPath *spawner = dissection.paths().find(scope, spawn.spawner, spawn.spawned_at);
  if (spawner != nullptr && dissection.paths().is_never_confirmed(dissection.packet, *spawner, scope)) {
    return dissection.format("Add its spawner %s on the receiver, too.", spawner->text.data());
  }
  if (spawn.scene == godot_codec::mp_custom_scene) return "The spawn_function must return a node on the receiver, too.";
  if (spawner != nullptr && has_no_root(dissection, spawner->text)) {
    return "The spawn_path of the spawner must lead to a node on the receiver.";
  }
  return dissection.format(
      "On the receiver, its scene (index %u) must be in the Auto Spawn List, and the spawn_path must lead to a node.",
      unsigned{spawn.scene});
}

// Cause: a node above the path was spawned, but no path below it is ever confirmed.
const char *advice_about_lost_parent(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  constexpr unsigned max_depth = 8;
  std::string_view above = godot_codec::mp_ancestor_path(path, 1);
  for (unsigned depth = 0; depth < max_depth && !above.empty();
       ++depth, above = godot_codec::mp_ancestor_path(above, 1)) {
    const MpSpawnedNode *spawn =
        dissection.nodes().find_spawned(scope, godot_codec::base_name(above), dissection.packet.position);
    if (spawn == nullptr) continue;
    const auto is_confirmed_below = [&](const MpAnnouncedPath &other) {
      const bool is_below = other.text.size() > above.size() && other.text.starts_with(above);
      return is_below && !dissection.paths().is_never_confirmed(dissection.packet, other, scope);
    };
    if (find_announced_path(dissection, scope, dissection.packet.position, is_confirmed_below) != nullptr)
      return nullptr;
    return dissection.format("The spawn of %s (frame %u) failed. %s", spawn->name.data(), spawn->spawned_at.packet,
                             advice_about_failed_spawn(dissection, *spawn, scope));
  }
  return nullptr;
}

// Cause: a spawn failed or is missing.
const char *advice_about_lost_spawn(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  const std::string_view name = godot_codec::base_name(path);
  const MpSpawnedNode *spawn = dissection.nodes().find_spawned(scope, name, dissection.packet.position);
  if (spawn == nullptr) {
    const char *despawned = advice_about_despawn(dissection, path, scope);
    if (despawned != nullptr) return despawned;
    const char *above = advice_about_lost_parent(dissection, path, scope);
    if (above != nullptr) return above;
    const char *unspawned = advice_about_siblings_spawn(dissection, path, scope);
    return unspawned == nullptr ? advice_about_unspawned_player(dissection, path, scope) : unspawned;
  }
  return dissection.format("The spawn of the node (frame %u) failed. %s", spawn->spawned_at.packet,
                           advice_about_failed_spawn(dissection, *spawn, scope));
}

// True if two paths differ only in their first node.
bool have_different_roots(std::string_view one, std::string_view other) {
  const auto below_root = [](std::string_view path) { return path.substr(std::min(path.find('/'), path.size())); };
  return one != other && !below_root(one).empty() && below_root(one) == below_root(other);
}

// Finds a path that the receiver has announced for a node with the same RPC methods. The found path must end with the
// path of @p name, or differ from it only in the first node.
const MpAnnouncedPath *find_longer_path(const MpDissection &dissection, const MpAnnouncedPath &name,
                                        const MpIdScope &other) {
  return find_announced_path(dissection, other, dissection.packet.position, [&](const MpAnnouncedPath &found) {
    if (found.md5 != name.md5) return false;
    if (have_different_roots(found.text, name.text)) return true;
    if (found.text.size() <= name.text.size()) return false;
    return found.text.ends_with(name.text) && found.text[found.text.size() - name.text.size() - 1] == '/';
  });
}

// Cause: the receiver itself has announced the node later, or by another path.
const char *advice_about_own_path(const MpDissection &dissection, const MpAnnouncedPath &name, const MpIdScope &scope) {
  const MpIdScope other{scope.receiver, scope.sender};
  const char *who = describe_peer(dissection, scope.receiver, false);
  const std::string_view path = name.text;
  if (name.present_at > name.position) {
    return dissection.format(
        "Add the node earlier, or send the first message later. The first sign of the node on %s is in frame %u.", who,
        name.present_at.packet);
  }
  const auto find_from_root = [&](std::string_view shorter) {
    const MpAnnouncedPath *found = dissection.paths().find_later(other, shorter, godot_codec::packet_position_zero);
    return found != nullptr && found->md5 == name.md5 ? found : nullptr;
  };
  const MpAnnouncedPath *found = find_longer_path(dissection, name, other);
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (found == nullptr) found = find_from_root(path.substr(slash + 1));
  }
  if (found == nullptr) return nullptr;
  return dissection.format(
      "Use the same SceneMultiplayer.root_path and the same parent scene on both sides. The node %s has the path %s on %s (frame %u).",
      name.text.data(), found->text.data(), who, found->position.packet);
}

// Cause: the receiver loads the scene too late, because it announces a node with the same parent later.
const char *advice_about_late_scene(const MpDissection &dissection, const MpAnnouncedPath &name,
                                    const MpIdScope &scope) {
  const MpIdScope other{scope.receiver, scope.sender};
  const std::string_view parent = godot_codec::parent_path(name.text);
  if (parent.empty()) return nullptr;
  const MpAnnouncedPath *found =
      find_announced_path(dissection, other, godot_codec::packet_position_last, [&](const MpAnnouncedPath &each) {
        return each.position >= name.position && godot_codec::parent_path(each.text) == parent;
      });
  if (found == nullptr) return nullptr;
  return dissection.format(
      "Check the name of the node. If the name is correct, load the scene on both sides before the first message: the first sign of the sibling node %s on %s is in frame %u.",
      found->text.data(), describe_peer(dissection, scope.receiver, false), found->position.packet);
}

// True if the receiver has never sent a multiplayer message, and the capture contains everything that it sent.
bool is_receiver_silent(const MpDissection &dissection, const MpIdScope &scope) {
  // A receiver that lacks one node may have all other nodes. So require at least two announced paths. Path IDs begin
  // at 1.
  constexpr std::uint32_t second_path = 2;
  const MpPacket &packet = dissection.packet;
  const godot_codec::MpConnection &connection = *packet.connection;
  return connection.paths().find(scope, second_path, packet.position) != nullptr &&
         connection.problems().is_silent(1 - packet.sender_side) && connection.peers().is_from_start(packet.position) &&
         !godot_codec::may_have_capture_gap(
             packet, 1 - packet.sender_side,
             {godot_codec::packet_position_zero, -godot_codec::mp_max_time, godot_codec::mp_max_time});
}

// Returns advice about any of the causes; null if the packets show none.
const char *advice_about_cause(const MpDissection &dissection, const MpAnnouncedPath &name, const MpIdScope &scope) {
  if (const char *spawned_twice = advice_about_existing_node(dissection, name, scope); spawned_twice != nullptr)
    return spawned_twice;
  if (const char *receiver_path = advice_about_own_path(dissection, name, scope); receiver_path != nullptr)
    return receiver_path;
  if (const char *similar = advice_about_name(dissection, name.text); similar != nullptr) return similar;
  if (has_auto_generated_name(name.text)) {
    return "Give the node the same name on all peers before add_child(), or call add_child(node, true). The generated name differs on each peer.";
  }
  if (is_receiver_silent(dissection, scope)) {
    return dissection.format(
        "Load the same scene and set multiplayer.multiplayer_peer on both sides: %s has never sent a multiplayer message.",
        describe_peer(dissection, scope.receiver, false));
  }
  const char *lost = advice_about_lost_spawn(dissection, name.text, scope);
  return lost != nullptr ? lost : advice_about_late_scene(dissection, name, scope);
}

}  // namespace

const char *describe_lost_messages(const MpAnnouncedPath &name, const char *advice) {
  // Omit the text about a spawner or synchronizer without advice, because the path of a called node is more useful.
  if (advice == nullptr && !name.is_called_by_path) return nullptr;
  if (name.is_spawner)
    return "All spawns by this spawner are lost, because Godot announces the path of a spawner only once";
  if (!name.is_called_by_path) return "Therefore the synchronizer sends no values to this receiver";
  if (name.present_at.packet != 0) return "That message was lost";
  return "That message was lost, but later calls arrive if the node has been added since";
}

const char *advice_about_missing_node(const MpDissection &dissection, const MpAnnouncedPath &name,
                                      const MpIdScope &scope) {
  const char *cause = advice_about_cause(dissection, name, scope);
  const MpGameNames *names = dissection.packet.names;
  const godot_codec::MpSourceLine line =
      names == nullptr ? godot_codec::MpSourceLine{} : names->find_node_line(name.text);
  // No scene contains an auto-generated name, so the line would belong to a similar node.
  const bool is_in_scene = line.line != 0 && !has_auto_generated_name(name.text);
  if (!is_in_scene) return cause;
  return dissection.format("%s The project folder has the node%s.", cause == nullptr ? add_node_before : cause,
                           describe_source_line(dissection, line));
}

}  // namespace godot_plugin
