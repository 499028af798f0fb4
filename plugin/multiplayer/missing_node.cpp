// SPDX-License-Identifier: GPL-2.0-or-later
// Why the receiver of a path does not have the node: the details of the rule `unconfirmed_path`.
#include <algorithm>
#include <optional>

#include "godot-codec/core/path.h"
#include "plugin/epan/labels.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/descriptions.h"

namespace godot_plugin {
namespace {

using godot_codec::MpAnnouncedPath;
using godot_codec::MpIdScope;
using godot_codec::MpPaths;

// Returns "no scene of the project has it. Did you mean Main/World?"; null if no path is similar.
const char *describe_similar(const MpDissection &dissection, std::string_view path) {
  const godot_codec::MpGameNames *names = dissection.names;
  const std::string_view similar = names == nullptr ? std::string_view{} : names->similar_path(path);
  if (similar.empty()) return nullptr;
  return wmem_strdup_printf(dissection.pinfo->pool, "no scene of the project has it. Did you mean %s?",
                            printable(dissection.pinfo->pool, similar));
}

// True if the spawn_path of the spawner in the project folder is empty, or leads to no node of the scene.
bool has_no_root(const MpDissection &dissection, std::string_view spawner) {
  const godot_codec::MpGameNames *names = dissection.names;
  return names != nullptr && names->spawnable_scenes(spawner) && !names->relative_root(spawner).is_known;
}

// Explains that the node, or a node above it, was despawned; null if none was.
const char *describe_despawned(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  constexpr unsigned max_depth = 8;
  for (unsigned depth = 0; depth < max_depth && !path.empty(); ++depth) {
    const godot_codec::MpSpawn *spawn = dissection.packet.connection->nodes().find_newest(
        scope, godot_codec::last_name(path), dissection.packet.position);
    path = godot_codec::mp_above(path, 1);
    if (spawn == nullptr || !spawn->despawned || *spawn->despawned > dissection.packet.position) continue;
    return wmem_strdup_printf(dissection.pinfo->pool,
                              "%s was despawned in frame %u: was it freed, or moved out of the spawner's spawn_path "
                              "(reparent()), which frees it there?",
                              spawn->name.data(), spawn->despawned->packet);
  }
  return nullptr;
}

// Explains that the receiver got spawns of siblings, but never of the node; null if it did not.
const char *describe_unspawned(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  constexpr std::uint32_t max_paths = 64;
  const std::string_view parent = godot_codec::mp_above(path, 1);
  for (std::uint32_t number = 1; number <= max_paths; ++number) {
    const MpAnnouncedPath *other =
        dissection.packet.connection->paths().find(scope, number, dissection.packet.position);
    if (other == nullptr) return nullptr;
    if (parent.empty() || other->text == path || godot_codec::mp_above(other->text, 1) != parent) continue;
    const std::string_view name = other->text.substr(parent.size() + 1);
    const godot_codec::MpSpawn *spawn =
        dissection.packet.connection->nodes().find_spawned(scope, name, dissection.packet.position);
    if (spawn == nullptr) continue;
    return wmem_strdup_printf(
        dissection.pinfo->pool,
        "its siblings are spawned (frame %u), but this node never is: is its scene in the Auto Spawn List, or was it added on one side only?",
        spawn->spawned.packet);
  }
  return nullptr;
}

// Explains that the node, or a node above it, existed already when the receiver spawned it; null if it did not.
const char *describe_spawned_twice(const MpDissection &dissection, const MpAnnouncedPath &name,
                                   const MpIdScope &scope) {
  constexpr unsigned max_depth = 8;
  const godot_codec::MpNodes &nodes = dissection.packet.connection->nodes();
  std::string_view path = name.text;
  for (unsigned depth = 0; depth < max_depth && !path.empty(); ++depth) {
    const godot_codec::MpSpawn *spawn = nodes.find_newest({scope.receiver, scope.sender}, godot_codec::last_name(path),
                                                          godot_codec::packet_position_last);
    path = godot_codec::mp_above(path, 1);
    if (spawn == nullptr || spawn->spawned < name.defined) continue;
    const std::string_view spawner = nodes.spawner_of(*spawn);
    const std::string_view scene = godot_codec::mp_above(spawner, 1);
    if (spawner.empty() || !path.starts_with(scene)) continue;
    return wmem_strdup_printf(
        dissection.pinfo->pool,
        "%s already existed when it was spawned for %s (frame %u): a spawn fails if a node of that name exists. Only the spawner should add it",
        spawn->name.data(), describe_peer(dissection, scope.sender, false), spawn->spawned.packet);
  }
  return nullptr;
}

// Explains that a node that has the ID of the receiver as its name was never spawned for the receiver; null if it was.
const char *describe_unspawned_player(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  const godot_codec::MpPeers &peers = dissection.packet.connection->peers();
  const std::optional<std::int32_t> id = peers.id_of(scope.receiver, dissection.packet.position);
  const bool is_servers = scope.sender == peers.server() && peers.is_from_start();
  if (!id || !is_servers || !has_peer_id_as_name(path, *id)) return nullptr;
  // Searches the whole capture, because the path may arrive before the spawn if packets are lost.
  const char *name = wmem_strdup_printf(dissection.pinfo->pool, "%d", *id);
  if (dissection.packet.connection->nodes().find_newest(scope, name, godot_codec::packet_position_last) != nullptr)
    return nullptr;
  // The capture may lack the spawn.
  const godot_codec::MpPeriod until_now{godot_codec::packet_position_zero, INT64_MIN, dissection.packet.time};
  if (godot_codec::may_have_capture_gap(dissection.packet, dissection.packet.connection->deliveries(),
                                        godot_codec::end_of_peer(scope.sender), until_now))
    return nullptr;
  return wmem_strdup_printf(
      dissection.pinfo->pool,
      "%d was never spawned there: is its scene in the Auto Spawn List of a MultiplayerSpawner, and is it added below the spawn_path of that spawner? Without a spawner, each side must add it",
      *id);
}

// Explains why a spawned node may not exist at the receiver.
const char *describe_failed_spawn(const MpDissection &dissection, const godot_codec::MpSpawn &spawn,
                                  const MpIdScope &scope) {
  const godot_codec::MpPaths &paths = dissection.packet.connection->paths();
  const godot_codec::MpAnnouncedPath *spawner = paths.find(scope, spawn.spawner, spawn.spawned);
  if (spawner != nullptr && paths.is_never_confirmed(dissection.packet, *spawner, scope)) {
    return wmem_strdup_printf(dissection.pinfo->pool, "its spawner, %s, is missing at the receiver, too",
                              spawner->text.data());
  }
  if (spawn.scene == godot_codec::mp_custom_scene) return "does the spawn_function of the spawner return a node there?";
  if (spawner != nullptr && has_no_root(dissection, spawner->text)) {
    return "does the spawn_path of the spawner lead to a node there?";
  }
  return wmem_strdup_printf(
      dissection.pinfo->pool,
      "is its scene, number %u, in the Auto Spawn List there, and does the spawn_path lead to a node there?",
      unsigned{spawn.scene});
}

// Explains that a node above the path was spawned, but no path below it is ever confirmed; null if it is otherwise.
const char *describe_lost_above(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  constexpr unsigned max_depth = 8;
  constexpr std::uint32_t max_paths = 64;
  const MpPaths &paths = dissection.packet.connection->paths();
  std::string_view above = godot_codec::mp_above(path, 1);
  for (unsigned depth = 0; depth < max_depth && !above.empty(); ++depth, above = godot_codec::mp_above(above, 1)) {
    const godot_codec::MpSpawn *spawn = dissection.packet.connection->nodes().find_spawned(
        scope, godot_codec::last_name(above), dissection.packet.position);
    if (spawn == nullptr) continue;
    for (std::uint32_t number = 1; number <= max_paths; ++number) {
      const MpAnnouncedPath *other = paths.find(scope, number, dissection.packet.position);
      if (other == nullptr) break;
      const bool is_below = other->text.size() > above.size() && other->text.starts_with(above);
      if (is_below && !paths.is_never_confirmed(dissection.packet, *other, scope)) return nullptr;
    }
    return wmem_strdup_printf(dissection.pinfo->pool, "%s was spawned in frame %u, but does not exist there: %s",
                              spawn->name.data(), spawn->spawned.packet,
                              describe_failed_spawn(dissection, *spawn, scope));
  }
  return nullptr;
}

// Explains that a spawn failed or is missing; null if none is known.
const char *describe_lost_spawn(const MpDissection &dissection, std::string_view path, const MpIdScope &scope) {
  const std::string_view name = godot_codec::last_name(path);
  const godot_codec::MpSpawn *spawn =
      dissection.packet.connection->nodes().find_spawned(scope, name, dissection.packet.position);
  if (spawn == nullptr) {
    const char *despawned = describe_despawned(dissection, path, scope);
    if (despawned != nullptr) return despawned;
    const char *above = describe_lost_above(dissection, path, scope);
    if (above != nullptr) return above;
    const char *unspawned = describe_unspawned(dissection, path, scope);
    return unspawned == nullptr ? describe_unspawned_player(dissection, path, scope) : unspawned;
  }
  return wmem_strdup_printf(dissection.pinfo->pool, "spawned in frame %u, but does not exist there: %s",
                            spawn->spawned.packet, describe_failed_spawn(dissection, *spawn, scope));
}

// True if two paths differ only in their first node.
bool have_different_roots(std::string_view one, std::string_view other) {
  const auto below_root = [](std::string_view path) { return path.substr(std::min(path.find('/'), path.size())); };
  return one != other && !below_root(one).empty() && below_root(one) == below_root(other);
}

// Finds a path that the receiver has announced, with the same RPC methods, which ends with this path or differs only in
// its first node.
const MpAnnouncedPath *find_longer_path(const MpPaths &paths, const MpAnnouncedPath &name, const MpIdScope &other,
                                        godot_codec::PacketPosition position) {
  // Numbers begin at 1. If more paths than these were announced, one of the first is longer.
  constexpr std::uint32_t max_paths = 64;
  for (std::uint32_t number = 1; number <= max_paths; ++number) {
    const MpAnnouncedPath *found = paths.find(other, number, position);
    if (found == nullptr || found->md5 != name.md5) continue;
    if (have_different_roots(found->text, name.text)) return found;
    if (found->text.size() <= name.text.size()) continue;
    const std::size_t start = found->text.size() - name.text.size();
    if (found->text.ends_with(name.text) && found->text[start - 1] == '/') return found;
  }
  return nullptr;
}

// Explains by which other path, or when, the receiver itself has announced the node; null if it has not.
const char *describe_receiver_path(const MpDissection &dissection, const MpAnnouncedPath &name,
                                   const MpIdScope &scope) {
  const godot_codec::MpPaths &paths = dissection.packet.connection->paths();
  const MpIdScope other{scope.receiver, scope.sender};
  wmem_allocator_t *pool = dissection.pinfo->pool;
  const char *who = describe_peer(dissection, scope.receiver, false);
  const std::string_view path = name.text;
  if (name.present > name.defined) {
    return wmem_strdup_printf(pool, "%s has it by frame %u: it was added there after the path arrived", who,
                              name.present.packet);
  }
  const auto find_from_root = [&](std::string_view shorter) {
    const MpAnnouncedPath *found = paths.find_later(other, shorter, godot_codec::packet_position_zero);
    return found != nullptr && found->md5 == name.md5 ? found : nullptr;
  };
  const MpAnnouncedPath *found = find_longer_path(paths, name, other, dissection.packet.position);
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (found == nullptr) found = find_from_root(path.substr(slash + 1));
  }
  if (found == nullptr) return nullptr;
  return wmem_strdup_printf(
      pool,
      "%s calls it %s (frame %u): the two paths begin at different nodes. Is SceneMultiplayer.root_path, or the parent scene, the same on both sides?",
      who, found->text.data(), found->defined.packet);
}

// Explains that the receiver announces a node with the same parent later; null if it does not.
const char *describe_sibling(const MpDissection &dissection, const MpAnnouncedPath &name, const MpIdScope &scope) {
  constexpr std::uint32_t max_paths = 64;
  const MpIdScope other{scope.receiver, scope.sender};
  const std::string_view parent = godot_codec::parent_path(name.text);
  for (std::uint32_t number = 1; number <= max_paths && !parent.empty(); ++number) {
    const MpAnnouncedPath *found =
        dissection.packet.connection->paths().find(other, number, godot_codec::packet_position_last);
    if (found == nullptr) break;
    if (found->defined < name.defined || godot_codec::parent_path(found->text) != parent) continue;
    return wmem_strdup_printf(
        dissection.pinfo->pool, "%s has %s by frame %u: was that scene loaded after the path arrived?",
        describe_peer(dissection, scope.receiver, false), found->text.data(), found->defined.packet);
  }
  return nullptr;
}

// True if the receiver has never sent a multiplayer message, and the capture contains everything that it sent.
bool is_receiver_silent(const MpDissection &dissection, const MpIdScope &scope) {
  // A receiver without one node may have all others, so at least two paths must be announced. Their ids begin at 1.
  constexpr std::uint32_t second_path = 2;
  constexpr std::int64_t max_time = std::int64_t{1} << 61;
  const godot_codec::MpPacket &packet = dissection.packet;
  const godot_codec::MpConnection &connection = *packet.connection;
  return connection.paths().find(scope, second_path, packet.position) != nullptr &&
         connection.problems().is_silent(1 - packet.end) && connection.peers().is_from_start(packet.position) &&
         !godot_codec::may_have_capture_gap(packet, connection.deliveries(), 1 - packet.end,
                                            {godot_codec::packet_position_zero, -max_time, max_time});
}

// Explains why a node is missing, except its place in the project folder.
const char *describe_missing_node_cause(const MpDissection &dissection, const MpAnnouncedPath &name,
                                        const MpIdScope &scope, const char **advice) {
  if (const char *spawned_twice = describe_spawned_twice(dissection, name, scope); spawned_twice != nullptr)
    return spawned_twice;
  if (const char *receiver_path = describe_receiver_path(dissection, name, scope); receiver_path != nullptr)
    return receiver_path;
  if (const char *similar = describe_similar(dissection, name.text); similar != nullptr) return similar;
  if (has_auto_generated_name(name.text)) {
    *advice = "Give the node the same name on all peers before add_child(), or call add_child(node, true).";
    return "the path contains an auto-generated name, which differs on each peer: set the name before add_child(), or call add_child(node, true)";
  }
  if (is_receiver_silent(dissection, scope)) {
    *advice =
        "Load the same scene on that side (change_scene_to_file() before it connects), and set multiplayer.multiplayer_peer there.";
    return wmem_strdup_printf(
        dissection.pinfo->pool,
        "%s %s, but never sends a multiplayer message: is it in another scene, or was "
        "multiplayer.multiplayer_peer never set there?",
        describe_peer(dissection, scope.receiver, false),
        dissection.packet.transport == Transport::enet ? "acknowledges everything (ENet)" : "receives everything");
  }
  const char *lost = describe_lost_spawn(dissection, name.text, scope);
  return lost != nullptr ? lost : describe_sibling(dissection, name, scope);
}

// Explains what happens to later messages; null if the receiver is known to have the node by then. Without an
// explanation of a missing spawner or synchronizer, the path of a called node is more useful.
const char *describe_later(const MpAnnouncedPath &name, bool is_explained) {
  if (!is_explained && !name.is_called) return nullptr;
  if (name.is_spawner) return "a path is announced only once, so each of its spawns is lost";
  if (!name.is_called) return "a synchronizer sends no values before its path is confirmed";
  return name.present.packet != 0 ? nullptr : "the node may have been added since: then later calls arrive";
}

// Joins two explanations: "Is it there? It may …", "no node; it may …".
const char *join_explanations(const MpDissection &dissection, const char *first, const char *second) {
  if (first == nullptr || second == nullptr) return first == nullptr ? second : first;
  const bool is_question = std::string_view(first).ends_with('?');
  return wmem_strdup_printf(dissection.pinfo->pool, "%s%s %s", first, is_question ? "" : ";",
                            is_question ? as_sentence(dissection.pinfo, second) : second);
}

}  // namespace

const char *describe_missing_node(const MpDissection &dissection, const MpAnnouncedPath &name, const MpIdScope &scope,
                                  const char **advice) {
  const char *cause = describe_missing_node_cause(dissection, name, scope, advice);
  const godot_codec::MpGameNames *names = dissection.names;
  const godot_codec::MpSourceLine line = names == nullptr ? godot_codec::MpSourceLine{} : names->node_line(name.text);
  // A scene has no node of a name that the engine generates: the line would be that of a similar node.
  const bool is_in_scene = line.line != 0 && !has_auto_generated_name(name.text);
  const char *where = is_in_scene ? wmem_strdup_printf(dissection.pinfo->pool, "the project folder has %s%s",
                                                       name.text.data(), describe_source_line(dissection, line))
                                  : nullptr;
  const char *reason = join_explanations(dissection, cause, where);
  return join_explanations(dissection, reason, describe_later(name, reason != nullptr));
}

}  // namespace godot_plugin
