// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/problem_tracker.h"

#include <algorithm>
#include <functional>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/game_names.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {
namespace {

constexpr std::int64_t second = nanoseconds_per_second;
// Thresholds for two senders. When the authority over a node changes, both peers may send for some frames. A problem
// lasts longer.
constexpr std::uint32_t min_alternations = 12;
constexpr std::uint32_t min_overlaps = 30;
constexpr std::int64_t together = second;
constexpr std::uint32_t min_spawn_alternations = 2;

// Thresholds for lost calls. Fewer losses are normal for the transfer mode "unreliable".
constexpr std::uint64_t min_losses = 10;
constexpr std::uint64_t loss_share = 12;
// "unreliable_ordered" drops late messages by design, so a larger share of losses is normal for this transfer mode.
constexpr std::uint64_t ordered_loss_share = 5;

constexpr std::uint64_t min_large_losses = 50;
constexpr std::uint64_t large_loss_share = 4;

constexpr std::uint32_t min_short_spawns = 20;
constexpr std::int64_t max_short_spawn = second / 5;

// Ten calls per frame at 60 frames per second. No game intends such a rate for two seconds.
constexpr std::uint32_t min_calls_per_second = 600;

constexpr std::int64_t long_pause = 2 * second;
constexpr std::uint32_t steady_syncs = 30;
constexpr std::size_t most_running = 64;
constexpr unsigned most_siblings = 8;  // maximum number of flows of a node that are checked

// True if all values have types of fixed size and consist of zeros, as the initial values of many properties do.
bool are_all_zero(MpVariantCache &values, const MpVariants &variants) {
  MpVariantCursor cursor(values, variants, Generation::godot4);
  while (cursor.next()) {
    if (!cursor.is_readable()) return false;
    const Type type = cursor.type();
    const bool is_compact = type == Type::boolean || type == Type::integer;
    if (!is_compact && type != Type::real && shape_of(type).component_count == 0) return false;
    const std::size_t start = cursor.walk().offset + (is_compact ? 1 : sizeof(std::uint32_t));
    const std::uint8_t *bytes = values.bytes().data;
    if (std::any_of(bytes + start, bytes + cursor.offset(), [](std::uint8_t byte) { return byte != 0; })) return false;
  }
  return true;
}

// Returns a hash of the values. Equal values have equal hashes. The hash of zeros is 0, because equal zeros do not show
// that two synchronizers belong together.
std::uint32_t hash_values(MpVariantCache &values, const MpVariants &variants) {
  if (are_all_zero(values, variants)) return 0;
  const std::size_t hash = std::hash<std::string_view>{}(values.bytes().slice(variants.range).text());
  return static_cast<std::uint32_t>(hash) | 1;
}

// True if the node was despawned, and its net id now belongs to a different node.
bool is_net_id_reused(const MpSpawnedNode *spawn, const MpNodeTracker &nodes, const MpPacketItem &object) {
  if (spawn == nullptr || !spawn->despawned_at) return false;
  const MpNetIdTarget *node = nodes.find(object);
  return node != nullptr && node->spawn != spawn;
}

bool is_stopped_sync(const MpProblem &problem) {
  return problem.kind == MpProblemKind::sync_stopped || problem.kind == MpProblemKind::authority_sync_stopped;
}

std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29;
}

}  // namespace

MpProblem *MpProblemTracker::add_problem(MpProblemKind kind, const MpPacket &packet, std::string_view node,
                                         const MpRoute &peers) {
  problems_.push_back({kind, packet.position, node, peers});
  return &problems_.back();
}

// ---- senders of values

void MpProblemTracker::link_to_node(ValueFlow &flow, const MpPacketItem &object) {
  const MpNetIdTarget *node = nodes_.find(object);
  if (node == nullptr || node->synchronizer_index == MpNetIdTarget::itself) return;
  flow.spawn = node->spawn;
  flow.sibling = static_cast<ValueFlow *>(node->spawn->flow);
  node->spawn->flow = &flow;
  const bool is_direct = object.ids.sender == direct_route(object.packet).sender;
  if (is_direct && running_flows_.size() < most_running) running_flows_.push_back(&flow);
}

