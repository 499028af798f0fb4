// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/sync_tracker.h"

#include <algorithm>

#include "godot-codec/multiplayer/session.h"

namespace godot_codec {
namespace {

// Like MultiplayerSynchronizer::update_inbound_sync_time(). A time is late if it equals the last time, or is lower by
// at most this difference. A higher time is never late, even if the time has wrapped around.
constexpr int max_lateness = 32766;

bool is_late(std::uint16_t last, std::uint16_t next) { return next <= last && last - next <= max_lateness; }

// True if a message is not relayed.
bool is_direct(const MpIdScope &scope) { return is_mp_side(scope.sender) && is_mp_side(scope.receiver); }

}  // namespace

void MpSyncTracker::record_values(const MpPacketItem &object) {
  const MpSynchronizerKey key = object.synchronizer_key();
  if (object.fields.has(MpField::net_id) && is_direct(object.ids)) {
    if (object.packet.role_of(key.sender) == MpRole::server) ++peers_.server_state().syncs.value_counts[key.id];
    record_synchronized(key.id, key.sender);
  }
  if (!object.is(MpCommand::sync)) return;
  record_sync_time(object.packet, static_cast<std::uint16_t>(object.command.fields.integer(MpField::time)),
                   last_syncs_[key]);
}

// @param number the sync time, as sent
void MpSyncTracker::record_sync_time(const MpPacket &packet, std::uint16_t number, LastSync &last) {
  MpSyncRecord record{packet.position, 0, last.has_time, !last.is_new && is_late(last.number, number)};
  // Files may contain any capture time, but a record has only 62 bits for the interval.
  constexpr std::int64_t longest = (std::int64_t{1} << 61) - 1;
  if (last.has_time) record.interval = std::clamp(elapsed(last.time, packet.time), -longest, longest);
  records_.push_back(record);
  last.has_time = true;
  last.time = packet.time;
  if (!record.is_late) {
    last.is_new = false;
    last.number = number;
  }
}

const MpSyncRecord *MpSyncTracker::find(PacketPosition position, std::size_t index) const {
  const auto first = std::ranges::lower_bound(records_, position, {}, &MpSyncRecord::position);
  if (index >= static_cast<std::size_t>(records_.end() - first)) return nullptr;
  const MpSyncRecord &record = first[static_cast<std::ptrdiff_t>(index)];
  return record.position == position ? &record : nullptr;
}

// ---- synchronizers without values

void MpSyncTracker::record_spawn(const MpPacketItem &message, MpSpawnedNode &spawn) {
  constexpr std::size_t max_unsynchronized = 64;
  for (std::uint32_t synchronizer_index = 0; synchronizer_index < spawn.synchronizers; ++synchronizer_index) {
    const MpFieldValue sent_id = read_mp_sync_id(message.packet.bytes, message.command, synchronizer_index);
    const auto id = static_cast<std::uint32_t>(sent_id.integer);
    // The net id now belongs to a new synchronizer, so forget the times of the previous synchronizer.
    auto *last = last_syncs_.find({message.ids.sender, message.ids.one_receiver(), id});
    if (last != nullptr) last->value = {};
    if (!is_direct(message.ids) || silent_synchronizers_.size() >= max_unsynchronized) continue;
    const auto *count = peers_.server_state().syncs.value_counts.find(id);
    silent_synchronizers_.push_back({id, synchronizer_index, count == nullptr ? 0 : count->value, &spawn});
  }
}

// Records that values of a synchronizer have arrived at the receiver.
void MpSyncTracker::record_synchronized(std::uint32_t net_id, std::int32_t sender) {
  const auto found = std::ranges::find_if(silent_synchronizers_, [&](const SilentSynchronizer &each) {
    return each.net_id == net_id && each.spawn->sender == sender;
  });
  if (found == silent_synchronizers_.end()) return;
  found->spawn->unsynchronized_at = {};
  *found = silent_synchronizers_.back();
  silent_synchronizers_.pop_back();
}

void MpSyncTracker::find_silent_synchronizers(const MpPacket &packet) {
  constexpr std::uint32_t how_often = 16;
  constexpr std::uint32_t min_count = 10;
  if (++server_messages_ % how_often != 0) return;
  for (const SilentSynchronizer &each : silent_synchronizers_) {
    const auto *count = peers_.server_state().syncs.value_counts.find(each.net_id);
    const bool is_reported = each.spawn->despawned_at || each.spawn->unsynchronized_at.packet != 0;
    if (is_reported || each.spawn->sender != mp_side(packet.sender_side) || count == nullptr ||
        count->value - each.count_before < min_count)
      continue;
    each.spawn->unsynchronized_at = packet.position;
    each.spawn->silent_synchronizer_index = each.synchronizer_index;
  }
}

}  // namespace godot_codec
