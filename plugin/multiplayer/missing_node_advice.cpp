// SPDX-License-Identifier: GPL-2.0-or-later
// Explains why the receiver of a path does not have the node, for the rule `unconfirmed_path`.
#include <algorithm>
#include <optional>

#include "godot-codec/core/path.h"
#include "plugin/multiplayer/descriptions.h"

namespace godot_plugin {
namespace {

// True if two paths differ only in their first node.
bool have_different_roots(std::string_view one, std::string_view other) {
  const auto below_root = [](std::string_view path) { return path.substr(std::min(path.find('/'), path.size())); };
  return one != other && !below_root(one).empty() && below_root(one) == below_root(other);
}

// A node that the receiver of its path does not have.
struct MissingNode {
  const MpDissection &dissection;
  const MpAnnouncedPath &name;
  const MpIdScope scope;

  // Returns advice about the first cause that the packets show, or null.
  const char *advice() const {
    using Advice = const char *(MissingNode::*)() const;
    constexpr Advice causes[] = {&MissingNode::advice_about_existing_node, &MissingNode::advice_about_own_path,
                                 &MissingNode::advice_about_name,          &MissingNode::advice_about_generated_name,
                                 &MissingNode::advice_about_silence,       &MissingNode::advice_about_lost_spawn,
                                 &MissingNode::advice_about_despawn,       &MissingNode::advice_about_lost_parent,
                                 &MissingNode::advice_about_siblings,      &MissingNode::advice_about_unspawned_player,
                                 &MissingNode::advice_about_late_scene};
    for (const Advice cause : causes) {
      if (const char *advice = (this->*cause)(); advice != nullptr) return advice;
    }
    return nullptr;
  }

  // Returns the first path that one of the peers has announced to the other and that a function accepts, or null. Path
  // IDs begin at 1.
  template <typename Accepts>
  const MpAnnouncedPath *find_announced_path(const MpIdScope &peers, PacketPosition until, Accepts accepts) const {
    // The first paths are enough: if more were announced, one of the first already is such a path.
    constexpr std::uint32_t max_paths = 64;
    for (std::uint32_t number = 1; number <= max_paths; ++number) {
      const MpAnnouncedPath *found = dissection.paths().find(peers, number, until);
      if (found == nullptr || accepts(*found)) return found;
    }
    return nullptr;
  }

  // Calls a function with a path and the paths of the nodes above, until the function returns a text.
  template <typename Describe>
  static const char *describe_first(std::string_view path, Describe describe) {
    constexpr unsigned max_depth = 8;
    const char *text = nullptr;
    for (unsigned depth = 0; depth < max_depth && !path.empty() && text == nullptr; ++depth) {
      text = describe(path);
      path = godot_codec::parent_path(path);
    }
    return text;
  }

  // The functions below return advice about one possible cause, or null if the packets do not show that cause.

  // Cause: the path is misspelled.
  const char *advice_about_name() const {
    const std::string_view similar =
        dissection.packet.names == nullptr ? std::string_view{} : dissection.packet.names->find_similar_path(name.text);
    if (similar.empty()) return nullptr;
    return dissection.format("Check the name: no scene in the project folder has this path, but one has %s.",
                             dissection.printable(similar));
  }

  const char *advice_about_generated_name() const {
    if (!has_auto_generated_name(name.text)) return nullptr;
    return "Give the node the same name on all peers before add_child(), or call add_child(node, true). The generated name differs on each peer.";
  }

  // Cause: the receiver has never sent a multiplayer message, although the capture contains everything that it sent.
  const char *advice_about_silence() const {
    // A receiver that lacks one node may have all other nodes. So require at least two announced paths. Path IDs begin
    // at 1.
    constexpr std::uint32_t second_path = 2;
    const MpPacket &packet = dissection.packet;
    const unsigned end = 1 - packet.sender_side;
    const bool is_silent = dissection.paths().find(scope, second_path, position()) != nullptr &&
                           packet.connection->problems().is_silent(end) &&
                           dissection.peers().is_from_start(position()) &&
                           !godot_codec::may_have_capture_gap(packet, end, {});
    if (!is_silent) return nullptr;
    return dissection.format(
        "Load the same scene and set multiplayer.multiplayer_peer on both sides: %s has never sent a multiplayer message.",
        receiver());
  }

