// SPDX-License-Identifier: MIT
/// @file
/// The paths of nodes and their path ids: who announced a path, who received the announcement, and who confirmed it.
///
/// Sources: Godot 4's modules/multiplayer/scene_cache_interface.cpp, Godot 3's core/io/multiplayer_api.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "godot-codec/core/history.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/announcement_history.h"
#include "godot-codec/multiplayer/name_types.h"
#include "godot-codec/multiplayer/peer_tracker.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/text_pool.h"

namespace godot_codec {

/// Timeout for the confirmation of an announced path, in nanoseconds, if no round-trip time was measured. If it was
/// measured, the timeout is twice the round-trip time.
inline constexpr std::int64_t mp_confirmation_wait = 1'000'000'000;
/// Minimum timeout for the confirmation of a path, in nanoseconds. Godot confirms paths once per frame. The round-trip
/// time may be shorter than a frame, because it is measured with ENet's acknowledgements.
inline constexpr std::int64_t mp_min_confirmation_wait = 100'000'000;
/// Messages sent within this time (in nanoseconds) after a path announcement are assumed to arrive in the same frame of
/// the game. The node may still be missing in this frame. Calls sent later contain the full path, so they may find the
/// node.
inline constexpr std::int64_t mp_path_burst = 1'000'000;
/// Number of nodes on a path, counted from its last node upwards, that are compared with spawned nodes.
inline constexpr unsigned mp_levels_above = 8;

/// An announced path and its path id.
struct MpAnnouncedPath {
  std::string_view text;                  ///< the path; valid UTF-8, control characters escaped, followed by a zero
  std::string_view md5;                   ///< Godot 4: MD5 of the methods of the node, followed by a zero
  PacketPosition position;                ///< position of the announcement
  std::int64_t time = 0;                  ///< capture time of the announcement
  std::int64_t confirmation_timeout = 0;  ///< timeout for the confirmation, in nanoseconds
  MpAnnouncedPath *first_announcement = nullptr;  ///< of this path with this path id; may point to this object
  bool is_called_by_path = false;                 ///< true if calls with the full path follow
  bool is_spawner = false;                        ///< true if spawns use the path id for their spawner
  bool is_path_id_used =
      false;  ///< Godot 4: true if the path id was sent without the path, which requires a confirmation
  std::int32_t receiver_id = 0;  ///< id of the receiver, if this is the first of equal announcements; 0: not known
  std::optional<PacketPosition> confirmed_at;  ///< first confirmation by any peer; set only in `first_announcement`
  /// The first call with the full path after the timeout of the announcement. Later packets may explain this call: see
  /// is_never_confirmed(). Packet 0: no such call.
  PacketPosition late_call;
  /// The first message of the connection after the timeout. Packet 0: no such message.
  PacketPosition overdue_at;
  /// The first message other than a confirmation which shows that the receiver has the node or a node below it. Packet
  /// 0: no such message.
  PacketPosition present_at;
  /// The despawn of the node, if the despawn crossed with the announcement. Packet 0: no such despawn.
  PacketPosition despawned_at;
};

/// The announcements of a path id that did not reach a receiver in time.
struct MpAnnouncement {
  const MpAnnouncedPath *name = nullptr;   ///< announcement to another peer; null if it does not exist
  const MpAnnouncedPath *later = nullptr;  ///< announcement that reaches the receiver after the message; null if it
                                           ///< does not exist
};

/// A node with an announced path.
struct AnnouncedNode {
  std::string_view path;  ///< from the root of the multiplayer, control characters escaped
  std::string_view md5;   ///< MD5 of its methods; empty: not announced
};

/// The nodes whose paths were announced so far by the peers of a game. They help to find the scene of a node.
class AnnouncedNodeMap {
 public:
  explicit AnnouncedNodeMap(std::pmr::memory_resource *memory) : md5s_(memory) {}

  void add(const MpTextPool::Text *path, std::string_view md5);

