// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/authority_tracker.h"

#include <cstddef>
#include <optional>
#include <string>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/game_names.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {
namespace {

// Minimum number of alternations between callers. While the authority over a node changes, both peers may call for a
// while, but no game changes the authority this often.
constexpr std::uint32_t min_caller_alternations = 8;

}  // namespace

// ---- senders of values and spawns

// The sender of these values has authority, because only the authority of a synchronizer sends its values.
void MpAuthorityTracker::record_values(const MpPacketItem &object) {
  if (!object.fields.has(MpField::path_id)) return record_spawned_values(object);
  const MpAnnouncedPath *name = paths_.find(object);
  if (name == nullptr) return;
  const MpPacket &packet = object.packet;
  const std::int32_t sender = object.ids.sender;
  // Minimum number of syncs and deltas before a contradiction with the scripts is recorded, because a script may change
  // the authority shortly after it has added the node.
  constexpr std::uint32_t min_count = 16;
  const std::uint32_t count = ++value_counts_[{name, sender}];
  if (count == min_count) record_contradiction(packet, name->text, sender);
  if (count > 1) return;
  record_proven_id(packet, name->text);
  record_value_sender(name->text, sender);
  const MpRelativePath relative = packet.names->find_relative_root(name->text);
  if (relative.is_known) record_value_sender(resolve_mp_path(name->text, relative), sender);
}

// Values after the spawn show the authority. The spawn itself does not show it, because a script may change the
// authority right after the spawn.
void MpAuthorityTracker::record_spawned_values(const MpPacketItem &object) {
  const MpNetIdTarget *node = nodes_.find(object);
  if (node == nullptr || node->spawn->has_values_after) return;
  node->spawn->has_values_after = true;
  const std::string_view spawner = nodes_.spawner_path_of(*node->spawn);
  // Skip long paths: a path is sent once for the spawner, but would be stored for each node.
  constexpr std::size_t longest_path = 512;
  if (spawner.empty() || spawner.size() > longest_path) return;
  const MpRelativePath relative = object.packet.names->find_relative_root(spawner);
  if (relative.is_known) record_value_sender(resolve_mp_path(spawner, relative, node->spawn->name), object.ids.sender);
}

void MpAuthorityTracker::record_value_sender(std::string_view path, std::int32_t peer) {
  const MpTextPool::Text *text = texts_.add(path);
  if (auto *known = value_senders_.find(text); known == nullptr) {
    value_senders_[text] = {peer};
  } else if (known->value.peer != peer) {
    known->value.is_only_one = false;
  }
}

void MpAuthorityTracker::record_contradiction(const MpPacket &packet, std::string_view path, std::int32_t peer) {
  const std::int32_t authority = packet.names->project().find_authority(path);
  const std::optional<std::int32_t> id = peers_.id_of(peer, packet.position);
  if (authority == 0 || !id || *id == authority) return;
  const MpRelativePath relative = packet.names->find_relative_root(path);
  const std::string root = relative.is_known ? resolve_mp_path(path, relative) : std::string(path);
  for (const std::string_view each : {path, std::string_view(root)}) {
    if (auto *known = value_senders_.find(texts_.find(each))) known->value.is_against_project = true;
  }
}

void MpAuthorityTracker::record_proven_id(const MpPacket &packet, std::string_view path) {
  std::int32_t &id = ids_by_side_[packet.sender_side];
  const std::int32_t other = ids_by_side_[1 - packet.sender_side];
  if (packet.has_roles() || id != 0) return;
  const std::int32_t authority = packet.names->project().find_authority(path);
  // Two sides cannot be the same peer. If they seem to be the same, the project folder belongs to another game.
  if (authority != other) id = authority;
}

bool MpAuthorityTracker::is_only_authority(std::int32_t peer, std::string_view path) const {
  const ValueSender *known = find_value_sender(path);
  return known != nullptr && known->is_only_one && known->peer == peer;
}

bool MpAuthorityTracker::is_against_project(std::int32_t peer, std::string_view path) const {
  const ValueSender *known = find_value_sender(path);
  return known != nullptr && known->is_only_one && known->peer == peer && known->is_against_project;
}

MpNodeAuthority MpAuthorityTracker::find_authority(std::int32_t peer, std::string_view path,
                                                   PacketPosition position) const {
  const ValueSender *known = find_value_sender(path);
  const bool has_sender = known != nullptr && known->is_only_one;
  if (has_sender && known->peer == peer) return MpNodeAuthority::peer;
  const bool is_caller = is_only_caller(peer, path, position);
  if (!has_sender && is_caller) return MpNodeAuthority::peer;
  if (!has_sender) {
    const SharedState::Callers *callers = known == nullptr ? find_callers(path) : nullptr;
    const bool is_alternating =
        callers != nullptr && callers->has_server && callers->alternations >= min_caller_alternations;
    return is_alternating ? MpNodeAuthority::another : MpNodeAuthority::unknown;
  }
  const bool is_own = value_senders_.find(texts_.find(path)) != nullptr;
  return is_own || !is_caller ? MpNodeAuthority::another : MpNodeAuthority::unknown;
}

// Returns the senders of the values of a node. If there are no senders, returns the senders of the nearest ancestor
// with values.
const MpAuthorityTracker::ValueSender *MpAuthorityTracker::find_value_sender(std::string_view path) const {
  constexpr std::size_t max_depth = 64;
  for (std::size_t depth = 0; depth < max_depth && !path.empty(); ++depth, path = parent_path(path)) {
    // texts_.find() returns null for a path that was never added. No key of value_senders_ is null.
    if (const auto *known = value_senders_.find(texts_.find(path))) return &known->value;
  }
  return nullptr;
}

// ---- callers

void MpAuthorityTracker::record_call(const MpPacket &packet, std::string_view path, std::int32_t caller) {
  const std::int64_t number = peers_.unique_number_of(caller, packet.position);
  const MpTextPool::Text *text = texts_.add(path);
  auto &all_callers = peers_.server_state().authority.callers;
  const bool is_new = all_callers.find(text) == nullptr;
  SharedState::Callers &callers = all_callers[text];
  if (is_new) callers.first_caller = callers.last_caller = number;
  callers.is_only_one = callers.is_only_one && callers.first_caller == number;
  callers.has_server = callers.has_server || number == mp_server;
  if (callers.last_caller != number && elapsed(callers.last_time, packet.time) < nanoseconds_per_second)
    ++callers.alternations;
  callers.last_caller = number;
  callers.last_time = packet.time;
}

const MpAuthorityTracker::SharedState::Callers *MpAuthorityTracker::find_callers(std::string_view path) const {
  const auto *known = peers_.server_state().authority.callers.find(texts_.find(path));
  return known == nullptr ? nullptr : &known->value;
}

bool MpAuthorityTracker::has_alternating_callers(std::string_view path) const {
  const SharedState::Callers *callers = find_callers(path);
  return callers != nullptr && !callers->is_only_one && callers->alternations >= min_caller_alternations;
}

bool MpAuthorityTracker::is_only_caller(std::int32_t peer, std::string_view path, PacketPosition position) const {
  const SharedState::Callers *known = find_callers(path);
  return known != nullptr && known->is_only_one && known->first_caller == peers_.unique_number_of(peer, position);
}

}  // namespace godot_codec
