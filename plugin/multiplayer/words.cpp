// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/sentence.h"
#include "plugin/epan/labels.h"
#include "plugin/godot/draw.h"
#include "plugin/multiplayer/fields.h"

namespace godot_plugin {

using godot_codec::mp_end;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpMessage;
using godot_codec::MpName;
using godot_codec::MpNode;
using godot_codec::MpNumbering;
using godot_codec::MpPaths;

namespace {

// SceneMultiplayer.auth_timeout is 3 s unless the game sets it: a side that disconnects sooner does so on purpose.
constexpr std::int64_t authentication_timeout = 5 * godot_codec::nanoseconds_per_second / 2;

}  // namespace

const char *of_path(const MpDrawing &drawing, const char *path, const char *words) {
  return wmem_strdup_printf(drawing.pinfo->pool, "%s %s", path, words);
}

const char *describe_peer(const MpDrawing &drawing, std::int32_t peer, bool begins_sentence) {
  const godot_codec::MpPacket &packet = drawing.packet;
  const bool is_unknown_end = godot_codec::is_mp_end(peer) && !packet.has_roles();
  const std::optional<std::int32_t> id =
      is_unknown_end ? id_of_end(drawing, peer) : packet.connection->peers().id_of(peer, packet.moment);
  if (!id) return begins_sentence ? "The client" : "the client";
  if (*id == 0) return begins_sentence ? "One peer" : "the other peer";
  if (*id == godot_codec::mp_server) return begins_sentence ? "The server" : "the server";
  return wmem_strdup_printf(drawing.pinfo->pool, "%s %d", begins_sentence ? "Peer" : "peer", *id);
}

const char *path_of(const MpDrawing &drawing, const MpFields &fields, const MpNumbering &numbering) {
  if (fields.has(MpField::path)) return printable(drawing.pinfo->pool, fields.text(MpField::path));
  const MpName *name = godot_codec::find_mp_name(drawing.packet, fields, numbering);
  return name == nullptr ? nullptr : name->text.data();
}

const char *node_of(const MpDrawing &drawing, const MpFields &fields, const MpNumbering &numbering) {
  if (fields.has(MpField::name)) return printable(drawing.pinfo->pool, fields.text(MpField::name));
  if (fields.has(MpField::path_id)) return path_of(drawing, fields, numbering);
  const MpNode *node = godot_codec::find_mp_node(drawing.packet, fields, numbering);
  return node == nullptr ? nullptr : node->spawn->name.data();
}

const godot_codec::project::Function *called_function(const MpDrawing &drawing, const MpMessage &message,
                                                      const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const bool is_call = message.command == MpCommand::rpc && message.fields.has(MpField::method_id);
  if (names == nullptr || !is_call) return nullptr;
  return names->function(godot_codec::mp_method_of(drawing.packet, message, numbering));
}

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

const char *describe_side(const MpDrawing &drawing, const MpName &name, std::int32_t peer, bool begins_sentence) {
  const char *list = describe_list(drawing, name);
  if (list == nullptr) list = wmem_strdup_printf(drawing.pinfo->pool, "the list %s", name.md5.data());
  return wmem_strdup_printf(drawing.pinfo->pool, "%s has %s", describe_peer(drawing, peer, begins_sentence), list);
}

const char *describe_line(const MpDrawing &drawing, const godot_codec::MpSourceLine &source) {
  if (source.line == 0) return "";
  wmem_allocator_t *pool = drawing.pinfo->pool;
  return wmem_strdup_printf(pool, " in %s:%u", printable(pool, source.file), source.line);
}

const char *describe_similar(const MpDrawing &drawing, std::string_view path) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const std::string_view similar = names == nullptr ? std::string_view{} : names->similar_path(path);
  if (similar.empty()) return nullptr;
  return wmem_strdup_printf(drawing.pinfo->pool, "no scene of the project has it. Did you mean %s?",
                            printable(drawing.pinfo->pool, similar));
}

bool has_made_up_name(std::string_view path) {
  return path.starts_with('@') || path.find("/@") != std::string_view::npos;
}