  // Cause: the node, or a node above it, was despawned.
  const char *advice_about_despawn() const {
    return describe_first(name.text, [this](std::string_view path) -> const char * {
      const MpSpawnedNode *spawn = dissection.nodes().find_newest(scope, godot_codec::base_name(path), position());
      if (spawn == nullptr || !spawn->despawned_at || *spawn->despawned_at > position()) return nullptr;
      return dissection.format(
          "Node %s was despawned on the receiver (frame %u), but the sender still uses the node. If the sender moved the node with reparent(), keep the node below the spawn_path. Otherwise free the node on the sender.",
          spawn->name.data(), spawn->despawned_at->packet);
    });
  }

  // Cause: the receiver got spawns of siblings, but never of the node.
  const char *advice_about_siblings() const {
    const std::string_view parent = godot_codec::parent_path(name.text);
    if (parent.empty()) return nullptr;
    const MpSpawnedNode *spawn = nullptr;
    const auto is_spawned_sibling = [&](const MpAnnouncedPath &other) {
      if (other.text == name.text || godot_codec::parent_path(other.text) != parent) return false;
      spawn = dissection.nodes().find_spawned(scope, godot_codec::base_name(other.text), position());
      return spawn != nullptr;
    };
    if (find_announced_path(scope, position(), is_spawned_sibling) == nullptr) return nullptr;
    return dissection.format(
        "Add its scene to the Auto Spawn List, or add the node on both sides: its siblings were spawned (frame %u), but this node was not.",
        spawn->spawned_at.packet);
  }

  // Cause: the node, or a node above it, existed already when the receiver spawned it.
  const char *advice_about_existing_node() const {
    return describe_first(name.text, [this](std::string_view path) -> const char * {
      const MpSpawnedNode *spawn = dissection.nodes().find_newest(from_receiver(), godot_codec::base_name(path),
                                                                  godot_codec::packet_position_last);
      if (spawn == nullptr || spawn->spawned_at < name.position) return nullptr;
      const std::string_view spawner = dissection.nodes().spawner_path_of(*spawn);
      const std::string_view scene = godot_codec::parent_path(spawner);
      if (spawner.empty() || !godot_codec::parent_path(path).starts_with(scene)) return nullptr;
      return dissection.format(
          "%s added node %s itself, before the node was spawned for this peer (frame %u), so the spawn failed. Add the node only through its MultiplayerSpawner, not in a script of the client.",
          describe_peer(dissection, scope.sender, true), spawn->name.data(), spawn->spawned_at.packet);
    });
  }

  // Cause: a node that has the ID of the receiver as its name was never spawned for the receiver.
  const char *advice_about_unspawned_player() const {
    const std::optional<std::int32_t> id = dissection.peers().id_of(scope.receiver, position());
    const bool is_servers = scope.sender == dissection.peers().server() && dissection.peers().is_from_start();
    if (!id || !is_servers || !has_peer_id_as_name(name.text, *id)) return nullptr;
    // Search the whole capture, because after packet loss the path may arrive before the spawn.
    const char *node = dissection.format("%d", *id);
    if (dissection.nodes().find_newest(scope, node, godot_codec::packet_position_last) != nullptr) return nullptr;
    // If the spawn may be in a capture gap, this is no proof.
    const unsigned end = godot_codec::side_of_peer(scope.sender);
    if (godot_codec::may_have_capture_gap(dissection.packet, end, {.until = dissection.packet.time})) return nullptr;
    return dissection.format(
        "Node %d was never spawned for the receiver. Add its scene to the Auto Spawn List of a MultiplayerSpawner, and add the node below the spawn_path. Without a spawner, add the node on both sides.",
        *id);
  }

  // True if the spawner's spawn_path in the project folder is empty, or does not lead to a node of the scene.
  bool has_no_root(std::string_view spawner) const {
    return dissection.packet.names != nullptr && dissection.packet.names->count_spawnable_scenes(spawner) &&
           !dissection.packet.names->find_relative_root(spawner).is_known;
  }

  // Returns advice about a spawned node that does not exist on the receiver.
  const char *advice_about_failed_spawn(const MpSpawnedNode &spawn) const {
    const MpAnnouncedPath *spawner = dissection.paths().find(scope, spawn.spawner, spawn.spawned_at);
    if (spawner != nullptr && dissection.paths().is_never_confirmed(dissection.packet, *spawner, scope))
      return dissection.format("Add its spawner %s on the receiver, too.", spawner->text.data());
    if (spawn.scene == godot_codec::mp_custom_scene)
      return "The spawn_function must return a node on the receiver, too.";
    if (spawner != nullptr && has_no_root(spawner->text))
      return "The spawn_path of the spawner must lead to a node on the receiver.";
    return dissection.format(
        "On the receiver, its scene (index %u) must be in the Auto Spawn List, and the spawn_path must lead to a node.",
        unsigned{spawn.scene});
  }

