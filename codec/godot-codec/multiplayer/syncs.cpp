// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/syncs.h"

#include <algorithm>

#include "godot-codec/multiplayer/session.h"

namespace godot_codec {
namespace {

// Like MultiplayerSynchronizer::update_inbound_sync_time(): a time is late if it equals the last time, or is lower by
// at most this number. A higher time is never late, even if it has wrapped around.
constexpr int max_lateness = 32766;

bool is_late(std::uint16_t last, std::uint16_t next) { return next <= last && last - next <= max_lateness; }

// True if a message is not relayed.
bool is_direct(const MpNumbering &numbering) { return is_mp_end(numbering.owner) && is_mp_end(numbering.listener); }

}  // namespace

// Several receivers are stored as mp_everyone.
MpSyncs::Key MpSyncs::key_of(const MpNumbering &numbering, std::uint32_t id) {
  return {numbering.owner, numbering.one_listener().value_or(mp_everyone), id};
}

void MpSyncs::learn_values(const MpPacket &packet, const MpMessage &message, const MpFields &object,
                           const MpNumbering &numbering) {
  const std::uint32_t id =
      object.has(MpField::path_id) ? object.number(MpField::path_id) | mp_flag_other : object.number(MpField::net_id);
  if (object.has(MpField::net_id) && is_direct(numbering)) {
    if (packet.role_of(numbering.owner) == MpRole::server) ++peers_.shared().syncs.counts_[id];
    learn_synchronized(id, numbering.owner);
  }
  if (message.command != MpCommand::sync) return;
  learn_time(packet, static_cast<std::uint16_t>(message.fields.integer(MpField::time)), last_[key_of(numbering, id)]);
}

// @param number time of the sync, as sent
void MpSyncs::learn_time(const MpPacket &packet, std::uint16_t number, LastSync &last) {
  MpSyncRecord record{packet.moment, 0, last.has_time, !last.is_new && is_late(last.number, number)};
  // Files may contain any time, but a record has only 62 bits for it.
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

const MpSyncRecord *MpSyncs::find(PacketPosition moment, std::size_t index) const {
  const auto first = std::ranges::lower_bound(records_, moment, {}, &MpSyncRecord::moment);
  if (index >= static_cast<std::size_t>(records_.end() - first)) return nullptr;
  const MpSyncRecord &record = first[static_cast<std::ptrdiff_t>(index)];
  return record.moment == moment ? &record : nullptr;
}

// ---- synchronizers without values

void MpSyncs::learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering,
                          MpSpawn &spawn) {
  constexpr std::size_t most_unsynchronized = 64;
  for (std::uint32_t place = 0; place < spawn.synchronizers; ++place) {
    const auto id = static_cast<std::uint32_t>(read_mp_sync_id(packet.bytes, message, place).integer);
    // The id now belongs to a new synchronizer: forget the times of the previous synchronizer.
    if (auto *last = last_.find(key_of(numbering, id)); last != nullptr) last->value = {};
    if (!is_direct(numbering) || unsynchronized_.size() >= most_unsynchronized) continue;
    const auto *count = peers_.shared().syncs.counts_.find(id);
    unsynchronized_.push_back({id, place, count == nullptr ? 0 : count->value, &spawn});
  }
}

// Records that values of a synchronizer have arrived at the receiver.
void MpSyncs::learn_synchronized(std::uint32_t net_id, std::int32_t owner) {
  const auto found = std::ranges::find_if(
      unsynchronized_, [&](const Unsynchronized &each) { return each.net_id == net_id && each.spawn->owner == owner; });
  if (found == unsynchronized_.end()) return;
  found->spawn->unsynchronized = {};
  *found = unsynchronized_.back();
  unsynchronized_.pop_back();
}

void MpSyncs::learn_of_server(const MpPacket &packet) {
  constexpr std::uint32_t how_often = 16;
  constexpr std::uint32_t telling_count = 10;
  if (++heard_of_server_ % how_often != 0) return;
  for (const Unsynchronized &each : unsynchronized_) {
    const auto *count = peers_.shared().syncs.counts_.find(each.net_id);
    const bool is_told = each.spawn->despawned || each.spawn->unsynchronized.packet != 0;
    if (is_told || each.spawn->owner != mp_end(packet.end) || count == nullptr ||
        count->value - each.count_before < telling_count)
      continue;
    each.spawn->unsynchronized = packet.moment;
    each.spawn->unsynchronized_place = each.place;
  }
}

}  // namespace godot_codec
