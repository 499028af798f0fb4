// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/path_tracker.h"

#include <algorithm>
#include <array>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/game_names.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {
namespace {

// Returns the timeout for the confirmation of a path. A relayed path crosses two connections, so the round-trip time of
// this connection does not apply.
std::int64_t confirmation_timeout_for(const MpPacket &packet, const MpIdScope &scope) {
  const std::int64_t longest = packet.delivery->round_trip_range().max;
  const bool is_measured = longest > 0 && scope.receiver == direct_route(packet).receiver;
  if (!is_measured) return mp_confirmation_wait;
  return std::max(2 * std::min(longest, mp_max_time / 4), mp_min_confirmation_wait);
}

// True if the timeout for the confirmation of a path has passed.
bool is_overdue(const MpAnnouncedPath &name, std::int64_t time) {
  return elapsed(name.time, time) > name.confirmation_timeout;
}

// Maximum length of the lists of unconfirmed paths.
constexpr std::size_t max_awaited = 1024;

bool is_node_or_below(std::string_view path, std::string_view node) {
  return path.starts_with(node) && (path.size() == node.size() || path[node.size()] == '/');
}

// True if one of the last mp_levels_above names in a path equals @p name.
bool leads_through(std::string_view path, std::string_view name) {
  for (unsigned level = 0; level < mp_levels_above; ++level, path = parent_path(path)) {
    if (base_name(path) == name) return true;
  }
  return false;
}

}  // namespace

// ---- announcements

MpAnnouncedPath &MpPathTracker::record_path(const MpPacketItem &message) {
  const MpPacket &packet = message.packet;
  const MpIdScope &scope = message.ids;
  const std::uint32_t number = message.fields.number(MpField::path_id);
  const MpTextPool::Text *text = texts_.add(message.fields.text(MpField::path));
  const std::string_view md5 = message.fields.text(MpField::md5);
  // If the same path had this path id before, perhaps for another receiver, both announcements have the same meaning.
  // So peers that know the previous announcement also know this announcement.
  const MpAnnouncedPath *before = by_path_id_.find_newest({scope.sender, mp_everyone}, number, packet.position);
  const bool is_same = before != nullptr && before->text.data() == text->printable.data();

  MpAnnouncedPath *name = std::pmr::polymorphic_allocator<>(memory_).new_object<MpAnnouncedPath>();
  name->text = text->printable;
  if (!md5.empty()) name->md5 = texts_.add(md5)->printable;
  if (!project_match_since_ && packet.names != nullptr && packet.names->has_method_list(md5))
    project_match_since_ = packet.position;
  name->position = packet.position;
  name->time = packet.time;
  name->confirmation_timeout = confirmation_timeout_for(packet, scope);
  name->first_announcement = is_same ? before->first_announcement : name;

  last_announced_ = packet.position;
  by_path_id_.add(scope, number, packet.position, name);
  by_path_.add(scope, text, packet.position, name);
  record_announcement(*name, scope, number);
  if (!is_same && early_confirmations_.find_last({scope.receiver, number}, packet.position) != nullptr)
    name->is_path_id_used = true;
  if (packet.names != nullptr) peers_.server_state().paths.nodes.add(text, name->md5);
  if (message.command.is_godot4() && scope.has_one_receiver()) add_awaited_confirmation(name, scope);
  record_presence(name->text, scope.sender, packet.position);
  return *name;
}

// Records the announcement for the other connections, because their receivers may use the path id without an
// announcement. Only the first of several equal announcements is recorded.
void MpPathTracker::record_announcement(MpAnnouncedPath &name, const MpIdScope &scope, std::uint32_t number) {
  const std::optional<std::int32_t> sender = peers_.id_of(scope.sender, name.position);
  if (!sender || !scope.has_one_receiver()) return;
  auto &announcements = peers_.server_state().paths.announcements;
  const auto *last = announcements.find_last({*sender, number}, name.position);
  if (last != nullptr && last->value->text.data() == name.text.data()) return;
  name.receiver_id = peers_.id_of(scope.receiver, name.position).value_or(0);
  announcements.record({*sender, number}, name.position, &name);
}