bool has_name_of(std::string_view path, std::int32_t peer) {
  std::array<char, 16> digits{};
  const char *end = std::to_chars(digits.data(), digits.data() + digits.size(), peer).ptr;
  const std::string_view name(digits.data(), static_cast<std::size_t>(end - digits.data()));
  while (!path.empty()) {
    if (godot_codec::last_name(path) == name) return true;
    path = godot_codec::mp_above(path, 1);
  }
  return false;
}

namespace {

// True if the game's folder has a spawner there whose spawn_path is empty, or leads to no node of the scene.
bool has_no_root(const MpDrawing &drawing, std::string_view spawner) {
  const godot_codec::MpNames *names = drawing.packet.names;
  return names != nullptr && names->spawnable_scenes(spawner) && !names->way_to_root(spawner).is_known;
}

// Tells that the path's node, or one above it, was despawned; null if none was.
const char *describe_despawned(const MpDrawing &drawing, std::string_view path, const MpNumbering &numbering) {
  constexpr unsigned max_depth = 8;
  for (unsigned depth = 0; depth < max_depth && !path.empty(); ++depth) {
    const godot_codec::MpSpawn *spawn =
        drawing.packet.connection->nodes().find_newest(numbering, godot_codec::last_name(path), drawing.packet.moment);
    path = godot_codec::mp_above(path, 1);
    if (spawn == nullptr || !spawn->despawned || *spawn->despawned > drawing.packet.moment) continue;
    return wmem_strdup_printf(drawing.pinfo->pool,
                              "%s was despawned in frame %u: was it freed, or moved out of the spawner's spawn_path "
                              "(reparent()), which frees it there?",
                              spawn->name.data(), spawn->despawned->packet);
  }
  return nullptr;
}

// Tells that the receiver never got a spawn of the node, but spawns of others below the same parent; null if that is
// not so.
const char *describe_unspawned(const MpDrawing &drawing, std::string_view path, const MpNumbering &numbering) {
  constexpr std::uint32_t most = 64;
  const std::string_view parent = godot_codec::mp_above(path, 1);
  for (std::uint32_t number = 1; number <= most; ++number) {
    const MpName *other = drawing.packet.connection->paths().find(numbering, number, drawing.packet.moment);
    if (other == nullptr) return nullptr;
    if (parent.empty() || other->text == path || godot_codec::mp_above(other->text, 1) != parent) continue;
    const std::string_view name = other->text.substr(parent.size() + 1);
    const godot_codec::MpSpawn *spawn =
        drawing.packet.connection->nodes().find_spawned(numbering, name, drawing.packet.moment);
    if (spawn == nullptr) continue;
    return wmem_strdup_printf(
        drawing.pinfo->pool,
        "its siblings are spawned (frame %u), but this node never is: is its scene in the Auto Spawn List, or was it added on one side only?",
        spawn->spawned.packet);
  }
  return nullptr;
}

// Tells that the path's node, or one above it, was there already when the receiver spawned it; null if that is not so.
const char *describe_spawned_twice(const MpDrawing &drawing, const MpName &name, const MpNumbering &numbering) {
  constexpr unsigned max_depth = 8;
  const godot_codec::MpNodes &nodes = drawing.packet.connection->nodes();
  std::string_view path = name.text;
  for (unsigned depth = 0; depth < max_depth && !path.empty(); ++depth) {
    const godot_codec::MpSpawn *spawn = nodes.find_newest(
        {numbering.listener, numbering.owner}, godot_codec::last_name(path), godot_codec::packet_position_last);
    path = godot_codec::mp_above(path, 1);
    if (spawn == nullptr || spawn->spawned < name.defined) continue;
    const std::string_view spawner = nodes.spawner_of(*spawn);
    const std::string_view scene = godot_codec::mp_above(spawner, 1);
    if (spawner.empty() || !path.starts_with(scene)) continue;
    return wmem_strdup_printf(
        drawing.pinfo->pool,
        "%s already existed when it was spawned for %s (frame %u): a spawn fails if a node of that name exists. Only the spawner should add it",
        spawn->name.data(), describe_peer(drawing, numbering.owner, false), spawn->spawned.packet);
  }
  return nullptr;
}

// Tells that a node which has the receiver's id as its name was never spawned for the receiver; null if that is not so.
const char *describe_unspawned_player(const MpDrawing &drawing, std::string_view path, const MpNumbering &numbering) {
  const godot_codec::MpPeers &peers = drawing.packet.connection->peers();
  const std::optional<std::int32_t> id = peers.id_of(numbering.listener, drawing.packet.moment);
  const bool is_servers = numbering.owner == peers.server() && peers.is_from_start();
  if (!id || !is_servers || !has_name_of(path, *id)) return nullptr;
  // Searches the whole capture: on a bad line, the path may be captured before the spawn.
  const char *name = wmem_strdup_printf(drawing.pinfo->pool, "%d", *id);
  if (drawing.packet.connection->nodes().find_newest(numbering, name, godot_codec::packet_position_last) != nullptr)
    return nullptr;
  // The capture may lack the spawn.
  const godot_codec::MpPeriod until_now{godot_codec::packet_position_zero, INT64_MIN, drawing.packet.time};
  if (godot_codec::may_lack(drawing.packet, drawing.packet.connection->messages(),
                            godot_codec::end_of_peer(numbering.owner), until_now))
    return nullptr;
  return wmem_strdup_printf(
      drawing.pinfo->pool,
      "%d was never spawned there: is its scene in the Auto Spawn List of a MultiplayerSpawner, and is it added below the spawn_path of that spawner? Without a spawner, each side must add it",
      *id);
}

// Why a spawned node may not be there.
const char *describe_failed_spawn(const MpDrawing &drawing, const godot_codec::MpSpawn &spawn,
                                  const MpNumbering &numbering) {
  const godot_codec::MpPaths &paths = drawing.packet.connection->paths();
  const godot_codec::MpName *spawner = paths.find(numbering, spawn.spawner, spawn.spawned);
  if (spawner != nullptr && paths.is_never_confirmed(drawing.packet, *spawner, numbering)) {
    return wmem_strdup_printf(drawing.pinfo->pool, "its spawner, %s, is missing at the receiver, too",
                              spawner->text.data());
  }
  if (spawn.scene == godot_codec::mp_custom_scene) return "does the spawn_function of the spawner return a node there?";
  if (spawner != nullptr && has_no_root(drawing, spawner->text)) {
    return "does the spawn_path of the spawner lead to a node there?";
  }
  return wmem_strdup_printf(
      drawing.pinfo->pool,
      "is its scene, number %u, in the Auto Spawn List there, and does the spawn_path lead to a node there?",
      unsigned{spawn.scene});
}

// Tells that a node above the path was spawned, but nothing below it is ever confirmed; null if that is not so.
const char *describe_lost_above(const MpDrawing &drawing, std::string_view path, const MpNumbering &numbering) {
  constexpr unsigned max_depth = 8;
  constexpr std::uint32_t most = 64;
  const MpPaths &paths = drawing.packet.connection->paths();
  std::string_view above = godot_codec::mp_above(path, 1);
  for (unsigned depth = 0; depth < max_depth && !above.empty(); ++depth, above = godot_codec::mp_above(above, 1)) {
    const godot_codec::MpSpawn *spawn = drawing.packet.connection->nodes().find_spawned(
        numbering, godot_codec::last_name(above), drawing.packet.moment);
    if (spawn == nullptr) continue;
    for (std::uint32_t number = 1; number <= most; ++number) {
      const MpName *other = paths.find(numbering, number, drawing.packet.moment);
      if (other == nullptr) break;
      const bool is_below = other->text.size() > above.size() && other->text.starts_with(above);
      if (is_below && !paths.is_never_confirmed(drawing.packet, *other, numbering)) return nullptr;
    }
    return wmem_strdup_printf(drawing.pinfo->pool, "%s was spawned in frame %u, but does not exist there: %s",
                              spawn->name.data(), spawn->spawned.packet,
                              describe_failed_spawn(drawing, *spawn, numbering));
  }
  return nullptr;
}

const char *describe_lost_spawn(const MpDrawing &drawing, std::string_view path, const MpNumbering &numbering) {
  const std::string_view name = godot_codec::last_name(path);
  const godot_codec::MpSpawn *spawn =
      drawing.packet.connection->nodes().find_spawned(numbering, name, drawing.packet.moment);
  if (spawn == nullptr) {
    const char *despawned = describe_despawned(drawing, path, numbering);
    if (despawned != nullptr) return despawned;
    const char *above = describe_lost_above(drawing, path, numbering);
    if (above != nullptr) return above;
    const char *unspawned = describe_unspawned(drawing, path, numbering);
    return unspawned == nullptr ? describe_unspawned_player(drawing, path, numbering) : unspawned;
  }
  return wmem_strdup_printf(drawing.pinfo->pool, "spawned in frame %u, but does not exist there: %s",
                            spawn->spawned.packet, describe_failed_spawn(drawing, *spawn, numbering));
}

// True if two paths differ in what they begin with.
bool have_other_roots(std::string_view one, std::string_view other) {
  const auto below_root = [](std::string_view path) { return path.substr(std::min(path.find('/'), path.size())); };
  return one != other && !below_root(one).empty() && below_root(one) == below_root(other);
}

// A path that the receiver has announced, and that ends with this path, or differs only in the name of its first node.
// Both have the same methods.
const MpName *find_longer(const MpPaths &paths, const MpName &name, const MpNumbering &other,
                          godot_codec::PacketPosition moment) {
  // Numbers begin at 1. If more paths than these were announced, one of the first is longer.
  constexpr std::uint32_t most = 64;
  for (std::uint32_t number = 1; number <= most; ++number) {
    const MpName *found = paths.find(other, number, moment);
    if (found == nullptr || found->md5 != name.md5) continue;
    if (have_other_roots(found->text, name.text)) return found;
    if (found->text.size() <= name.text.size()) continue;
    const std::size_t start = found->text.size() - name.text.size();
    if (found->text.ends_with(name.text) && found->text[start - 1] == '/') return found;
  }
  return nullptr;
}

// Tells by which path the receiver itself has announced the node: below another root, or later.
const char *describe_own_path(const MpDrawing &drawing, const MpName &name, const MpNumbering &numbering) {
  const godot_codec::MpPaths &paths = drawing.packet.connection->paths();
  const MpNumbering other{numbering.listener, numbering.owner};
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *who = describe_peer(drawing, numbering.listener, false);
  const std::string_view path = name.text;
  if (name.present > name.defined) {
    return wmem_strdup_printf(pool, "%s has it by frame %u: it was added there after the path arrived", who,
                              name.present.packet);
  }
  const auto is_of_root = [&](std::string_view shorter) {
    const MpName *found = paths.find_later(other, shorter, godot_codec::packet_position_zero);
    return found != nullptr && found->md5 == name.md5 ? found : nullptr;
  };
  const MpName *found = find_longer(paths, name, other, drawing.packet.moment);
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (found == nullptr) found = is_of_root(path.substr(slash + 1));
  }
  if (found == nullptr) return nullptr;
  return wmem_strdup_printf(
      pool,
      "%s calls it %s (frame %u): the two paths begin at different nodes. Is SceneMultiplayer.root_path, or the parent scene, the same on both sides?",
      who, found->text.data(), found->defined.packet);
}