// Any name in the path may be the name of a spawned node above the synchronizer.
void MpProblemTracker::link_to_path(ValueFlow &flow, const MpPacketItem &object) {
  const MpAnnouncedPath *name = paths_.find(object);
  if (name == nullptr) return;
  const auto &[sender, receiver] = object.ids;
  flow.senders = &find_or_add_senders(peers_.server_state().problems.value_senders, name->text);
  constexpr unsigned max_depth = 8;
  std::string_view rest = name->text;
  for (unsigned depth = 0; depth < max_depth && !rest.empty(); ++depth, rest = parent_path(rest)) {
    const std::string_view segment = base_name(rest);
    if (const MpTextPool::Text *name_text = texts_.find(segment); name_text != nullptr)
      name_text->is_synchronized = true;
    for (const MpIdScope &spawning : {MpIdScope{receiver, sender}, MpIdScope{peers_.server(), receiver}}) {
      MpSpawnedNode *spawn = nodes_.find_spawned(spawning, segment, object.packet.position);
      if (spawn == nullptr) continue;
      spawn->is_synchronized_by_others = true;
      if (spawning.receiver != sender || spawn->synchronizers == 0) continue;
      if (flow.receiver_node == nullptr && running_flows_.size() < most_running) running_flows_.push_back(&flow);
      flow.receiver_node = spawn;
      flow.path = name->text;
      flow.peers = object.ids;
    }
  }
}

MpProblemTracker::ValueFlow &MpProblemTracker::find_or_add_flow(const MpPacketItem &object) {
  const bool has_path = object.fields.has(MpField::path_id);
  const MpSynchronizerKey key = object.synchronizer_key();
  auto *known = flows_.find(key);
  if (known != nullptr && !is_net_id_reused(known->value->spawn, nodes_, object)) {
    // The first values may be captured before the spawn of their node.
    constexpr std::uint32_t soon = 16;
    ValueFlow &flow = *known->value;
    if (flow.spawn == nullptr && !has_path && flow.value_count < soon) link_to_node(flow, object);
    return flow;
  }
  ValueFlow *flow = std::pmr::polymorphic_allocator<>(memory_).new_object<ValueFlow>();
  flow->sender_side = object.packet.sender_side;
  flow->first_time = object.packet.time;
  flows_[key] = flow;
  if (has_path) {
    link_to_path(*flow, object);
  } else {
    link_to_node(*flow, object);
  }
  return *flow;
}

void MpProblemTracker::record_values(const MpPacketItem &object) {
  const MpPacket &packet = object.packet;
  if (!object.ids.has_one_receiver()) return;
  ValueFlow &flow = find_or_add_flow(object);
  const std::uint32_t hash = hash_values(*packet.values, object.variants);
  if (flow.spawn != nullptr && hash != 0) flow.hashes[flow.hash_count++ % flow.hashes.size()] = hash;
  if (flow.receiver_node != nullptr) check_authority_conflict(flow, object, hash);
  if (!object.is(MpCommand::sync)) return;
  if (flow.value_count == 0 || elapsed(flow.last_time, packet.time) > together) flow.resumed_time = packet.time;
  flow.last_position = packet.position;
  flow.last_time = packet.time;
  ++flow.value_count;
  if (flow.problem != nullptr && is_stopped_sync(*flow.problem)) flow.problem->is_withdrawn = true;
  if (flow.senders != nullptr)
    record_sender(*flow.senders, MpProblemKind::authority_conflict, packet, object.ids.sender);
}

// Detects a peer that sends values by the path of a synchronizer, while the receiver sends values of the node that it
// spawned. Equal values show that both peers send the same properties.
void MpProblemTracker::check_authority_conflict(ValueFlow &flow, const MpPacketItem &object, std::uint32_t hash) {
  const MpPacket &packet = object.packet;
  auto *own = static_cast<ValueFlow *>(flow.receiver_node->flow);
  for (unsigned i = 0; i < most_siblings && own != nullptr && flow.equal_flow == nullptr; ++i, own = own->sibling) {
    const bool is_equal = hash != 0 && std::ranges::find(own->hashes, hash) != own->hashes.end();
    if (is_equal && elapsed(own->last_time, packet.time) < together) flow.equal_flow = own;
  }
  // After a change of authority, the previous sender may still send other values of the node. So a value counts only if
  // new values of `equal_flow` have arrived since the last count.
  if (flow.equal_flow == nullptr || flow.equal_flow->value_count == flow.equal_flow_count) return;
  flow.equal_flow_count = flow.equal_flow->value_count;
  if (flow.conflict == nullptr) {
    flow.conflict = std::pmr::polymorphic_allocator<>(memory_).new_object<AuthorityConflict>();
    flow.conflict->begin = packet.position;
    flow.equal_flow->conflict = flow.conflict;
  }
  flow.conflict->end = packet.position;
  ++flow.alternations;
  if (flow.problem != nullptr) ++flow.problem->count;
  if (flow.problem != nullptr || flow.alternations < min_overlaps) return;
  const MpAnnouncedPath *name = paths_.find(object);
  if (name == nullptr) return;
  flow.problem = add_problem(MpProblemKind::authority_conflict, packet, name->text, object.ids);
  flow.problem->count = flow.alternations;
  flow.conflict->problem = flow.problem;
  peers_.server_state().problems.has_conflict = true;
}