const MpAnnouncedPath *MpPathTracker::find(const MpIdScope &scope, std::uint32_t number,
                                           PacketPosition position) const {
  if (const MpAnnouncedPath *known = by_path_id_.find_newest_or_any(scope, number, position)) return known;
  if (position >= last_announced_) return nullptr;
  // ENet delivers a lost message before later messages, although its retransmission is captured later. A path id has
  // only one meaning, so an announcement that is captured later is also correct.
  return by_path_id_.find_next(scope, number, position);
}

// texts_.find() returns null for a path that was never added. No entry has null as its key.
const MpAnnouncedPath *MpPathTracker::find(const MpIdScope &scope, std::string_view path,
                                           PacketPosition position) const {
  return by_path_.find_newest_or_any(scope, texts_.find(path), position);
}

const MpAnnouncedPath *MpPathTracker::find_later(const MpIdScope &scope, std::string_view path,
                                                 PacketPosition position) const {
  return by_path_.find_next({scope.sender, mp_everyone}, texts_.find(path), position);
}

const MpAnnouncedPath *MpPathTracker::find(const MpPacketItem &item) const {
  if (const MpFieldValue *path = item.fields.find(MpField::path); path != nullptr)
    return find(item.ids, path->text, item.packet.position);
  const std::optional<std::uint32_t> number = item.path_id();
  return number ? find(item.ids, *number, item.packet.position) : nullptr;
}

// True if the path may have been announced to this receiver before the message was delivered.
bool MpPathTracker::may_be_announced(const MpPacketItem &item, std::uint32_t number) const {
  const MpPacket &packet = item.packet;
  const MpDeliveryTracker &deliveries = packet.connection->deliveries();
  const MpDeliveryState arrival = deliveries.arrival(packet);
  return arrival.is_waiting || by_path_id_.find_newest(item.ids, number, arrival.delivered_at) != nullptr ||
         deliveries.has_capture_gap(packet.position) ||
         may_have_capture_gap_before(packet, packet.position, -mp_max_time);
}

std::optional<MpAnnouncement> MpPathTracker::find_unannounced(const MpPacketItem &item) const {
  const PacketPosition position = item.packet.position;
  const MpIdScope &scope = item.ids;
  const std::optional<std::uint32_t> id = item.path_id();
  if (!id || !peers_.is_from_start(position) || !scope.has_one_receiver() || may_be_announced(item, *id)) return {};
  MpAnnouncement announcement;
  if (const std::optional<std::int32_t> sender = peers_.id_of(scope.sender, position)) {
    const auto *last = peers_.server_state().paths.announcements.find_last({*sender, *id}, position);
    if (last != nullptr) announcement.name = last->value;
  }
  // The path was announced to this receiver, but the announcement was lost or not captured.
  const bool is_of_receiver =
      announcement.name != nullptr && peers_.id_of(scope.receiver, position) == announcement.name->receiver_id;
  if (is_of_receiver) return {};
  announcement.later = by_path_id_.find_next(scope, *id, position);
  return announcement;
}

// ---- confirmations

// Godot 4 confirms the path id. Godot 3, and Godot 4 before 4.3, confirm the path.
void MpPathTracker::record_confirmation(const MpPacketItem &message) {
  const MpFields &fields = message.fields;
  const MpIdScope &scope = message.ids;
  const PacketPosition position = message.packet.position;
  const MpAnnouncedPath *found = find(message);
  if (found == nullptr) {
    // The announcement may be captured later, as a retransmission. Record that its path id was confirmed.
    if (scope.receiver == direct_route(message.packet).sender && fields.has(MpField::path_id))
      early_confirmations_.record({scope.receiver, fields.number(MpField::path_id)}, position, true);
    return;
  }
  MpAnnouncedPath *name = found->first_announcement;
  const bool is_valid = !fields.has(MpField::valid) || fields.integer(MpField::valid) != 0;
  confirmations_.record({name, scope.receiver}, position, is_valid);
  if (!name->confirmed_at) name->confirmed_at = position;
  record_presence(name->text, scope.receiver, position);
}

// Returns the position at which a peer first confirmed a path, or nullopt if this position is after @p position.
std::optional<PacketPosition> MpPathTracker::find_confirmation(const MpAnnouncedPath &name, std::int32_t peer,
                                                               PacketPosition position) const {
  // No packet has the position zero.
  const auto *earliest = confirmations_.find_next({name.first_announcement, peer}, packet_position_zero);
  if (earliest == nullptr || earliest->key.position > position) return std::nullopt;
  return earliest->key.position;
}