// Tells that the receiver announces a node with the same parent later; null if it does not.
const char *describe_sibling(const MpDrawing &drawing, const MpName &name, const MpNumbering &numbering) {
  constexpr std::uint32_t most = 64;
  const MpNumbering other{numbering.listener, numbering.owner};
  const std::string_view parent = godot_codec::parent_path(name.text);
  for (std::uint32_t number = 1; number <= most && !parent.empty(); ++number) {
    const MpName *found = drawing.packet.connection->paths().find(other, number, godot_codec::packet_position_last);
    if (found == nullptr) break;
    if (found->defined < name.defined || godot_codec::parent_path(found->text) != parent) continue;
    return wmem_strdup_printf(
        drawing.pinfo->pool, "%s has %s by frame %u: was that scene loaded after the path arrived?",
        describe_peer(drawing, numbering.listener, false), found->text.data(), found->defined.packet);
  }
  return nullptr;
}

// True if the receiver has never sent a message of the multiplayer, and the capture has all that it sent.
bool is_receiver_silent(const MpDrawing &drawing, const MpNumbering &numbering) {
  // A receiver that lacks one node may have all others. So several paths have to be announced; they are numbered from 1
  // on.
  constexpr std::uint32_t second_path = 2;
  constexpr std::int64_t longest = std::int64_t{1} << 61;
  const godot_codec::MpPacket &packet = drawing.packet;
  const godot_codec::MpConnection &connection = *packet.connection;
  return connection.paths().find(numbering, second_path, packet.moment) != nullptr &&
         connection.causes().is_silent(1 - packet.end) && connection.peers().is_from_start(packet.moment) &&
         !godot_codec::may_lack(packet, connection.messages(), 1 - packet.end,
                                {godot_codec::packet_position_zero, -longest, longest});
}

