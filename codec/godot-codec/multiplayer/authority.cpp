// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/authority.h"

#include <cstddef>
#include <optional>
#include <string>

#include "godot-codec/multiplayer/session.h"

namespace godot_codec {
namespace {

// Minimum number of alternating calls. When the authority over a node changes, both peers may call for a while. No game
// changes the authority this often.
constexpr std::uint32_t telling_exchanges = 8;

// Returns the path that a way leads to from a node.
std::string path_along(std::string_view path, const MpWay &way) {
  std::string end(mp_above(path, way.levels));
  if (!way.below.empty()) end.append(end.empty() ? "" : "/").append(way.below);
  return end;
}

}  // namespace

// ---- senders of values and spawns

// Only the authority of a synchronizer sends its values.
void MpAuthority::learn_values(const MpPacket &packet, const MpFields &object, const MpNumbering &numbering) {
  if (!object.has(MpField::path_id)) {
    return learn_spawned_values(packet, object.number(MpField::net_id), numbering);
  }
  const MpName *name = paths_.find(numbering, object.number(MpField::path_id), packet.moment);
  if (name == nullptr) return;
  // Number of values after which a contradiction to the scripts counts. A script may change the authority shortly after
  // the node was added.
  constexpr std::uint32_t telling_count = 16;
  const std::uint32_t count = ++synchronizers_[{name, numbering.owner}].count;
  if (count == telling_count) learn_contradiction(packet, name->text, numbering.owner);
  if (count > 1) return;
  learn_end(packet, name->text);
  learn_holder(name->text, numbering.owner);
  const MpWay way = packet.names->way_to_root(name->text);
  if (way.is_known) learn_holder(path_along(name->text, way), numbering.owner);
}

// Values after the spawn show the authority. The spawn itself does not, because a script may change the authority right
// after it.
void MpAuthority::learn_spawned_values(const MpPacket &packet, std::uint32_t net_id, const MpNumbering &numbering) {
  const MpNode *node = nodes_.find(numbering, net_id, packet.moment);
  if (node == nullptr || node->spawn->has_values_after) return;
  node->spawn->has_values_after = true;
  const std::string_view spawner = nodes_.spawner_of(*node->spawn);
  // Skips long paths: a path is sent once for the spawner, but would be stored for each node.
  constexpr std::size_t longest_path = 512;
  if (spawner.empty() || spawner.size() > longest_path) return;
  const MpWay way = packet.names->way_to_root(spawner);
  if (way.is_known) learn_holder(path_along(spawner, way).append("/").append(node->spawn->name), numbering.owner);
}

void MpAuthority::learn_holder(std::string_view path, std::int32_t peer) {
  const MpTexts::Text *text = texts_.add(path);
  if (auto *known = holders_.find(text); known == nullptr) {
    holders_[text] = {peer};
  } else if (known->value.peer != peer) {
    known->value.is_only_one = false;
  }
}

void MpAuthority::learn_contradiction(const MpPacket &packet, std::string_view path, std::int32_t peer) {
  const std::int32_t authority = packet.names->authority_of(path);
  const std::optional<std::int32_t> id = peers_.id_of(peer, packet.moment);
  if (authority == 0 || !id || *id == authority) return;
  const MpWay way = packet.names->way_to_root(path);
  const std::string root = way.is_known ? path_along(path, way) : std::string(path);
  for (const std::string_view each : {path, std::string_view(root)}) {
    if (auto *known = holders_.find(texts_.find(each))) known->value.is_against_project = true;
  }
}

void MpAuthority::learn_end(const MpPacket &packet, std::string_view path) {
  std::int32_t &id = end_ids_[packet.end];
  const std::int32_t other = end_ids_[1 - packet.end];
  if (packet.has_roles() || id != 0) return;
  const std::int32_t authority = packet.names->authority_of(path);
  // The two ends cannot be the same peer. If they seem to be, the project folder belongs to another game.
  if (authority != other) id = authority;
}

bool MpAuthority::is_only_authority(std::int32_t peer, std::string_view path) const {
  const Holder *known = find_holder(path);
  return known != nullptr && known->is_only_one && known->peer == peer;
}

bool MpAuthority::is_against_project(std::int32_t peer, std::string_view path) const {
  const Holder *known = find_holder(path);
  return known != nullptr && known->is_only_one && known->peer == peer && known->is_against_project;
}

MpOwner MpAuthority::owner_of(std::int32_t peer, std::string_view path, PacketPosition moment) const {
  const Holder *known = find_holder(path);
  const bool is_held = known != nullptr && known->is_only_one;
  if (is_held && known->peer == peer) return MpOwner::peer;
  const bool is_caller = is_only_caller(peer, path, moment);
  if (!is_held && is_caller) return MpOwner::peer;
  if (!is_held) {
    const Shared::Caller *callers = known == nullptr ? find_caller(path) : nullptr;
    const bool is_in_turns = callers != nullptr && callers->has_server && callers->turns >= telling_exchanges;
    return is_in_turns ? MpOwner::another : MpOwner::unknown;
  }
  const bool is_own = holders_.find(texts_.find(path)) != nullptr;
  return is_own || !is_caller ? MpOwner::another : MpOwner::unknown;
}

// Returns the peers that send values of a node. If there are none, returns those of the nearest node above it that has
// values.
const MpAuthority::Holder *MpAuthority::find_holder(std::string_view path) const {
  constexpr std::size_t max_depth = 64;
  for (std::size_t depth = 0; depth < max_depth; ++depth) {
    // texts_.find() returns null for a path that was never added, and no holder has null as its key.
    if (const auto *known = holders_.find(texts_.find(path))) return &known->value;
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return nullptr;
    path = path.substr(0, slash);
  }
  return nullptr;
}

// ---- callers

void MpAuthority::learn_call(const MpPacket &packet, const MpMethod &method, std::int32_t caller) {
  if (!method.path.empty() && packet.names->is_for_authority(method)) learn_caller(packet, method.path, caller);
}

void MpAuthority::learn_caller(const MpPacket &packet, std::string_view path, std::int32_t caller) {
  const std::int64_t number = peers_.number_of(caller, packet.moment);
  const MpTexts::Text *text = texts_.add(path);
  auto *known = peers_.shared().authority.callers_.find({text});
  Shared::Caller &callers = known == nullptr ? peers_.shared().authority.callers_[{text}] : known->value;
  if (known == nullptr) callers.number = callers.last = number;
  callers.is_only_one = callers.is_only_one && callers.number == number;
  callers.has_server = callers.has_server || number == mp_server;
  if (callers.last != number && elapsed(callers.last_time, packet.time) < nanoseconds_per_second) ++callers.turns;
  callers.last = number;
  callers.last_time = packet.time;
}

const MpAuthority::Shared::Caller *MpAuthority::find_caller(std::string_view path) const {
  const MpTexts::Text *text = texts_.find(path);
  const auto *known = text == nullptr ? nullptr : peers_.shared().authority.callers_.find({text});
  return known == nullptr ? nullptr : &known->value;
}

bool MpAuthority::has_rivals(std::string_view path) const {
  const Shared::Caller *callers = find_caller(path);
  return callers != nullptr && !callers->is_only_one && callers->turns >= telling_exchanges;
}

bool MpAuthority::is_only_caller(std::int32_t peer, std::string_view path, PacketPosition moment) const {
  const Shared::Caller *known = find_caller(path);
  return known != nullptr && known->is_only_one && known->number == peers_.number_of(peer, moment);
}

}  // namespace godot_codec