  /// Returns the MD5 of the methods of a node; empty: not announced.
  [[nodiscard]] std::string_view md5_of(std::string_view path) const;
  /// Writes the first nodes below a node, sorted by path.
  /// @returns how many nodes were written
  std::size_t below(std::string_view path, std::span<AnnouncedNode> nodes) const;
  /// Returns a counter that increases with each addition.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  SortedMap<MpTextPool::Key, std::string_view> md5s_;  // newest MD5 by path of the node
  std::uint64_t version_ = 0;
};

/// The node paths that were announced on one connection, with their path ids.
class MpPathTracker {
 public:
  /// State that the connections of the clients of one server share.
  struct SharedState {
    explicit SharedState(std::pmr::memory_resource *memory) : announcements(memory), nodes(memory) {}

    // Announcements on all connections, by sender and path id.
    HistoryMap<std::pair<std::int32_t, std::uint32_t>, const MpAnnouncedPath *> announcements;
    AnnouncedNodeMap nodes;
  };

  MpPathTracker(std::pmr::memory_resource *memory, MpTextPool &texts, const MpPeerTracker &peers)
      : memory_(memory),
        texts_(texts),
        peers_(peers),
        by_path_id_(memory),
        by_path_(memory),
        confirmations_(memory),
        early_confirmations_(memory) {}

  // ---- updates

  /// @returns the announcement
  MpAnnouncedPath &record_path(const MpPacketItem &message);
  void record_confirmation(const MpPacketItem &message);
  /// Records a call. If the call contains the full path after the timeout, the path was not confirmed in time.
  void record_call(const MpPacketItem &call);
  /// Records a call or sync of Godot 4 that contains a path id but not the path. Such a message shows that the sender
  /// has received the confirmation (SceneCacheInterface::send_object_cache).
  void record_path_id_use(const MpPacketItem &item);
  /// Records that the path id in a spawn belongs to a spawner, and that both sides have the spawned node.
  void record_spawn(const MpPacketItem &message);
  /// Records a despawn between two peers. Until the despawn arrives, the receiver may still send calls to the node.
  void record_despawn(const MpPacket &packet, std::string_view node, const MpIdScope &scope);
  /// Finds the confirmations that are overdue at the time of a message. Must be called for each message.
  void find_overdue_confirmations(const MpPacket &packet);

  // ---- queries: paths

  /// Finds the path of a path id, as announced to the receiver at or before a position.
  [[nodiscard]] const MpAnnouncedPath *find_announced(const MpIdScope &scope, std::uint32_t number,
                                                      PacketPosition position) const {
    return by_path_id_.find_newest(scope, number, position);
  }
  /// Finds the path of a path id, as announced to the receiver. If nothing was announced to the receiver, uses
  /// announcements to other receivers on this connection. Null if no announcement is found.
  [[nodiscard]] const MpAnnouncedPath *find(const MpIdScope &scope, std::uint32_t number,
                                            PacketPosition position) const;
  /// Finds the newest announcement of a path. Searches announcements in the same way as the other overload.
  [[nodiscard]] const MpAnnouncedPath *find(const MpIdScope &scope, std::string_view path,
                                            PacketPosition position) const;
  /// Finds the announcement of the path of a message, or of its path id.
  [[nodiscard]] const MpAnnouncedPath *find(const MpPacketItem &item) const;
  /// Finds the first announcement of a path after a position. A call on another channel may arrive before the
  /// announcement. Later packets may change the result.
  /// @returns null if there is no such announcement
  [[nodiscard]] const MpAnnouncedPath *find_later(const MpIdScope &scope, std::string_view path,
                                                  PacketPosition position) const;

  /// Returns all nodes announced by the server and its clients so far. Later packets add nodes.
  [[nodiscard]] const AnnouncedNodeMap &announced_nodes() const;
  /// True if a peer had announced a list of methods from the project, at or before a position.
  [[nodiscard]] bool matches_project(PacketPosition position) const {
    return project_match_since_ && *project_match_since_ <= position;
  }

  // ---- queries: confirmations