// Why a node is missing, without where it is in the folder.
const char *describe_cause_of_lack(const MpDrawing &drawing, const MpName &name, const MpNumbering &numbering,
                                   const char **advice) {
  if (const char *twice = describe_spawned_twice(drawing, name, numbering); twice != nullptr) return twice;
  if (const char *own = describe_own_path(drawing, name, numbering); own != nullptr) return own;
  if (const char *similar = describe_similar(drawing, name.text); similar != nullptr) return similar;
  if (has_made_up_name(name.text)) {
    *advice = "Give the node the same name on all peers before add_child(), or call add_child(node, true).";
    return "the path contains an auto-generated name, which differs on each peer: set the name before add_child(), or call add_child(node, true)";
  }
  if (is_receiver_silent(drawing, numbering)) {
    *advice =
        "Load the same scene on that side (change_scene_to_file() before it connects), and set multiplayer.multiplayer_peer there.";
    return wmem_strdup_printf(
        drawing.pinfo->pool,
        "%s %s, but never sends a multiplayer message: is it in another scene, or was "
        "multiplayer.multiplayer_peer never set there?",
        describe_peer(drawing, numbering.listener, false),
        drawing.packet.transport == Transport::enet ? "acknowledges everything (ENet)" : "receives everything");
  }
  const char *lost = describe_lost_spawn(drawing, name.text, numbering);
  return lost != nullptr ? lost : describe_sibling(drawing, name, numbering);
}

}  // namespace