  // Cause: a node above the path was spawned, but no path below it is ever confirmed.
  const char *advice_about_lost_parent() const {
    return describe_first(godot_codec::parent_path(name.text), [this](std::string_view above) -> const char * {
      const MpSpawnedNode *spawn = dissection.nodes().find_spawned(scope, godot_codec::base_name(above), position());
      const auto is_confirmed_below = [&](const MpAnnouncedPath &other) {
        const bool is_below = other.text.size() > above.size() && other.text.starts_with(above);
        return is_below && !dissection.paths().is_never_confirmed(dissection.packet, other, scope);
      };
      if (spawn == nullptr || find_announced_path(scope, position(), is_confirmed_below) != nullptr) return nullptr;
      return dissection.format("The spawn of %s (frame %u) failed. %s", spawn->name.data(), spawn->spawned_at.packet,
                               advice_about_failed_spawn(*spawn));
    });
  }

  // Cause: the spawn of the node failed.
  const char *advice_about_lost_spawn() const {
    const MpSpawnedNode *spawn = dissection.nodes().find_spawned(scope, godot_codec::base_name(name.text), position());
    if (spawn == nullptr) return nullptr;
    return dissection.format("The spawn of the node (frame %u) failed. %s", spawn->spawned_at.packet,
                             advice_about_failed_spawn(*spawn));
  }

  // Finds a path that the receiver has announced for a node with the same RPC methods. The found path must end with the
  // path of the node, or differ from it only in the first node.
  const MpAnnouncedPath *find_longer_path() const {
    return find_announced_path(from_receiver(), position(), [this](const MpAnnouncedPath &found) {
      if (found.md5 != name.md5) return false;
      if (have_different_roots(found.text, name.text)) return true;
      if (found.text.size() <= name.text.size()) return false;
      return found.text.ends_with(name.text) && found.text[found.text.size() - name.text.size() - 1] == '/';
    });
  }

  // Cause: the receiver itself has announced the node later, or by another path.
  const char *advice_about_own_path() const {
    if (name.present_at > name.position) {
      return dissection.format(
          "Add the node earlier, or send the first message later. The first sign of the node on %s is in frame %u.",
          receiver(), name.present_at.packet);
    }
    const MpAnnouncedPath *found = find_longer_path();
    for (std::size_t slash = name.text.find('/'); slash != std::string_view::npos && found == nullptr;
         slash = name.text.find('/', slash + 1)) {
      found = dissection.paths().find_later(from_receiver(), name.text.substr(slash + 1),
                                            godot_codec::packet_position_zero);
      if (found != nullptr && found->md5 != name.md5) found = nullptr;
    }
    if (found == nullptr) return nullptr;
    return dissection.format(
        "Use the same SceneMultiplayer.root_path and the same parent scene on both sides. The node %s has the path %s on %s (frame %u).",
        name.text.data(), found->text.data(), receiver(), found->position.packet);
  }

  // Cause: the receiver loads the scene too late, because it announces a node with the same parent later.
  const char *advice_about_late_scene() const {
    const std::string_view parent = godot_codec::parent_path(name.text);
    if (parent.empty()) return nullptr;
    const MpAnnouncedPath *found =
        find_announced_path(from_receiver(), godot_codec::packet_position_last, [&](const MpAnnouncedPath &each) {
          return each.position >= name.position && godot_codec::parent_path(each.text) == parent;
        });
    if (found == nullptr) return nullptr;
    return dissection.format(
        "Check the name of the node. If the name is correct, load the scene on both sides before the first message: the first sign of the sibling node %s on %s is in frame %u.",
        found->text.data(), receiver(), found->position.packet);
  }

  PacketPosition position() const { return dissection.packet.position; }
  const char *receiver() const { return describe_peer(dissection, scope.receiver, false); }
  // Returns the scope of what the receiver of the path announces itself.
  MpIdScope from_receiver() const { return {scope.receiver, scope.sender}; }
};

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
  const char *cause = MissingNode{dissection, name, scope}.advice();
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
