// SPDX-License-Identifier: MIT
/// @file
/// Detects syncs that arrive late, and synchronizers that send no values to a client.
///
/// Source: Godot 4's MultiplayerSynchronizer::update_inbound_sync_time().
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/node_tracker.h"
#include "godot-codec/multiplayer/route.h"

namespace godot_codec {

/// The record of an object in a sync.
struct MpSyncRecord {
  PacketPosition position;
  // All bit fields have types of the same size, because compilers for Windows do not pack types of different sizes.
  std::int64_t interval : 62;  ///< nanoseconds since the last sync of the synchronizer to the same receiver
  std::uint64_t has_interval : 1;
  std::uint64_t is_late : 1;  ///< true if an equal or a higher sync time arrived before, so that Godot drops this sync
};

/// The values that were sent on one connection.
class MpSyncTracker {
 public:
  /// State that the connections of the clients of one server share.
  struct SharedState {
    explicit SharedState(std::pmr::memory_resource *memory) : value_counts(memory) {}

    SortedMap<std::uint32_t, std::uint32_t> value_counts;  // syncs and deltas from server to clients, by net id
  };

  MpSyncTracker(std::pmr::memory_resource *memory, const MpPeerTracker &peers)
      : peers_(peers), last_syncs_(memory), records_(memory), silent_synchronizers_(memory) {}

  // ---- updates

  /// Records the synchronizers of a spawned node.
  /// @param spawn the node; marked later if one of its synchronizers sends nothing to this client
  void record_spawn(const MpPacketItem &message, MpSpawnedNode &spawn);
  /// Records that values were sent.
  void record_values(const MpPacketItem &object);
  /// Finds synchronizers that have sent values to other clients but not to this client. Must be called for each message
  /// of the server; searches only on every 16th call.
  void find_silent_synchronizers(const MpPacket &packet);

  // ---- queries

  /// Returns the record of an object of a sync, by the position of the sync and the index of the object; null if no
  /// record exists.
  [[nodiscard]] const MpSyncRecord *find(PacketPosition position, std::size_t index) const;

 private:
  struct LastSync {
    bool is_new = true;  // true before the first sync, so that any sync time is newer
    std::uint16_t number = 0;
    bool has_time = false;
    std::int64_t time = 0;
  };
  // A synchronizer of a spawned node that has not sent values to the other side.
  struct SilentSynchronizer {
    std::uint32_t net_id;
    std::uint32_t synchronizer_index;
    std::uint32_t count_before;  // value of SharedState::value_counts when the node was spawned
    MpSpawnedNode *spawn;
  };

  void record_sync_time(const MpPacket &packet, std::uint16_t number, LastSync &last);
  void record_synchronized(std::uint32_t net_id, std::int32_t sender);

  const MpPeerTracker &peers_;
  SortedMap<MpSynchronizerKey, LastSync> last_syncs_;
  std::pmr::deque<MpSyncRecord> records_;  // in capture order
  std::pmr::vector<SilentSynchronizer> silent_synchronizers_;
  std::uint32_t server_messages_ = 0;  // number of messages of the server
};

}  // namespace godot_codec