bool MpPathTracker::is_confirmed(const MpAnnouncedPath &name, std::int32_t peer, PacketPosition position) const {
  if (is_one_peer(peer)) return find_confirmation(name, peer, position).has_value();
  return name.first_announcement->confirmed_at && *name.first_announcement->confirmed_at <= position;
}

std::optional<PacketPosition> MpPathTracker::find_checksum_failure(const MpAnnouncedPath &name, std::int32_t peer,
                                                                   PacketPosition position) const {
  const auto *last = confirmations_.find_last({name.first_announcement, peer}, position);
  return last == nullptr || last->value ? std::nullopt : std::optional(last->key.position);
}

// ---- missing confirmations

void MpPathTracker::add_awaited_confirmation(MpAnnouncedPath *name, const MpIdScope &scope) {
  // If the receiver has announced the same path, it has the node.
  if (find_later({scope.receiver, scope.sender}, name->text, packet_position_zero) != nullptr) {
    name->present_at = name->position;
  }
  if (awaited_confirmations_.size() >= max_awaited) awaited_confirmations_.pop_front();
  awaited_confirmations_.push_back({name, scope});
}

// Any message may show that confirmations are overdue. Do not wait for another call: if the receiver does not have the
// node, the call with the path was lost, and perhaps no other call follows.
void MpPathTracker::find_overdue_confirmations(const MpPacket &packet) {
  constexpr std::size_t most_at_once = 4;
  for (std::size_t i = 0; i < most_at_once && !awaited_confirmations_.empty(); ++i) {
    const MissingConfirmation awaited = awaited_confirmations_.front();
    if (!is_overdue(*awaited.name, packet.time)) return;
    if (!packet.delivery->is_delivered(awaited.name->position.packet)) {
      awaited_confirmations_.splice(awaited_confirmations_.end(), awaited_confirmations_,
                                    awaited_confirmations_.begin());
      continue;
    }
    awaited_confirmations_.pop_front();
    if (awaited.name->present_at.packet != 0 || is_confirmed_or_despawned(*awaited.name, awaited.scope.receiver))
      continue;
    awaited.name->overdue_at = packet.position;
    add_overdue_confirmation(awaited);
  }
}

// The size of the list is limited, because the sender controls the number of paths.
void MpPathTracker::add_overdue_confirmation(const MissingConfirmation &missing) {
  if (overdue_confirmations_.size() < max_awaited) overdue_confirmations_.push_back(missing);
}

// A peer that uses a node also has the ancestors of the node.
void MpPathTracker::record_presence(std::string_view path, std::int32_t peer, PacketPosition position) {
  const auto update = [&](const MissingConfirmation &each) {
    const bool is_first = each.scope.receiver == peer && each.name->present_at.packet == 0;
    if (is_first && is_node_or_below(path, each.name->text)) each.name->present_at = position;
  };
  std::ranges::for_each(awaited_confirmations_, update);
  std::ranges::for_each(overdue_confirmations_, update);
}

// Checks only overdue paths, because a call of a node before its spawn is lost.
void MpPathTracker::record_spawn(const MpPacketItem &message) {
  const PacketPosition position = message.packet.position;
  const MpIdScope &scope = message.ids;
  if (!may_have_missing_nodes() || !scope.has_one_receiver()) return;
  MpAnnouncedPath *spawner = by_path_id_.find_newest(scope, message.fields.number(MpField::spawner), position);
  if (spawner != nullptr) spawner->is_spawner = true;
  for (const auto &[name, announced] : overdue_confirmations_) {
    const bool is_between_these = announced.receiver == scope.receiver || announced.receiver == scope.sender;
    if (!is_between_these || name->present_at.packet != 0) continue;
    if (leads_through(name->text, message.fields.text(MpField::name))) name->present_at = position;
  }
}