  /// Returns a value if the receiver certainly does not know the path of the path id when the message arrives. This
  /// requires that the capture contains the start of the connection, and that no capture gap may hide the announcement.
  /// The value contains the announcement to another peer, if one exists. Later packets may change only
  /// MpAnnouncement::later.
  [[nodiscard]] std::optional<MpAnnouncement> find_unannounced(const MpPacketItem &item) const;
  /// True if a peer has confirmed a path. If @p peer means several peers, one confirmation is enough.
  [[nodiscard]] bool is_confirmed(const MpAnnouncedPath &name, std::int32_t peer, PacketPosition position) const;
  /// Returns the position of the last confirmation by a peer at or before @p position, if it reports that the methods
  /// of the peer's node differ. Returns nullopt if it does not report this.
  [[nodiscard]] std::optional<PacketPosition> find_checksum_failure(const MpAnnouncedPath &name, std::int32_t peer,
                                                                    PacketPosition position) const;
  /// For a call of Godot 4 with the full path: returns the path if its confirmation is overdue; else null. Later
  /// packets may change the result: a late confirmation shows that the receiver has the node. An announcement of the
  /// same path by the receiver shows the same from then on.
  [[nodiscard]] const MpAnnouncedPath *find_unconfirmed_path(const MpPacketItem &message) const;
  /// Returns the path of a call or an announcement of Godot 4, if the message crossed with the despawn of the node;
  /// else null. Later packets may change the result.
  [[nodiscard]] const MpAnnouncedPath *find_crossed_path(const MpPacketItem &message) const;
  /// True if the receiver does not confirm a path in the whole capture, although later messages, or acknowledgements of
  /// the receiver, show that the path was delivered long before. Later packets may change the result.
  /// @param packet the packet that announced the path
  [[nodiscard]] bool is_never_confirmed(const MpPacket &packet, const MpAnnouncedPath &name,
                                        const MpIdScope &scope) const;
  /// False if all announced paths are confirmed. Then every receiver has the nodes.
  [[nodiscard]] bool may_have_missing_nodes() const {
    return !overdue_confirmations_.empty() || !awaited_confirmations_.empty();
  }
  /// Returns the path that a lost message needs. A call that contains a path, and a spawn with the path id of its
  /// spawner, are lost if the receiver does not have the node of the path. Null if the message may not be lost. Later
  /// packets may change the result.
  [[nodiscard]] const MpAnnouncedPath *find_missing_node(const MpPacketItem &message) const;

 private:
  // An announcement to a receiver that has not confirmed it.
  struct MissingConfirmation {
    MpAnnouncedPath *name;
    MpIdScope scope;
  };

  void record_announcement(MpAnnouncedPath &name, const MpIdScope &scope, std::uint32_t number);
  void add_awaited_confirmation(MpAnnouncedPath *name, const MpIdScope &scope);
  void add_overdue_confirmation(const MissingConfirmation &missing);
  void record_presence(std::string_view path, std::int32_t peer, PacketPosition position);
  [[nodiscard]] bool may_be_announced(const MpPacketItem &item, std::uint32_t number) const;
  [[nodiscard]] MpAnnouncedPath *find_awaited_path(const MpPacketItem &message) const;
  [[nodiscard]] std::optional<PacketPosition> find_confirmation(const MpAnnouncedPath &name, std::int32_t peer,
                                                                PacketPosition position) const;
  [[nodiscard]] bool is_confirmed_or_despawned(const MpAnnouncedPath &name, std::int32_t peer) const;
  [[nodiscard]] bool is_announced_to_absent_peer(const MpAnnouncedPath &name, std::int32_t peer) const;
  [[nodiscard]] bool may_be_confirmed_uncaptured(const MpPacket &packet, const MpAnnouncedPath &name,
                                                 const MpIdScope &scope) const;

  std::pmr::memory_resource *memory_;
  MpTextPool &texts_;
  const MpPeerTracker &peers_;
  AnnouncementHistory<std::uint32_t, MpAnnouncedPath> by_path_id_;
  AnnouncementHistory<const MpTextPool::Text *, MpAnnouncedPath> by_path_;  // by path as in the packet
  PacketPosition last_announced_;                      // position of the newest announcement on this connection
  std::optional<PacketPosition> project_match_since_;  // position of the first announcement of a list of the project
  // Confirmations by first announcement and peer. Value: true if the checksum is right.
  HistoryMap<std::pair<const MpAnnouncedPath *, std::int32_t>, bool> confirmations_;
  // Confirmations that were captured before the announcement, by peer and path id.
  HistoryMap<std::pair<std::int32_t, std::uint32_t>, bool> early_confirmations_;
  std::list<MissingConfirmation> awaited_confirmations_;  // the timeout has not passed; the newest last
  std::list<MissingConfirmation> overdue_confirmations_;  // the timeout has passed, or a call was late
};

}  // namespace godot_codec
