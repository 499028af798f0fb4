// SPDX-License-Identifier: MIT
/// @file
/// How new the values of synchronizers are that were sent, and whom they never reach.
///
/// Rules: Godot 4's MultiplayerSynchronizer::update_inbound_sync_time().
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/nodes.h"
#include "godot-codec/multiplayer/route.h"

namespace godot_codec {

/// One object of a sync.
struct MpSyncRecord {
  PacketPosition moment;
  // Types of one size: on Windows, bits of others take words of their own.
  std::int64_t interval : 62;  ///< nanoseconds since the same receiver's last sync of the synchronizer
  std::uint64_t has_interval : 1;
  std::uint64_t is_late : 1;  ///< a sync as new, or newer, had come before: Godot drops this one
};

/// The values that were sent on one connection.
class MpSyncs {
 public:
  /// Knowledge that the connections of one server's clients share.
  class Shared {
   public:
    explicit Shared(std::pmr::memory_resource *memory) : counts_(memory) {}

   private:
    friend class MpSyncs;

    SortedMap<std::uint32_t, std::uint32_t> counts_;  // by net id: syncs and deltas of the server to its clients
  };

  MpSyncs(std::pmr::memory_resource *memory, const MpPeers &peers)
      : peers_(peers), last_(memory), records_(memory), unsynchronized_(memory) {}

  // ---- learning

  /// Learns which synchronizers come with a node.
  /// @param spawn the node; marked later if one of its synchronizers sends nothing to this client
  void learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering, MpSpawn &spawn);
  /// Learns that values are sent. @param object one of the message's
  void learn_values(const MpPacket &packet, const MpMessage &message, const MpFields &object,
                    const MpNumbering &numbering);
  /// Updates the state from any message of the server: from time to time, looks for synchronizers whose values the
  /// client should have got as well.
  void learn_of_server(const MpPacket &packet);

  // ---- asking

  /// The index-th object of the sync at a moment; null if that was not learned.
  [[nodiscard]] const MpSyncRecord *find(PacketPosition moment, std::size_t index) const;

 private:
  struct Key {
    std::int32_t owner;
    std::int32_t listener;
    std::uint32_t id;  // the number on the wire: bit 31 says that it is a path id

    auto operator<=>(const Key &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  struct LastSync {
    bool is_new = true;  // no time has come yet, so that any is newer
    std::uint16_t number = 0;
    bool has_time = false;
    std::int64_t time = 0;
  };
  // A synchronizer that came with a node, and whose values have not come to the other end.
  struct Unsynchronized {
    std::uint32_t net_id;
    std::uint32_t place;
    std::uint32_t count_before;  // Shared::counts_ when the node was spawned
    MpSpawn *spawn;
  };

  static Key key_of(const MpNumbering &numbering, std::uint32_t id);
  void learn_time(const MpPacket &packet, std::uint16_t number, LastSync &last);
  void learn_synchronized(std::uint32_t net_id, std::int32_t owner);

  const MpPeers &peers_;
  SortedMap<Key, LastSync> last_;
  std::pmr::deque<MpSyncRecord> records_;  // in the order of the capture
  std::pmr::vector<Unsynchronized> unsynchronized_;
  std::uint32_t heard_of_server_ = 0;  // messages
};

}  // namespace godot_codec