namespace {

// Tells what becomes of later messages; null if the receiver is known to have the node by then. If nothing else is
// known about a spawner or a synchronizer, the path of a called node says more.
const char *describe_later(const MpName &name, bool is_explained) {
  if (!is_explained && !name.is_called) return nullptr;
  if (name.is_spawner) return "a path is announced only once, so each of its spawns is lost";
  if (!name.is_called) return "a synchronizer sends no values before its path is confirmed";
  return name.present.packet != 0 ? nullptr : "the node may have been added since: then later calls arrive";
}

// "Is it there? It may …", "no node; it may …".
const char *joined(const MpDrawing &drawing, const char *first, const char *second) {
  if (first == nullptr || second == nullptr) return first == nullptr ? second : first;
  const bool is_question = std::string_view(first).ends_with('?');
  return wmem_strdup_printf(drawing.pinfo->pool, "%s%s %s", first, is_question ? "" : ";",
                            is_question ? as_sentence(drawing.pinfo, second) : second);
}

}  // namespace

const char *describe_lack(const MpDrawing &drawing, const MpName &name, const MpNumbering &numbering,
                          const char **advice) {
  const char *cause = describe_cause_of_lack(drawing, name, numbering, advice);
  const godot_codec::MpNames *names = drawing.packet.names;
  const godot_codec::MpSourceLine line = names == nullptr ? godot_codec::MpSourceLine{} : names->node_line(name.text);
  // A scene has no node of a name that the engine generates: the line would be that of a similar node.
  const bool is_in_scene = line.line != 0 && !has_made_up_name(name.text);
  const char *where = is_in_scene ? wmem_strdup_printf(drawing.pinfo->pool, "the project folder has %s%s",
                                                       name.text.data(), describe_line(drawing, line))
                                  : nullptr;
  const char *reason = joined(drawing, cause, where);
  return joined(drawing, reason, describe_later(name, reason != nullptr));
}

