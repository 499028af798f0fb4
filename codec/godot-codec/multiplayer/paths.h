// SPDX-License-Identifier: MIT
/// @file
/// The paths of nodes and their path ids: which peer announced a path, to which receiver, and which peers confirmed it.
///
/// Rules: Godot 4's modules/multiplayer/scene_cache_interface.cpp, Godot 3's core/io/multiplayer_api.cpp.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/announcements.h"
#include "godot-codec/multiplayer/delivery.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/peers.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/texts.h"

namespace godot_codec {

/// Timeout for the confirmation of an announced path if no round-trip time was measured, in nanoseconds. Otherwise, the
/// timeout is twice the round-trip time.
inline constexpr std::int64_t mp_confirmation_wait = 1'000'000'000;
/// Minimum timeout for the confirmation of a path, in nanoseconds. Godot confirms paths once per frame. ENet's
/// acknowledgements, which show the round-trip time, may be sent at once.
inline constexpr std::int64_t mp_min_confirmation_wait = 100'000'000;
/// Messages that follow a path within this time (in nanoseconds) arrive together with it. The receiver handles all of
/// them in one frame, in which the node may still be missing. Later calls may find the node, because they contain the
/// whole path.
inline constexpr std::int64_t mp_path_burst = 1'000'000;
/// Number of nodes, from the node of a path upwards, that are compared with spawned nodes.
inline constexpr unsigned mp_levels_above = 8;

/// An announced path and its path id.
struct MpAnnouncedPath {
  std::string_view text;                  ///< the path; valid UTF-8, control characters escaped, followed by a zero
  std::string_view md5;                   ///< Godot 4: MD5 of the methods of the node, followed by a zero
  PacketPosition defined;                 ///< position of the announcement
  std::int64_t time = 0;                  ///< capture time of the announcement
  std::int64_t confirmation_timeout = 0;  ///< timeout for the confirmation, in nanoseconds
  MpAnnouncedPath *first =
      nullptr;              ///< first announcement of this path with this number; points to itself if this is the first
  bool is_called = false;   ///< true if calls with the whole path follow
  bool is_spawner = false;  ///< true if spawns use the number for their spawner
  bool is_used = false;     ///< Godot 4: true if the number was sent without the path, after a confirmation
  std::optional<PacketPosition> confirmed;  ///< position of the first confirmation by any peer; set only in `first`
  /// The first call that contains the whole path although the timeout after the announcement has passed. Looks ahead:
  /// see is_never_confirmed(). Packet 0: there is none.
  PacketPosition late_call;
  /// The first message of the connection after the timeout. Packet 0: there is none.
  PacketPosition overdue;
  /// The first message that shows that the receiver has the node, or a node below it, without a confirmation. Packet 0:
  /// there is none.
  PacketPosition present;
  /// The despawn of the node, if it crossed with the announcement. Packet 0: there is none.
  PacketPosition despawned;
};

/// An announcement of a path id, and its receiver.
struct MpAnnouncement {
  const MpAnnouncedPath *name = nullptr;   ///< null: not announced to any other peer
  std::int32_t receiver = 0;               ///< id of the receiver; 0: not known
  const MpAnnouncedPath *later = nullptr;  ///< announcement that reaches the receiver after the message; null: none
};

/// A node with an announced path.
struct AnnouncedNode {
  std::string_view path;  ///< from the root of the multiplayer, control characters escaped
  std::string_view md5;   ///< MD5 of its methods; empty: not announced
};

/// The nodes with paths that the peers of a game have announced so far. They help to find the scene of a node.
class AnnouncedNodes {
 public:
  explicit AnnouncedNodes(std::pmr::memory_resource *memory) : md5s_(memory) {}

  void add(const MpTexts::Text *path, std::string_view md5);

  /// Returns the MD5 of the methods of a node; empty: not announced.
  [[nodiscard]] std::string_view md5_of(std::string_view path) const;
  /// Writes the first nodes below a node, sorted by path. @returns the number of nodes
  std::size_t below(std::string_view path, std::span<AnnouncedNode> nodes) const;
  /// Returns a number that changes with each addition.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  SortedMap<MpTexts::Key, std::string_view> md5s_;  // newest MD5 by path of the node
  std::uint64_t version_ = 0;
};

/// The node paths that were announced on one connection, with their path ids.
class MpPaths {
 public:
  /// State that the connections of the clients of one server share.
  struct SharedState {
    explicit SharedState(std::pmr::memory_resource *memory) : announcements(memory), nodes(memory) {}

