// SPDX-License-Identifier: MIT
/// @file
/// The nodes made by spawners: their net ids, and the receivers of the spawns.
///
/// Source: Godot 4's modules/multiplayer/scene_replication_interface.cpp.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <optional>
#include <string_view>

#include "godot-codec/core/memory_budget.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/announcement_history.h"
#include "godot-codec/multiplayer/path_tracker.h"
#include "godot-codec/multiplayer/peer_tracker.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/text_pool.h"

namespace godot_codec {

/// A spawned node, as announced to one receiver.
struct MpSpawnedNode : MpSpawnContent {
  std::string_view name;      ///< printable, like MpAnnouncedPath::text
  std::uint32_t spawner = 0;  ///< path id of the spawner, assigned by the sender: see MpNodeTracker::spawner_path_of()
  std::int32_t sender = 0;
  std::int32_t receiver = 0;
  bool has_values_after = false;  ///< true if the sender has sent values after the spawn; set only if names are known
  PacketPosition spawned_at;
  std::optional<PacketPosition> despawned_at;
  std::int64_t spawn_time = 0;
  bool is_synchronized_by_others = false;  ///< true if another peer sends values of the node or of nodes below it
  void *flow = nullptr;                    ///< for MpProblemTracker: flow of the newest synchronizer that sent values
  std::int64_t despawn_time = 0;           ///< capture time of the despawn
  /// The message after which one synchronizer of the node is known to send values to other clients, but not to this
  /// client. Later packets may change it. Packet 0: no such message.
  PacketPosition unsynchronized_at;
  std::uint32_t silent_synchronizer_index = 0;  ///< index of this synchronizer, from 0
};

/// The meaning of a net id: a spawned node, or one of its synchronizers.
struct MpNetIdTarget {
  static constexpr std::uint32_t itself = std::numeric_limits<std::uint32_t>::max();

  MpSpawnedNode *spawn = nullptr;
  std::uint32_t synchronizer_index = itself;  ///< index of the synchronizer, from 0; `itself`: the node
};

/// Whether the receiver has the node of a net id.
struct MpNodePresence {
  enum class State : std::uint8_t {
    present,
    despawned,      ///< the despawn of the node was sent to the receiver
    not_announced,  ///< the node was not announced so far, although the capture contains the start of the connection
    uncertain       ///< the message has several receivers, or the capture may lack the announcement
  };
  State state = State::uncertain;
  /// despawned: the despawn. not_announced: the later spawn; packet 0 if no spawn has followed so far
  PacketPosition position;
  /// False if the state may be temporary, because messages may overtake each other.
  bool is_lasting = false;
};

/// The nodes that were spawned on one connection.
class MpNodeTracker {
 public:
  MpNodeTracker(std::pmr::memory_resource *memory, MemoryBudget &budget, MpTextPool &texts, const MpPeerTracker &peers,
                const MpPathTracker &paths)
      : memory_(memory),
        budget_(budget),
        texts_(texts),
        peers_(peers),
        paths_(paths),
        targets_by_net_id_(memory),
        newest_spawns_by_name_(memory) {}

  // ---- updates

  MpSpawnedNode &record_spawn(const MpPacketItem &message);
  /// @returns the node if this despawn removes a node; else null
  const MpSpawnedNode *record_despawn(const MpPacketItem &message);

  // ---- queries

  /// Finds the node of a net id, even if the node is despawned. Searches announcements in the same way as
  /// MpPathTracker::find(). Null if the net id was not announced.
  [[nodiscard]] const MpNetIdTarget *find(const MpIdScope &scope, std::uint32_t net_id, PacketPosition position) const;
  /// Finds the node of the net id in a message.
  [[nodiscard]] const MpNetIdTarget *find(const MpPacketItem &item) const;
  /// Returns the newest spawn of a node with a name, if it was announced to the receiver; else null.
  [[nodiscard]] MpSpawnedNode *find_newest(const MpIdScope &scope, std::string_view name,
                                           PacketPosition position) const;
  /// Like find_newest(), but returns null if the node is despawned.
  [[nodiscard]] MpSpawnedNode *find_spawned(const MpIdScope &scope, std::string_view name,
                                            PacketPosition position) const;
  /// Returns the despawn of a node, or of one of its ancestors. The despawn was sent to the caller or to the receiver
  /// of the call, by a peer other than the caller. Ignores despawns that were captured more than @p within before @p
  /// time. Packet 0: no such despawn.
  [[nodiscard]] PacketPosition find_last_despawn(std::string_view path, const MpIdScope &call, std::int64_t time,
                                                 std::int64_t within) const;
  [[nodiscard]] MpNodePresence find_presence(const MpPacket &packet, const MpIdScope &scope,
                                             std::uint32_t net_id) const;
  /// Returns the path of the spawner of a node; empty: not known.
  [[nodiscard]] std::string_view spawner_path_of(const MpSpawnedNode &spawn) const;

 private:
  struct SpawnKey {
    const MpTextPool::Text *name;
    std::int32_t sender;
    std::int32_t receiver;

    auto operator<=>(const SpawnKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };

  std::pmr::memory_resource *memory_;
  MemoryBudget &budget_;
  MpTextPool &texts_;
  const MpPeerTracker &peers_;
  const MpPathTracker &paths_;
  AnnouncementHistory<std::uint32_t, const MpNetIdTarget> targets_by_net_id_;
  SortedMap<SpawnKey, MpSpawnedNode *> newest_spawns_by_name_;  // the newest spawn by name, sender and receiver
};

}  // namespace godot_codec