MpProblemTracker::CompetingSenders &MpProblemTracker::find_or_add_senders(
    SortedMap<const MpTextPool::Text *, CompetingSenders *> &all, std::string_view path) {
  const MpTextPool::Text *text = texts_.add(path);
  CompetingSenders *&senders = all[text];
  if (senders == nullptr) senders = std::pmr::polymorphic_allocator<>(memory_).new_object<CompetingSenders>();
  senders->path = text->bytes;
  return *senders;
}

// True if a peer sends after the other peer, and the other peer has also sent recently.
bool MpProblemTracker::record_alternation(CompetingSenders &senders, const MpPacket &packet, std::int32_t sender,
                                          std::int64_t within) const {
  const std::int64_t peer = peers_.unique_number_of(sender, packet.position);
  std::uint32_t index = 0;
  while (index < senders.sender_count && senders.peers[index] != peer) ++index;
  if (index == senders.peers.size()) return false;
  if (index == senders.sender_count) {
    senders.peers[index] = peer;
    senders.ids[index] = peers_.id_of(sender, packet.position).value_or(sender);
    ++senders.sender_count;
  }
  const bool is_after_other = senders.sender_count == senders.peers.size() && senders.last_sender != index &&
                              elapsed(senders.last_times[1 - index], packet.time) < within;
  senders.last_times[index] = packet.time;
  senders.last_sender = index;
  return is_after_other;
}

// @param kind authority_conflict for the values of a synchronizer, spawner_conflict for the spawns of a spawner
void MpProblemTracker::record_sender(CompetingSenders &senders, MpProblemKind kind, const MpPacket &packet,
                                     std::int32_t sender) {
  const bool is_spawner = kind == MpProblemKind::spawner_conflict;
  if (!record_alternation(senders, packet, sender, is_spawner ? mp_max_time : together)) return;
  AuthorityConflict &conflict = senders.conflict;
  if (senders.alternations == 0) conflict.begin = packet.position;
  conflict.end = packet.position;
  if (conflict.problem != nullptr) ++conflict.problem->count;
  if (++senders.alternations != (is_spawner ? min_spawn_alternations : min_alternations)) return;
  conflict.problem = add_problem(kind, packet, senders.path, {senders.ids[0], senders.ids[1]});
  conflict.problem->count = senders.alternations;
  if (!is_spawner) peers_.server_state().problems.has_conflict = true;
}

// Receivers accept spawns only from the authority of the spawner (SceneReplicationInterface::on_spawn_receive). So
// spawns by a second peer are a problem.
void MpProblemTracker::record_spawn(const MpPacket &packet, MpSpawnedNode &spawn) {
  const std::string_view path = nodes_.spawner_path_of(spawn);
  if (path.empty()) return;
  const bool is_unsent = packet.names != nullptr && awaited_syncs_.size() < most_running &&
                         packet.names->is_always_synchronized(path, spawn.scene);
  if (is_unsent) awaited_syncs_.insert(awaited_syncs_.begin(), {&spawn});
  record_sender(find_or_add_senders(peers_.server_state().problems.spawn_senders, path),
                MpProblemKind::spawner_conflict, packet, spawn.sender);
}

// Finds values that have stopped, although their sender still sends other messages and the receiver still has the node.
void MpProblemTracker::find_stopped_syncs(const MpPacket &packet) {
  std::erase_if(running_flows_, [](const ValueFlow *flow) {
    return (flow->spawn == nullptr ? flow->receiver_node : flow->spawn)->despawned_at || flow->problem != nullptr;
  });
  for (ValueFlow *flow : running_flows_) {
    if (flow->value_count < steady_syncs || !is_sender_active(*flow, packet)) continue;
    const std::int64_t pause = elapsed(flow->last_time, packet.time);
    const std::int64_t usual = elapsed(flow->first_time, flow->last_time) / flow->value_count;
    if (pause < long_pause || pause < 20 * usual || are_values_continued(*flow, packet)) continue;
    const MpSpawnedNode *spawn = flow->spawn;
    flow->problem =
        spawn != nullptr
            ? add_problem(MpProblemKind::sync_stopped, packet, spawn->name, {spawn->sender, spawn->receiver})
            : add_problem(MpProblemKind::authority_sync_stopped, packet, flow->path, flow->peers);
    flow->problem->since = flow->last_position;
    flow->problem->duration = pause;
    flow->problem->usual_interval = usual;
  }
}

