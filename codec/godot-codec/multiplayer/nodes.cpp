// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/nodes.h"

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/arguments.h"

namespace godot_codec {

MpSpawn &MpNodes::learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  std::pmr::polymorphic_allocator<> allocator(memory_);
  auto *spawn = allocator.new_object<MpSpawn>();
  const MpTexts::Text *name = texts_.add(message.fields.text(MpField::name));
  spawn->name = name->printable;
  spawn->spawner = message.fields.number(MpField::spawner);
  spawn->owner = numbering.owner;
  spawn->listener = numbering.listener;
  spawn->scene = static_cast<std::uint8_t>(message.fields.integer(MpField::scene));
  spawn->synchronizers = static_cast<std::uint32_t>(message.sync_ids.length / mp_sync_id_size);
  spawn->spawned = packet.moment;
  spawn->spawned_time = packet.time;
  if (packet.names != nullptr) {
    const MpValueTypes values = read_mp_types(*packet.values, message, message.variants);
    spawn->values = values.count;
    spawn->types = texts_.add(values.types.text())->bytes;
  }
  by_name_[{name, numbering.owner, numbering.listener}] = spawn;
  const auto define = [&](std::uint32_t net_id, std::uint32_t place) {
    const auto *node = allocator.new_object<MpNode>(MpNode{spawn, place});
    by_net_id_.add(numbering.owner, numbering.one_listener(), net_id, packet.moment, node);
  };
  define(message.fields.number(MpField::net_id), MpNode::itself);
  for (std::uint32_t i = 0; i < spawn->synchronizers && budget_.has_room(); ++i) {
    define(static_cast<std::uint32_t>(read_mp_sync_id(packet.bytes, message, i).integer), i);
  }
  return *spawn;
}

const MpSpawn *MpNodes::learn_despawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const MpNode *node = newest_for(by_net_id_, numbering, message.fields.number(MpField::net_id), packet.moment);
  if (node == nullptr || node->place != MpNode::itself) return nullptr;
  MpSpawn *spawn = node->spawn;
  if (spawn->despawned) return nullptr;
  spawn->despawned = packet.moment;
  spawn->despawned_time = packet.time;
  return spawn;
}

const MpNode *MpNodes::find(const MpNumbering &numbering, std::uint32_t net_id, PacketPosition moment) const {
  return newest_for_or_any(by_net_id_, numbering, net_id, moment);
}

MpSpawn *MpNodes::find_newest(const MpNumbering &numbering, std::string_view name, PacketPosition moment) const {
  const MpTexts::Text *text = texts_.find(name);
  if (text == nullptr) return nullptr;
  const auto *found = by_name_.find({text, numbering.owner, numbering.listener});
  return found == nullptr || found->value->spawned > moment ? nullptr : found->value;
}

MpSpawn *MpNodes::find_spawned(const MpNumbering &numbering, std::string_view name, PacketPosition moment) const {
  MpSpawn *spawn = find_newest(numbering, name, moment);
  const bool is_gone = spawn != nullptr && spawn->despawned && *spawn->despawned <= moment;
  return is_gone ? nullptr : spawn;
}

PacketPosition MpNodes::last_despawn(std::string_view path, const MpNumbering &call, std::int64_t time,
                                     std::int64_t within) const {
  const MpNumbering despawns[] = {
      {call.listener, call.owner}, {peers_.server(), call.owner}, {peers_.server(), call.listener}};
  for (unsigned level = 0; level < mp_levels_above && !path.empty(); ++level, path = parent_path(path)) {
    for (const MpNumbering &despawn : despawns) {
      if (despawn.owner == call.owner) continue;
      const MpSpawn *spawn = find_newest(despawn, last_name(path), packet_position_last);
      if (spawn == nullptr || !spawn->despawned) continue;
      if (elapsed(spawn->despawned_time, time) <= within) return *spawn->despawned;
    }
  }
  return {};
}

MpPresence MpNodes::presence(const MpPacket &packet, const MpNumbering &numbering, std::uint32_t net_id) const {
  using State = MpPresence::State;
  const MpArrival arrival = deliveries_.arrival(packet);
  if (!numbering.is_for_one() || arrival.is_waiting) return {};
  const bool is_ordered = !packet.sequence.may_overtake;
  if (const MpNode *node = newest_for(by_net_id_, numbering, net_id, arrival.delivered); node != nullptr) {
    const MpSpawn &spawn = *node->spawn;
    const bool is_gone = spawn.despawned && *spawn.despawned < arrival.sent;
    if (is_gone && may_have_capture_gap_before(packet, deliveries_, *spawn.despawned, spawn.despawned_time)) return {};
    const bool is_long_gone = is_ordered || elapsed(spawn.despawned_time, packet.time) > mp_confirmation_wait;
    return {is_gone ? State::gone : State::present, is_gone ? *spawn.despawned : spawn.spawned, is_long_gone};
  }
  constexpr std::int64_t ever = std::int64_t{1} << 62;
  if (!peers_.is_from_start(packet.moment) || deliveries_.has_capture_gap(packet.moment)) return {};
  if (may_have_capture_gap_before(packet, deliveries_, packet.moment, -ever)) return {};
  const auto later = by_net_id_.next(numbering.owner, numbering.listener, net_id, packet.moment);
  return {State::not_told, later ? later->moment : packet_position_zero, is_ordered || !later};
}

std::string_view MpNodes::spawner_of(const MpSpawn &spawn) const {
  const MpName *name = paths_.find({spawn.owner, spawn.listener}, spawn.spawner, spawn.spawned);
  return name == nullptr ? std::string_view{} : name->text;
}

}  // namespace godot_codec