    struct AnnouncementKey {
      std::int32_t sender;
      std::uint32_t number;
      PacketPosition position;

      auto operator<=>(const AnnouncementKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
    };

    SortedMap<AnnouncementKey, MpAnnouncement> announcements;  // announcements on all connections, by sender and number
    AnnouncedNodes nodes;
  };

  MpPaths(std::pmr::memory_resource *memory, MpTexts &texts, const MpDeliveryTracker &deliveries, const MpPeers &peers)
      : memory_(memory),
        texts_(texts),
        deliveries_(deliveries),
        peers_(peers),
        by_number_(memory),
        by_text_(memory),
        confirmations_(memory) {}

  // ---- updates

  /// @returns the announcement
  MpAnnouncedPath &record_path(const MpPacket &packet, const MpMessage &message, const MpIdScope &scope);
  void record_confirmation(const MpPacket &packet, const MpMessage &message, const MpIdScope &scope);
  /// Records a call. If the call contains the whole path after the timeout, the path was not confirmed in time.
  void record_call(const MpPacket &packet, const MpMessage &message, const MpIdScope &scope);
  /// Records that a message contains a number without the path, so the sender has received the confirmation of the
  /// receiver. Always true for calls and syncs of Godot 4 (SceneCacheInterface::send_object_cache).
  void record_use_of_number(const MpPacket &packet, const MpIdScope &scope, std::uint32_t number);
  /// Records that the number of the spawn belongs to a spawner, and that the spawned node exists at both ends.
  void record_spawn(const MpPacket &packet, const MpMessage &message, const MpIdScope &scope);
  /// Records a despawn between two peers. The other peer may still call the node, because the messages cross.
  void record_despawn(const MpPacket &packet, std::string_view node, const MpIdScope &scope);
  /// Finds the confirmations that are overdue at the time of a message. To be called for each message.
  void find_overdue(const MpPacket &packet);

  // ---- queries: paths

  /// Finds the path of a path id, as announced to the receiver. If nothing was announced to the receiver, uses
  /// announcements to other receivers on this connection. Null if there is none.
  [[nodiscard]] const MpAnnouncedPath *find(const MpIdScope &scope, std::uint32_t number,
                                            PacketPosition position) const;
  /// Finds the newest announcement of a path in the same way.
  [[nodiscard]] const MpAnnouncedPath *find(const MpIdScope &scope, std::string_view path,
                                            PacketPosition position) const;
  /// Finds the earliest announcement of a path after a position, because calls on another channel may overtake it.
  /// Looks ahead. @returns null if there is none
  [[nodiscard]] const MpAnnouncedPath *find_later(const MpIdScope &scope, std::string_view path,
                                                  PacketPosition position) const;

  /// Returns all nodes that the server and its clients have announced. Looks ahead: later packets add nodes.
  [[nodiscard]] const AnnouncedNodes &announced_nodes() const;
  /// True if, up to a position, a peer had announced a list of methods that the project contains.
  [[nodiscard]] bool is_named_game(PacketPosition position) const { return named_since_ && *named_since_ <= position; }

  // ---- queries: confirmations