// True if the sender of the values has sent the packet, or if the transport has just received something from it.
bool MpProblemTracker::is_sender_active(const ValueFlow &flow, const MpPacket &packet) {
  if (flow.sender_side == packet.sender_side) return true;
  return flow.spawn == nullptr && elapsed(packet.delivery->receiver_last_packet_time(), packet.time) < together;
}

// True if another synchronizer or another peer has continued to send values of the node.
bool MpProblemTracker::are_values_continued(const ValueFlow &flow, const MpPacket &packet) {
  const bool is_spawned = flow.spawn != nullptr;
  if (is_spawned && flow.spawn->is_synchronized_by_others) return true;
  const auto *each = static_cast<const ValueFlow *>((is_spawned ? flow.spawn : flow.receiver_node)->flow);
  for (unsigned i = 0; i < most_siblings && each != nullptr; ++i, each = each->sibling) {
    const bool is_continuing = is_spawned ? elapsed(each->last_time, packet.time) < long_pause
                                          : elapsed(flow.last_time, each->resumed_time) > -together;
    if (is_continuing) return true;
  }
  return false;
}

// True if a peer sends values of the node, or of nodes below it, on any connection.
bool MpProblemTracker::is_synchronized(const MpSpawnedNode &spawn) const {
  const MpTextPool::Text *name = texts_.find(spawn.name);
  return spawn.flow != nullptr || spawn.is_synchronized_by_others || (name != nullptr && name->is_synchronized);
}

void MpProblemTracker::find_missing_syncs(const MpPacket &packet) {
  // An authority sends values in the first frame in which it has the node. If this time passes without values, no
  // values will follow.
  constexpr std::int64_t long_enough = 3 * second;
  for (AwaitedSync &each : awaited_syncs_) {
    const MpSpawnedNode &spawn = *each.spawn;
    const bool is_time = !spawn.despawned_at && elapsed(spawn.spawn_time, packet.time) >= long_enough;
    each.is_over = spawn.despawned_at || (is_time && is_synchronized(spawn));
    if (each.is_over && is_time && each.problem != nullptr) each.problem->is_withdrawn = true;
    if (each.is_over || !is_time || each.problem != nullptr) continue;
    each.problem = add_problem(MpProblemKind::no_sync, packet, spawn.name, {spawn.sender, spawn.receiver});
  }
  std::erase_if(awaited_syncs_, [](const AwaitedSync &each) { return each.is_over; });
}

// ---- calls and spawn churn

// The threshold for calls is lower, because lost calls are not repeated. The next sync replaces lost values.
bool MpProblemTracker::are_calls_lost(const UnreliableLosses &losses) {
  const auto is_significant = [](std::uint64_t lost, std::uint64_t all, std::uint64_t share) {
    return lost >= min_losses && lost * share >= all;
  };
  return is_significant(losses.missing, losses.total, loss_share) ||
         is_significant(losses.ordered_missing + losses.ordered_late, losses.ordered, ordered_loss_share);
}

bool MpProblemTracker::are_values_lost(const UnreliableLosses &losses) {
  return losses.has_reliable_losses && losses.missing >= min_large_losses &&
         losses.missing * large_loss_share >= losses.total;
}

void MpProblemTracker::check_lost_values(const MpPacket &packet, const MpMessage &message) {
  SideTraffic &side = sides_[packet.sender_side];
  const bool may_get_lost = message.command == MpCommand::sync && packet.sequence.may_overtake;
  if (may_get_lost && side.loss_problem == nullptr && are_values_lost(packet.delivery->count_unreliable_losses()))
    side.loss_problem = add_problem(MpProblemKind::values_lost, packet, {}, direct_route(packet));
}

// Returns the path of the node of a call with a path id; empty: not known.
std::string_view MpProblemTracker::path_of(const MpPacketItem &call) const {
  const MpAnnouncedPath *name = call.fields.has(MpField::path) ? nullptr : paths_.find(call);
  return name == nullptr ? std::string_view{} : name->text;
}