namespace {

// `7 bytes, "letmein"`, for what a game sends to be let in.
const char *describe_credentials(const MpDrawing &drawing, const MpMessage &message) {
  constexpr std::size_t most_shown = 40;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const std::string_view data = message.fields.text(MpField::data);
  const bool is_text = !data.empty() && data.size() <= most_shown &&
                       std::all_of(data.begin(), data.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return wmem_strdup_printf(pool, "%zu byte%s%s", data.size(), data.size() == 1 ? "" : "s",
                            is_text ? wmem_strdup_printf(pool, ", \"%s\"", printable(pool, data)) : "");
}

}  // namespace

Finding find_failed_authentication(const MpDrawing &drawing, const MpMessage &message) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const godot_codec::MpPacket &packet = drawing.packet;
  constexpr const char *never_completed = "never completed";
  using Step = godot_codec::MpAuthentication;
  const godot_codec::MpPeers &peers = packet.connection->peers();
  const Step &own = peers.authentication(packet.end);
  const Step &others = peers.authentication(1 - packet.end);
  if (own.asked != packet.moment) return {};
  const auto has = [&](unsigned end, godot_codec::PacketPosition godot_codec::MpAuthentication::*step) {
    return (peers.authentication(end).*step).packet != 0;
  };
  const bool asked[] = {has(0, &Step::asked), has(1, &Step::asked)};
  const bool completed[] = {has(0, &Step::completed), has(1, &Step::completed)};
  const godot_codec::DisconnectInfo farewell =
      packet.delivery == nullptr ? godot_codec::DisconnectInfo{} : packet.delivery->farewell();
  const bool is_over = completed[0] && completed[1];
  if (farewell.is_said && farewell.after < authentication_timeout && asked[0] && asked[1] && !is_over) {
    // The message that was refused is the other side's.
    if (farewell.by_client == packet.is_from_client()) return {};
    const char *text = wmem_strdup_printf(
        pool,
        "%s rejected %s during authentication: it called disconnect_peer() (frame %u) after the data that %s sent in frame %u (%s). Is that what its auth_callback expects?",
        describe_peer(drawing, mp_end(1 - packet.end), true), describe_peer(drawing, mp_end(packet.end), false),
        farewell.moment.packet, packet.is_from_client() ? "the client" : "the server", packet.moment.packet,
        describe_credentials(drawing, message));
    return {
        .rule = &mp_experts.authentication,
        .text = text,
        .mark = "refused",
        .advice =
            farewell.by_client
                ? "Send the data from the server that the auth_callback of the client expects (a password, a version)."
                : "Send the data from the client that the auth_callback of the server expects (a password, a version).",
        .disconnected_in = farewell.moment.packet};
  }
  if (others.asked.packet != 0 && others.asked < packet.moment) return {};
  // The capture may end before the authentication does, or lack what ends it.
  const bool is_long =
      packet.delivery == nullptr ||
      godot_codec::elapsed(packet.time, packet.delivery->receiver_last_heard()) > authentication_timeout;
  if (is_long && asked[0] && asked[1] && !completed[0] && !completed[1]) {
    return {.rule = &mp_experts.authentication,
            .text = "The authentication is never completed: neither side calls complete_auth()",
            .mark = never_completed,
            .advice = "Call complete_auth() on both sides, in auth_callback, if the received data is right."};
  }
  for (const unsigned end : {0U, 1U}) {
    const char *who = describe_peer(drawing, mp_end(end), false);
    const char *other = describe_peer(drawing, mp_end(1 - end), false);
    if (is_long && asked[end] && !completed[end] && asked[1 - end]) {
      return {.rule = &mp_experts.authentication,
              .text = wmem_strdup_printf(
                  pool, "The authentication is never completed: %s does not call complete_auth()", who),
              .mark = never_completed,
              .advice = "Call complete_auth() on that side, too, in auth_callback, if the received data is right."};
    }
    const bool is_dropped = !completed[end] && has(1 - end, &Step::others);
    if (asked[end] && !asked[1 - end] && is_dropped) {
      return {.rule = &mp_experts.authentication,
              .text = wmem_strdup_printf(
                  pool, "%s requires authentication, but %s does not take part: it needs an auth_callback",
                  describe_peer(drawing, mp_end(end), true), other),
              .mark = never_completed};
    }
    if (is_long && asked[end] && !asked[1 - end] && !has(1 - end, &Step::others)) {
      return {.rule = &mp_experts.authentication,
              .text = wmem_strdup_printf(pool, "The authentication is never completed: %s does not answer", other),
              .mark = never_completed};
    }
  }
  return {};
}

}  // namespace godot_plugin