// A peer calls a node until it receives the despawn. So the path, and calls that contain the path, cross with the
// despawn.
void MpPathTracker::record_despawn(const MpPacket &packet, std::string_view node, const MpIdScope &scope) {
  for (const auto &[name, announced] : awaited_confirmations_) {
    const bool is_between = announced.sender == scope.receiver || announced.receiver == scope.receiver;
    if (!is_between || announced.sender == scope.sender || is_overdue(*name, packet.time)) continue;
    if (leads_through(name->text, node)) name->despawned_at = packet.position;
  }
}

void MpPathTracker::record_path_id_use(const MpPacketItem &item) {
  if (!may_have_missing_nodes() || !item.ids.has_one_receiver()) return;
  const PacketPosition position = item.packet.position;
  MpAnnouncedPath *name = by_path_id_.find_newest(item.ids, item.fields.number(MpField::path_id), position);
  if (name == nullptr || name->is_path_id_used) return;
  name->is_path_id_used = true;
  record_presence(name->text, item.ids.receiver, position);
}

void MpPathTracker::record_call(const MpPacketItem &call) {
  const MpPacket &packet = call.packet;
  const bool is_by_number = call.fields.has(MpField::path_id) && !call.fields.has(MpField::path);
  if (is_by_number && call.command.is_godot4()) return record_path_id_use(call);
  MpAnnouncedPath *name = find_awaited_path(call);
  if (name != nullptr) name->is_called_by_path = true;
  if (name == nullptr || name->late_call.packet != 0 || !is_overdue(*name, packet.time)) return;
  if (!packet.delivery->is_delivered(name->position.packet)) return;
  name->late_call = packet.position;
  if (name->overdue_at.packet == 0) add_overdue_confirmation({name, call.ids});
}

// Returns the path of a call if no confirmation by the receiver is known so far; else null.
MpAnnouncedPath *MpPathTracker::find_awaited_path(const MpPacketItem &message) const {
  // Only for Godot 4: Godot 3 confirms paths even if the node does not exist.
  const bool is_by_path = message.is(MpCommand::rpc) && message.fields.has(MpField::path);
  if (!message.command.is_godot4() || !is_by_path || !message.ids.has_one_receiver()) return nullptr;
  const PacketPosition position = message.packet.position;
  MpAnnouncedPath *name = by_path_.find_newest(message.ids, texts_.find(message.fields.text(MpField::path)), position);
  if (name == nullptr || is_confirmed_or_despawned(*name, message.ids.receiver)) return nullptr;
  return name->present_at.packet != 0 && name->present_at <= position ? nullptr : name;
}

const MpAnnouncedPath *MpPathTracker::find_unconfirmed_path(const MpPacketItem &message) const {
  const MpAnnouncedPath *name = find_awaited_path(message);
  const bool is_late = name != nullptr && name->late_call.packet != 0 && name->late_call <= message.packet.position;
  const bool is_reported = is_late && !is_announced_to_absent_peer(*name, message.ids.receiver);
  return is_reported && !may_be_confirmed_uncaptured(message.packet, *name, message.ids) ? name : nullptr;
}

const MpAnnouncedPath *MpPathTracker::find_crossed_path(const MpPacketItem &message) const {
  if (!message.command.is_godot4() || !message.fields.has(MpField::path)) return nullptr;
  const MpAnnouncedPath *name =
      by_path_.find_newest(message.ids, texts_.find(message.fields.text(MpField::path)), message.packet.position);
  const bool is_crossed = name != nullptr && name->despawned_at.packet != 0 && !name->is_path_id_used;
  return is_crossed && !find_confirmation(*name, message.ids.receiver, packet_position_last) ? name : nullptr;
}

const MpAnnouncedPath *MpPathTracker::find_missing_node(const MpPacketItem &message) const {
  const MpPacket &packet = message.packet;
  if (!may_have_missing_nodes()) return nullptr;
  const MpAnnouncedPath *name = find_awaited_path(message);
  if (name != nullptr && elapsed(name->time, packet.time) > mp_path_burst) return nullptr;
  const bool is_spawn = message.is(MpCommand::spawn) && message.command.is_godot4();
  if (is_spawn && message.ids.has_one_receiver()) name = find(message);
  return name != nullptr && is_never_confirmed(packet, *name, message.ids) ? name : nullptr;
}