  /// Returns a value if the receiver certainly does not know the path of a number when the message arrives. This
  /// requires that the connection began in the capture, without a capture gap that may contain the announcement. The
  /// value contains the announcement to another peer, if there is one. Only MpAnnouncement::later looks ahead.
  [[nodiscard]] std::optional<MpAnnouncement> find_unannounced(const MpPacket &packet, const MpIdScope &scope,
                                                               std::uint32_t number) const;
  /// True if a peer has confirmed a path. If several peers are meant, true if any peer has confirmed it.
  [[nodiscard]] bool is_confirmed(const MpAnnouncedPath &name, std::int32_t peer, PacketPosition position) const;
  /// Returns the position at which a peer reported that its methods of the node differ; nullopt if its last
  /// confirmation up to @p position did not.
  [[nodiscard]] std::optional<PacketPosition> checksum_failure(const MpAnnouncedPath &name, std::int32_t peer,
                                                               PacketPosition position) const;
  /// For a call of Godot 4 that contains the whole path: returns the path if its confirmation is overdue; else null.
  /// Looks ahead: a receiver that confirms late has the node. A receiver that announces the same path has the node from
  /// then on.
  [[nodiscard]] const MpAnnouncedPath *find_unconfirmed(const MpPacket &packet, const MpMessage &message,
                                                        const MpIdScope &scope) const;
  /// Returns the path of a call or an announcement of Godot 4 if it crossed with the despawn of its node; else null.
  /// Looks ahead.
  [[nodiscard]] const MpAnnouncedPath *find_crossed(const MpPacket &packet, const MpMessage &message,
                                                    const MpIdScope &scope) const;
  /// True if the receiver never confirms a path in the whole capture. This requires that the path was delivered long
  /// before later messages, or long before the transport last received from the receiver. Looks ahead.
  /// @param packet the packet that announced the path
  [[nodiscard]] bool is_never_confirmed(const MpPacket &packet, const MpAnnouncedPath &name,
                                        const MpIdScope &scope) const;
  /// False if all announced paths are confirmed, so that no receiver can lack a node.
  [[nodiscard]] bool may_have_missing_nodes() const { return doubted_ != nullptr || !awaited_.empty(); }
  /// Returns the path that a message needs, if the message is certainly lost; else null. The receiver did not have the
  /// node when the path arrived. Two messages need a path: a call that contains it, and a spawn with the number of its
  /// spawner. Looks ahead.
  [[nodiscard]] const MpAnnouncedPath *find_missing_node(const MpPacket &packet, const MpMessage &message,
                                                         const MpIdScope &scope) const;
  /// Finds the path of such a spawner by its number, as of a position.
  [[nodiscard]] const MpAnnouncedPath *find_missing_node(const MpPacket &packet, std::uint32_t number,
                                                         const MpIdScope &scope, PacketPosition position) const;

 private:
  struct ConfirmationKey {
    // Null: a number was confirmed before its announcement was captured. position.packet is then the number.
    const MpAnnouncedPath *name;
    std::int32_t peer;
    PacketPosition position;

    auto operator<=>(const ConfirmationKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  // An announcement to a receiver that still has time to confirm it.
  struct Awaited {
    MpAnnouncedPath *name;
    std::int32_t receiver;
    std::int32_t sender;
  };
  // An overdue announcement, in a linked list with the newest first.
  struct Doubted {
    Awaited awaited;
    Doubted *next;
  };

  void record_announcement(const MpAnnouncedPath &name, const MpIdScope &scope, std::uint32_t number);
  void add_awaited(MpAnnouncedPath *name, const MpIdScope &scope);
  void add_doubted(const Awaited &awaited);
  void record_presence(std::string_view path, std::int32_t peer, PacketPosition position);
  [[nodiscard]] bool may_be_announced(const MpPacket &packet, const MpIdScope &scope, std::uint32_t number) const;
  [[nodiscard]] MpAnnouncedPath *find_announced(const MpIdScope &scope, std::string_view path,
                                                PacketPosition position) const;
  [[nodiscard]] MpAnnouncedPath *find_awaited(const MpPacket &packet, const MpMessage &message,
                                              const MpIdScope &scope) const;
  [[nodiscard]] std::optional<PacketPosition> confirmation(const MpAnnouncedPath &name, std::int32_t peer,
                                                           PacketPosition position) const;
  [[nodiscard]] bool is_explained(const MpAnnouncedPath &name, std::int32_t peer) const;
  [[nodiscard]] bool is_announced_to_absent_peer(const MpAnnouncedPath &name, std::int32_t peer) const;
  [[nodiscard]] bool may_be_confirmed_uncaptured(const MpPacket &packet, const MpAnnouncedPath &name,
                                                 const MpIdScope &scope) const;

  std::pmr::memory_resource *memory_;
  MpTexts &texts_;
  const MpDeliveryTracker &deliveries_;
  const MpPeers &peers_;
  Announcements<std::uint32_t, MpAnnouncedPath *> by_number_;
  Announcements<const MpTexts::Text *, MpAnnouncedPath *> by_text_;  // by path as in the packet
  PacketPosition last_announced_;                   // position of the newest announcement on this connection
  std::optional<PacketPosition> named_since_;       // position of the first announcement with MpNames::has_list()
  SortedMap<ConfirmationKey, bool> confirmations_;  // value: true if the checksum is right. Stores changes only
  std::list<Awaited> awaited_;                      // announcements without a known confirmation; the newest at the end
  // Overdue announcements, and announcements with a late call. The newest is first.
  Doubted *doubted_ = nullptr;
  std::size_t doubted_count_ = 0;
};

}  // namespace godot_codec