void MpProblemTracker::check_lost_calls(const MpPacketItem &call) {
  const MpPacket &packet = call.packet;
  SideTraffic &side = sides_[packet.sender_side];
  const bool is_reported = side.loss_problem != nullptr && !side.loss_problem->node.empty();
  if (!packet.sequence.may_overtake || is_reported) return;
  if (side.loss_problem == nullptr && !are_calls_lost(packet.delivery->count_unreliable_losses())) return;
  // A relayed call, too, was lost between these two sides.
  if (side.loss_problem == nullptr)
    side.loss_problem = add_problem(MpProblemKind::calls_lost, packet, {}, direct_route(packet));
  side.loss_problem->node = path_of(call);
  side.loss_problem->kind = MpProblemKind::calls_lost;
}

void MpProblemTracker::record_call(const MpPacketItem &call) {
  const MpPacket &packet = call.packet;
  check_lost_calls(call);
  std::uint64_t hash =
      mix_hash(static_cast<std::uint32_t>(call.ids.sender), static_cast<std::uint32_t>(call.ids.receiver));
  hash = mix_hash(hash, call.fields.integer(MpField::path_id));
  hash = mix_hash(hash, call.fields.integer(MpField::method_id));
  hash = mix_hash(hash, std::hash<std::string_view>{}(call.fields.text(MpField::method)));
  CallRate &calls = call_rates_[hash];
  const std::int64_t age = elapsed(calls.second_begin, packet.time);
  if (age >= second || age < 0) {
    calls.was_previous_second_full = calls.call_count >= min_calls_per_second && age < 2 * second;
    if (calls.problem != nullptr) calls.problem->count = std::max(calls.problem->count, calls.call_count);
    calls.second_begin = packet.time;
    calls.call_count = 0;
  }
  if (++calls.call_count < min_calls_per_second || !calls.was_previous_second_full || calls.problem != nullptr) return;
  calls.problem = add_problem(MpProblemKind::call_flood, packet, path_of(call), call.ids);
  calls.problem->count = calls.call_count;
}

void MpProblemTracker::record_despawn(const MpPacket &packet, const MpSpawnedNode &spawn) {
  if (elapsed(spawn.spawn_time, packet.time) > max_short_spawn) return;
  SpawnChurn &churn = spawn_churns_[spawn.name.data()];
  if (churn.spawn_count++ == 0) churn.first_time = packet.time;
  if (churn.spawn_count == min_short_spawns) {
    churn.problem = add_problem(MpProblemKind::spawn_churn, packet, spawn.name, {spawn.sender, spawn.receiver});
  }
  if (churn.problem == nullptr) return;
  churn.problem->count = churn.spawn_count;
  churn.problem->duration = elapsed(churn.first_time, packet.time);
}

// ---- pauses and unresponsive sides

void MpProblemTracker::record_message(const MpPacket &packet, const MpMessage &message) {
  SideTraffic &side = sides_[packet.sender_side];
  const bool is_stream = packet.sequence.count == 0 && !packet.sequence.may_overtake;
  if (is_stream) check_pause(side, packet);
  ++side.message_count;
  side.last_time = packet.time;
  side.other_messages_since = 0;
  SideTraffic &other = sides_[1 - packet.sender_side];
  ++other.other_messages_since;
  if (other.unresponsive_problem != nullptr) other.unresponsive_problem->is_withdrawn = true;
  check_response(packet, message);
  constexpr std::uint32_t how_often = 16;
  if (side.message_count % how_often != 0) return;
  check_lost_values(packet, message);
  find_stopped_syncs(packet);
  find_missing_syncs(packet);
}

// Detects a long pause of a side that sent steadily over a stream transport.
void MpProblemTracker::check_pause(SideTraffic &side, const MpPacket &packet) {
  constexpr std::uint32_t few = 16;
  constexpr std::uint32_t is_continuing = 20;
  if (side.message_count == 0) return;
  const std::int64_t pause = std::max(elapsed(side.last_time, packet.time), std::int64_t{0});
  const bool is_steady = side.message_count >= few && side.other_messages_since >= is_continuing;
  if (is_steady && pause > long_pause && pause / 8 > side.usual_pause) {
    add_problem(MpProblemKind::stall, packet, {}, direct_route(packet))->duration = pause;
    return;
  }
  side.usual_pause = std::max(pause, side.usual_pause - side.usual_pause / 16);
}