// True if a peer confirms a path at any time, or if the node was despawned while the path was in transit.
bool MpPathTracker::is_confirmed_or_despawned(const MpAnnouncedPath &name, std::int32_t peer) const {
  if (name.is_path_id_used || name.despawned_at.packet != 0 || find_confirmation(name, peer, packet_position_last))
    return true;
  // A relayed confirmation may be lost between the server and its receiver. But the confirming peer has the node.
  const MpConnection *find_other_client = peers_.find_other_client(peer);
  if (peers_.client_id() == 0 || find_other_client == nullptr) return false;
  const MpPathTracker &there = find_other_client->paths();
  const std::int32_t client = find_other_client->peers().client();
  const MpAnnouncedPath *same = there.find({peers_.client_id(), client}, name.text, packet_position_last);
  return same != nullptr && there.find_confirmation(*same, client, packet_position_last).has_value();
}

// True if the receiver had already disconnected when the evidence was captured. Then the evidence does not show that
// the receiver lacks the node.
bool MpPathTracker::is_announced_to_absent_peer(const MpAnnouncedPath &name, std::int32_t peer) const {
  const PacketPosition evidence = name.late_call.packet != 0 ? name.late_call : name.overdue_at;
  return peer > mp_server && peers_.find_disconnect(peer, evidence);
}

// True if the receiver may have sent a confirmation that the capture lacks. False if the sender continues to send the
// full path, which shows that it has received no confirmation. Relayed confirmations are an exception, because they may
// take long.
bool MpPathTracker::may_be_confirmed_uncaptured(const MpPacket &packet, const MpAnnouncedPath &name,
                                                const MpIdScope &scope) const {
  const std::int64_t until =
      std::clamp(name.time, -mp_max_time, mp_max_time) + name.confirmation_timeout + mp_confirmation_wait;
  if (name.late_call.packet != 0 && scope.sender == direct_route(packet).sender) return false;
  return may_have_capture_gap(packet, 1 - packet.sender_side, {name.position, name.time, until});
}

bool MpPathTracker::is_never_confirmed(const MpPacket &packet, const MpAnnouncedPath &name,
                                       const MpIdScope &scope) const {
  if (is_confirmed_or_despawned(name, scope.receiver) || may_be_confirmed_uncaptured(packet, name, scope)) return false;
  if (name.late_call.packet != 0 || name.overdue_at.packet != 0)
    return !is_announced_to_absent_peer(name, scope.receiver);
  // No later message was captured, but the transport may have received acknowledgements from the receiver.
  const bool is_heard_directly = scope.receiver == direct_route(packet).receiver;
  return is_heard_directly && packet.delivery->is_delivered(name.position.packet) &&
         is_overdue(name, packet.delivery->receiver_last_packet_time()) && name.present_at.packet == 0;
}

// ---- nodes announced on all connections of a server

const AnnouncedNodeMap &MpPathTracker::announced_nodes() const { return peers_.server_state().paths.nodes; }

void AnnouncedNodeMap::add(const MpTextPool::Text *path, std::string_view md5) {
  const auto *known = md5s_.find({path});
  if (known != nullptr && known->value == md5) return;
  md5s_[{path}] = md5;
  ++version_;
}

std::string_view AnnouncedNodeMap::md5_of(std::string_view path) const {
  const MpTextPool::Text wanted{path, {}};
  const auto *found = md5s_.find({&wanted});
  return found == nullptr ? std::string_view{} : found->value;
}

std::size_t AnnouncedNodeMap::below(std::string_view path, std::span<AnnouncedNode> nodes) const {
  // Paths are sorted by bytes. The nodes below a node are the paths that begin with the node's path and a slash.
  constexpr std::size_t longest_path = 1024;
  std::array<char, longest_path + 1> memory;
  if (path.size() > longest_path) return 0;
  *std::copy(path.begin(), path.end(), memory.begin()) = '/';
  const std::string_view prefix(memory.data(), path.size() + 1);
  std::size_t count = 0;
  MpTextPool::Text wanted{prefix, {}};
  while (count < nodes.size()) {
    const auto *next = md5s_.find_first_above({&wanted});
    if (next == nullptr || !next->key.text->bytes.starts_with(prefix)) break;
    wanted = *next->key.text;
    nodes[count++] = {wanted.printable, next->value};
  }
  return count;
}

}  // namespace godot_codec
