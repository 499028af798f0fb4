// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/node_tracker.h"

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/command_variants.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

MpSpawnedNode &MpNodeTracker::record_spawn(const MpPacketItem &message) {
  const MpPacket &packet = message.packet;
  std::pmr::polymorphic_allocator<> allocator(memory_);
  auto *spawn = allocator.new_object<MpSpawnedNode>();
  const MpTextPool::Text *name = texts_.add(message.fields.text(MpField::name));
  spawn->name = name->printable;
  spawn->spawner = message.fields.number(MpField::spawner);
  spawn->sender = message.ids.sender;
  spawn->receiver = message.ids.receiver;
  spawn->scene = static_cast<std::uint8_t>(message.fields.integer(MpField::scene));
  spawn->synchronizers = static_cast<std::uint32_t>(message.command.sync_ids.length / mp_sync_id_size);
  spawn->spawned_at = packet.position;
  spawn->spawn_time = packet.time;
  if (packet.names != nullptr) {
    const MpValueTypes values = read_mp_value_types(*packet.values, message.command, message.variants);
    spawn->spawn_value_count = values.count;
    spawn->spawn_types = texts_.add(values.types.text())->bytes;
  }
  newest_spawns_by_name_[{name, spawn->sender, spawn->receiver}] = spawn;
  const auto define = [&](std::uint32_t net_id, std::uint32_t synchronizer_index) {
    const auto *node = allocator.new_object<MpNetIdTarget>(MpNetIdTarget{spawn, synchronizer_index});
    targets_by_net_id_.add(message.ids, net_id, packet.position, node);
  };
  define(message.fields.number(MpField::net_id), MpNetIdTarget::itself);
  for (std::uint32_t i = 0; i < spawn->synchronizers && budget_.has_capacity(); ++i) {
    define(static_cast<std::uint32_t>(read_mp_sync_id(packet.bytes, message.command, i).integer), i);
  }
  return *spawn;
}

const MpSpawnedNode *MpNodeTracker::record_despawn(const MpPacketItem &message) {
  const MpPacket &packet = message.packet;
  const MpNetIdTarget *node =
      targets_by_net_id_.find_newest(message.ids, message.fields.number(MpField::net_id), packet.position);
  if (node == nullptr || node->synchronizer_index != MpNetIdTarget::itself) return nullptr;
  MpSpawnedNode *spawn = node->spawn;
  if (spawn->despawned_at) return nullptr;
  spawn->despawned_at = packet.position;
  spawn->despawn_time = packet.time;
  return spawn;
}

const MpNetIdTarget *MpNodeTracker::find(const MpIdScope &scope, std::uint32_t net_id, PacketPosition position) const {
  return targets_by_net_id_.find_newest_or_any(scope, net_id, position);
}

const MpNetIdTarget *MpNodeTracker::find(const MpPacketItem &item) const {
  const MpFieldValue *id = item.fields.find(MpField::net_id);
  return id == nullptr ? nullptr : find(item.ids, static_cast<std::uint32_t>(id->integer), item.packet.position);
}

MpSpawnedNode *MpNodeTracker::find_newest(const MpIdScope &scope, std::string_view name,
                                          PacketPosition position) const {
  const MpTextPool::Text *text = texts_.find(name);
  if (text == nullptr) return nullptr;
  const auto *found = newest_spawns_by_name_.find({text, scope.sender, scope.receiver});
  return found == nullptr || found->value->spawned_at > position ? nullptr : found->value;
}

MpSpawnedNode *MpNodeTracker::find_spawned(const MpIdScope &scope, std::string_view name,
                                           PacketPosition position) const {
  MpSpawnedNode *spawn = find_newest(scope, name, position);
  const bool is_despawned = spawn != nullptr && spawn->despawned_at && *spawn->despawned_at <= position;
  return is_despawned ? nullptr : spawn;
}

PacketPosition MpNodeTracker::find_last_despawn(std::string_view path, const MpIdScope &call, std::int64_t time,
                                                std::int64_t within) const {
  const MpIdScope despawns[] = {
      {call.receiver, call.sender}, {peers_.server(), call.sender}, {peers_.server(), call.receiver}};
  for (unsigned level = 0; level < mp_levels_above && !path.empty(); ++level, path = parent_path(path)) {
    for (const MpIdScope &despawn : despawns) {
      if (despawn.sender == call.sender) continue;
      const MpSpawnedNode *spawn = find_newest(despawn, base_name(path), packet_position_last);
      if (spawn == nullptr || !spawn->despawned_at) continue;
      if (elapsed(spawn->despawn_time, time) <= within) return *spawn->despawned_at;
    }
  }
  return {};
}

MpNodePresence MpNodeTracker::find_presence(const MpPacket &packet, const MpIdScope &scope,
                                            std::uint32_t net_id) const {
  using State = MpNodePresence::State;
  const MpDeliveryTracker &deliveries = packet.connection->deliveries();
  const MpDeliveryState arrival = deliveries.arrival(packet);
  if (!scope.has_one_receiver() || arrival.is_waiting) return {};
  const bool is_ordered = !packet.sequence.may_overtake;
  if (const MpNetIdTarget *node = targets_by_net_id_.find_newest(scope, net_id, arrival.delivered_at)) {
    const MpSpawnedNode &spawn = *node->spawn;
    const bool is_despawned = spawn.despawned_at && *spawn.despawned_at < arrival.sent;
    if (is_despawned && may_have_capture_gap_before(packet, *spawn.despawned_at, spawn.despawn_time)) return {};
    const bool is_lasting = is_ordered || elapsed(spawn.despawn_time, packet.time) > mp_confirmation_wait;
    return {is_despawned ? State::despawned : State::present, is_despawned ? *spawn.despawned_at : spawn.spawned_at,
            is_lasting};
  }
  if (!peers_.is_from_start(packet.position) || deliveries.has_capture_gap(packet.position)) return {};
  if (may_have_capture_gap_before(packet, packet.position, -mp_max_time)) return {};
  const MpNetIdTarget *later = targets_by_net_id_.find_next(scope, net_id, packet.position);
  return {State::not_announced, later == nullptr ? packet_position_zero : later->spawn->spawned_at,
          is_ordered || later == nullptr};
}

std::string_view MpNodeTracker::spawner_path_of(const MpSpawnedNode &spawn) const {
  const MpAnnouncedPath *name = paths_.find({spawn.sender, spawn.receiver}, spawn.spawner, spawn.spawned_at);
  return name == nullptr ? std::string_view{} : name->text;
}

}  // namespace godot_codec