// A peer that receives a path confirms the path; in Godot 3, even if the peer does not have the node. A missing
// confirmation means that the game does not poll the peer.
void MpProblemTracker::check_response(const MpPacket &packet, const MpMessage &message) {
  SideTraffic &side = sides_[packet.sender_side];
  const SideTraffic &other = sides_[1 - packet.sender_side];
  if (other.message_count > 0 || side.unresponsive_problem != nullptr) return;
  if (side.first_announced.packet == 0) {
    if (message.command != MpCommand::simplify_path) return;
    side.first_announced = packet.position;
    side.first_announced_time = packet.time;
    return;
  }
  if (!peers_.is_from_start(packet.position) || elapsed(side.first_announced_time, packet.time) < long_pause) return;
  if (!packet.delivery->is_delivered(side.first_announced.packet)) return;
  const MpRoute route = direct_route(packet);
  // A client with an id was made by create_client(), which most games use for a MultiplayerAPI. Such a client may
  // simply have none of the nodes.
  const bool may_have_no_node = message.is_godot4();
  if (may_have_no_node && peers_.id_of(route.receiver, packet.position)) return;
  side.unresponsive_problem = add_problem(MpProblemKind::unresponsive, packet, {}, {route.receiver, route.sender});
  side.unresponsive_problem->since = side.first_announced;
}

// ---- queries

// True if the capture may lack a message that disproves the problem. For `unresponsive`, this is any message of the
// silent side. For values that stopped, this is a despawn, or a call that changes the authority, right after the last
// values.
bool MpProblemTracker::may_be_disproved_uncaptured(const MpProblem &problem, const MpPacket &packet) const {
  constexpr std::int64_t least = second / 10;
  if (problem.kind == MpProblemKind::unresponsive) return may_have_capture_gap(packet, 1 - packet.sender_side, {});
  if (!is_stopped_sync(problem)) return false;
  const std::int64_t last =
      std::clamp(packet.time, -mp_max_time, mp_max_time) - std::min(problem.duration, mp_max_time);
  const std::int64_t until =
      last + std::clamp(4 * std::min(problem.usual_interval, mp_max_time / 4), least, long_pause);
  const MpPeriod period{problem.since, last, until};
  return may_have_capture_gap(packet, packet.sender_side, period) ||
         (problem.kind == MpProblemKind::authority_sync_stopped &&
          may_have_capture_gap(packet, 1 - packet.sender_side, period));
}

const MpProblem *MpProblemTracker::find(const MpPacket &packet, const MpProblem *before) const {
  const PacketPosition position = packet.position;
  auto each = std::ranges::lower_bound(problems_, position, {}, &MpProblem::position);
  bool is_after = before == nullptr;
  for (; each != problems_.end() && each->position == position; ++each) {
    if (is_after && !each->is_withdrawn && !may_be_disproved_uncaptured(*each, packet)) return &*each;
    is_after = is_after || &*each == before;
  }
  return nullptr;
}

const MpProblem *MpProblemTracker::find_authority_conflict(const MpPacketItem &object) const {
  if (!peers_.server_state().problems.has_conflict || !object.ids.has_one_receiver()) return nullptr;
  const PacketPosition position = object.packet.position;
  const auto *found = flows_.find(object.synchronizer_key());
  if (found == nullptr) return nullptr;
  const ValueFlow &flow = *found->value;
  // The net id may have belonged to another node.
  const MpNetIdTarget *node = flow.spawn == nullptr ? nullptr : nodes_.find(object);
  if (flow.spawn != nullptr && (node == nullptr || node->spawn != flow.spawn)) return nullptr;
  const AuthorityConflict *conflict = flow.conflict;
  const bool is_sync = object.is(MpCommand::sync);
  if (conflict == nullptr && flow.senders != nullptr && is_sync) conflict = &flow.senders->conflict;
  if (conflict == nullptr || conflict->problem == nullptr || conflict->problem->is_withdrawn) return nullptr;
  return position < conflict->begin || conflict->end < position ? nullptr : conflict->problem;
}

bool MpProblemTracker::is_silent(unsigned end) const { return sides_[end].message_count == 0; }

bool MpProblemTracker::is_unresponsive(unsigned end) const {
  const MpProblem *unresponsive = sides_[1 - end].unresponsive_problem;
  return unresponsive != nullptr && !unresponsive->is_withdrawn;
}

}  // namespace godot_codec
