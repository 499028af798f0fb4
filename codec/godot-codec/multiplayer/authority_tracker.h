// SPDX-License-Identifier: MIT
/// @file
/// Finds the peer that has authority over a node. The authority sometimes proves the id of a peer.
///
/// Messages do not contain the authority. But only the authority of a node sends the values of the node, and some
/// methods may be called only by the authority. The project folder shows which node a synchronizer or a spawner serves.
#pragma once

#include <compare>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/name_types.h"
#include "godot-codec/multiplayer/node_tracker.h"
#include "godot-codec/multiplayer/path_tracker.h"
#include "godot-codec/multiplayer/peer_tracker.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/text_pool.h"

namespace godot_codec {

/// The authority over a node from the view of one peer: this peer, another peer, or unknown.
enum class MpNodeAuthority : std::uint8_t { peer, another, unknown };

/// The authority over nodes, as observed on one connection. Records nothing if no names are known. Later packets may
/// change all results.
class MpAuthorityTracker {
 public:
  /// State that the connections of the clients of one server share.
  struct SharedState {
    explicit SharedState(std::pmr::memory_resource *memory) : callers(memory) {}

    struct Callers {
      std::int64_t first_caller = 0;  // MpPeerTracker::unique_number_of()
      bool is_only_one = true;
      bool has_server = false;       // true if the server called one of these methods
      std::int64_t last_caller = 0;  // MpPeerTracker::unique_number_of()
      std::int64_t last_time = 0;
      std::uint32_t alternations = 0;  // number of times that a caller followed a different caller within a second
    };

    // Callers of methods that only the authority may call, by path of the node.
    SortedMap<const MpTextPool::Text *, Callers> callers;
  };

  MpAuthorityTracker(std::pmr::memory_resource *memory, MpTextPool &texts, const MpPeerTracker &peers,
                     const MpPathTracker &paths, const MpNodeTracker &nodes)
      : texts_(texts), peers_(peers), paths_(paths), nodes_(nodes), value_senders_(memory), value_counts_(memory) {}

  // ---- updates from packets, if names are known

  /// Records a call that only the authority of the node may make.
  void record_call(const MpPacket &packet, std::string_view path, std::int32_t caller);
  /// @param spawner the path of the spawner of the node; empty: not known
  void record_spawn(const MpPacket &packet, std::string_view spawner) { record_proven_id(packet, spawner); }
  /// Records which peer sends the values of a synchronizer. @param object an object of a sync or delta
  void record_values(const MpPacketItem &object);

  // ---- queries

  /// True if a peer is the only peer that sends values of a node. If no peer sends values of this node, the senders of
  /// the nearest ancestor with values are compared. A peer that sends the values of a synchronizer has authority over
  /// the synchronizer and the nodes below it. If no other peer sends values for the root of the synchronizer, the peer
  /// has authority over the root, too.
  /// @param path the path of the node, as in the packet
  [[nodiscard]] bool is_only_authority(std::int32_t peer, std::string_view path) const;
  /// True if only this peer sends values of a node repeatedly, although the scripts give the authority to another peer.
  /// Then something other than these scripts has changed the authority. If no peer sends values of this node, the
  /// nearest ancestor with values is used.
  [[nodiscard]] bool is_against_project(std::int32_t peer, std::string_view path) const;
  /// Returns the authority over a node, as seen from @p peer, in a game with scripts that change the authority. The
  /// peer has the authority in each of these cases:
  /// - It is the only sender of the values of the node.
  /// - It is the only caller of methods that only the authority may call.
  /// - It is the only sender of the values of the parent node.
  ///
  /// If the server and other peers call these methods alternately and repeatedly, the server has the authority.
  [[nodiscard]] MpNodeAuthority find_authority(std::int32_t peer, std::string_view path, PacketPosition position) const;
  /// True if several peers alternately and repeatedly make calls that only the authority of the node may make.
  [[nodiscard]] bool has_alternating_callers(std::string_view path) const;
  /// Returns the proven id of a side of the connection: this side sends what only the authority may send, and the
  /// scripts set the authority. Set only while it is not known which side is the server. 0: not known
  [[nodiscard]] std::int32_t id_of_side(unsigned end) const { return ids_by_side_[end]; }

 private:
  // The peers that send values of a node.
  struct ValueSender {
    std::int32_t peer;
    bool is_only_one = true;
    bool is_against_project = false;
  };
  struct SynchronizerKey {
    const MpAnnouncedPath *name;
    std::int32_t sender;

    auto operator<=>(const SynchronizerKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };

  void record_value_sender(std::string_view path, std::int32_t peer);
  void record_contradiction(const MpPacket &packet, std::string_view path, std::int32_t peer);
  void record_proven_id(const MpPacket &packet, std::string_view path);
  void record_spawned_values(const MpPacketItem &object);
  [[nodiscard]] const ValueSender *find_value_sender(std::string_view path) const;
  [[nodiscard]] const SharedState::Callers *find_callers(std::string_view path) const;
  [[nodiscard]] bool is_only_caller(std::int32_t peer, std::string_view path, PacketPosition position) const;

  MpTextPool &texts_;
  const MpPeerTracker &peers_;
  const MpPathTracker &paths_;
  const MpNodeTracker &nodes_;
  SortedMap<const MpTextPool::Text *, ValueSender> value_senders_;  // by path of the node
  SortedMap<SynchronizerKey, std::uint32_t> value_counts_;          // synchronizers with an authority in value_senders_
  std::int32_t ids_by_side_[2] = {};                                // by side; set only if the server is not known
};

}  // namespace godot_codec
