// SPDX-License-Identifier: MIT
/// @file
/// Which node a number stands for: the paths that peers have told one another, who was told, and who has confirmed.
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

/// After twice a round trip a path that was told should be confirmed; where none was measured, after this long.
inline constexpr std::int64_t mp_confirmation_wait = 1'000'000'000;
/// But no sooner than this: Godot confirms only once in each frame, while ENet's acknowledgements, which show the round
/// trip time, may be sent at once.
inline constexpr std::int64_t mp_least_confirmation_wait = 100'000'000;
/// Messages that follow a path within this time arrive with it: the receiver's engine handles them in the same frame,
/// in which it does not find the node. It may find the node for later calls, because those name the whole path.
inline constexpr std::int64_t mp_path_burst = 1'000'000;
/// A path's node and so many levels above it are compared with spawned nodes.
inline constexpr unsigned mp_levels_above = 8;

/// The path that a path id was said to stand for.
struct MpName {
  std::string_view text;      ///< the path; valid UTF-8, control characters escaped, a zero behind it
  std::string_view md5;       ///< Godot 4: the MD5 of the node's methods; a zero behind it
  PacketPosition defined;     ///< when it was said
  std::int64_t time = 0;      ///< the capture's time when it was said
  std::int64_t patience = 0;  ///< a confirmation should have come within this time
  MpName *first = nullptr;    ///< the first definition of this name for this number; itself if it is the first
  bool is_called = false;     ///< calls with the whole path follow
  bool is_spawner = false;    ///< spawns name its number
  bool is_used = false;       ///< Godot 4: its number was sent without the path, which a sender does only after a
                              ///< confirmation
  std::optional<PacketPosition> confirmed;  ///< only set in `first`: when any peer first confirmed it
  /// The first call that still has the whole path long after that was announced and delivered; looks ahead: see
  /// is_never_confirmed(). Packet 0: there is none.
  PacketPosition late_call;
  /// The first message of the connection after the time in which the receiver should have confirmed. Packet 0: there is
  /// none.
  PacketPosition overdue;
  /// The first message that shows that the receiver, which may not have confirmed, has the node or one below. Packet 0:
  /// there is none.
  PacketPosition present;
  /// The despawn of the node, if it crossed with the announcement. Packet 0: there is none.
  PacketPosition despawned;
};

/// An announcement of a path id, and the peer that it was for.
struct MpTelling {
  const MpName *name = nullptr;   ///< null: no other peer got it
  std::int32_t receiver = 0;      ///< the peer's id; 0 if it is not known
  const MpName *later = nullptr;  ///< the announcement that the receiver of a message gets after the message, if any
};

/// A node whose path was announced.
struct AnnouncedNode {
  std::string_view path;  ///< from the root of the multiplayer, control characters escaped
  std::string_view md5;   ///< MD5 of its methods; empty: not announced
};

/// The nodes whose paths the peers of a game have announced so far. They show which scene a node belongs to.
class AnnouncedNodes {
 public:
  explicit AnnouncedNodes(std::pmr::memory_resource *memory) : md5s_(memory) {}

  void add(const MpTexts::Text *path, std::string_view md5);

  /// Returns the MD5 of the methods of a node; empty: not announced.
  [[nodiscard]] std::string_view md5_of(std::string_view path) const;
  /// Writes the first nodes below a node, by path. @returns how many were written
  std::size_t below(std::string_view path, std::span<AnnouncedNode> nodes) const;
  /// Returns a number that changes with each addition.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  SortedMap<MpTexts::Key, std::string_view> md5s_;  // the newest MD5 by the path of the node
  std::uint64_t version_ = 0;
};

/// The node paths that peers announced on one connection, with the numbers (path ids) that stand for them.
class MpPaths {
 public:
  /// State that the connections of the clients of one server share.
  struct Shared {
    explicit Shared(std::pmr::memory_resource *memory) : announcements(memory), nodes(memory) {}

    struct AnnouncementKey {
      std::int32_t sender;
      std::uint32_t number;
      PacketPosition moment;

      auto operator<=>(const AnnouncementKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
    };

    SortedMap<AnnouncementKey, MpTelling> announcements;  // of numbers, on all connections
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

  // ---- learning

  /// @returns what was announced
  MpName &learn_path(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_confirmation(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  /// Learns a call. If it has the whole path long after that was announced, the path was not confirmed in time.
  void learn_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  /// A message used a number alone instead of a path, so its sender has got the listener's confirmation. That always
  /// holds for calls and syncs of Godot 4 (SceneCacheInterface::send_object_cache).
  void learn_use(const MpPacket &packet, const MpNumbering &numbering, std::uint32_t number);
  /// A spawn shows which number is a spawner's, and that its node exists at both ends.
  void learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  /// A peer has sent, or got, a despawn of a node that the other one may be calling just now.
  void learn_despawn(const MpPacket &packet, std::string_view node, const MpNumbering &numbering);
  /// Learns from the time of any message which confirmations are overdue.
  void learn_overdue(const MpPacket &packet);

  // ---- asking: which path

  /// Finds the path that a path id stands for, as announced to the listener, or, if it is not known to have been told,
  /// to anybody on this connection. Null if nobody was told.
  [[nodiscard]] const MpName *find(const MpNumbering &numbering, std::uint32_t number, PacketPosition moment) const;
  /// The newest definition of a path, found in the same way.
  [[nodiscard]] const MpName *find(const MpNumbering &numbering, std::string_view path, PacketPosition moment) const;
  /// The earliest definition of a path that comes after a moment: calls on another channel may overtake it. Looks
  /// ahead. @returns null if there is none
  [[nodiscard]] const MpName *find_later(const MpNumbering &numbering, std::string_view path,
                                         PacketPosition moment) const;

  /// All nodes that the server and its clients have announced. Looks ahead: later packets add to them.
  [[nodiscard]] const AnnouncedNodes &told_nodes() const;
  /// True if a peer had announced, by a moment, a list of methods that is in the game which the names come from.
  [[nodiscard]] bool is_named_game(PacketPosition moment) const { return named_since_ && *named_since_ <= moment; }

  // ---- asking: who knows it

  /// Returns a value if the receiver of a message certainly lacks the path of a number when the message arrives: the
  /// connection began in the capture, which lacks nothing that may have announced it. The value has the announcement to
  /// another peer, if there was one. Looks ahead only for MpTelling::later.
  [[nodiscard]] std::optional<MpTelling> find_unannounced(const MpPacket &packet, const MpNumbering &numbering,
                                                          std::uint32_t number) const;
  /// True if a peer has confirmed a name; for everyone, or everyone but one, if any peer has.
  [[nodiscard]] bool is_confirmed(const MpName &name, std::int32_t peer, PacketPosition moment) const;
  /// When a peer said that its methods of the node differ, if that is the last it has said of the name by that moment.
  [[nodiscard]] std::optional<PacketPosition> checksum_failure(const MpName &name, std::int32_t peer,
                                                               PacketPosition moment) const;
  /// For a call of Godot 4 with the whole path: the path, if the listener was told of it so long ago that it should
  /// have confirmed it, and has not; else null. Looks ahead: a listener that confirms at last does not lack the node,
  /// and one that announces the same path itself has it from then on.
  [[nodiscard]] const MpName *find_unconfirmed(const MpPacket &packet, const MpMessage &message,
                                               const MpNumbering &numbering) const;
  /// The path that a call of Godot 4 names, or that a message announces, if the node's despawn crossed with the path;
  /// else null. Looks ahead.
  [[nodiscard]] const MpName *find_crossed(const MpPacket &packet, const MpMessage &message,
                                           const MpNumbering &numbering) const;
  /// True if the listener of a name never confirms it in the whole capture, though it was delivered long before
  /// messages that came later, or long before the transport heard the listener last. Looks ahead.
  /// @param packet the one that announced the name
  [[nodiscard]] bool is_never_confirmed(const MpPacket &packet, const MpName &name, const MpNumbering &numbering) const;
  /// False if all that was announced so far is confirmed, so that nobody lacks a node.
  [[nodiscard]] bool may_lack_nodes() const { return doubted_ != nullptr || !awaited_.empty(); }
  /// The path that a message needs, if the message is certainly lost because the node was missing when the path
  /// arrived: a call that was sent with the path, or a spawn, which names its spawner by a number that the receiver
  /// never gets. Looks ahead.
  [[nodiscard]] const MpName *find_lacking(const MpPacket &packet, const MpMessage &message,
                                           const MpNumbering &numbering) const;
  /// Finds such a spawner's path by its number, as of a moment.
  [[nodiscard]] const MpName *find_lacking(const MpPacket &packet, std::uint32_t number, const MpNumbering &numbering,
                                           PacketPosition moment) const;

 private:
  struct ConfirmationKey {
    const MpName *name;  // null: a number was confirmed before its announcement was captured; moment.packet then is the
                         // number
    std::int32_t peer;
    PacketPosition moment;

    auto operator<=>(const ConfirmationKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  // A listener that was told of a name and still has time to confirm it.
  struct Awaited {
    MpName *name;
    std::int32_t listener;
    std::int32_t owner;
  };
  // One whose time is over, and the one before.
  struct Doubted {
    Awaited awaited;
    Doubted *next;
  };

  void learn_telling(const MpName &name, const MpNumbering &numbering, std::uint32_t number);
  void await(MpName *name, const MpNumbering &numbering);
  void doubt(const Awaited &awaited);
  void learn_presence(std::string_view path, std::int32_t peer, PacketPosition moment);
  [[nodiscard]] bool may_be_told(const MpPacket &packet, const MpNumbering &numbering, std::uint32_t number) const;
  [[nodiscard]] MpName *find_told(const MpNumbering &numbering, std::string_view path, PacketPosition moment) const;
  [[nodiscard]] MpName *find_awaited(const MpPacket &packet, const MpMessage &message,
                                     const MpNumbering &numbering) const;
  [[nodiscard]] std::optional<PacketPosition> confirmation(const MpName &name, std::int32_t peer,
                                                           PacketPosition moment) const;
  [[nodiscard]] bool is_explained(const MpName &name, std::int32_t peer) const;
  [[nodiscard]] bool is_told_in_vain(const MpName &name, std::int32_t peer) const;
  [[nodiscard]] bool may_be_confirmed_uncaptured(const MpPacket &packet, const MpName &name,
                                                 const MpNumbering &numbering) const;

  std::pmr::memory_resource *memory_;
  MpTexts &texts_;
  const MpDeliveryTracker &deliveries_;
  const MpPeers &peers_;
  Announcements<std::uint32_t, MpName *> by_number_;
  Announcements<const MpTexts::Text *, MpName *> by_text_;  // by the text in the packet
  PacketPosition last_told_;                                // when a path was announced last, to anybody here
  std::optional<PacketPosition> named_since_;               // MpNames::has_list() of what was said
  SortedMap<ConfirmationKey, bool> confirmations_;          // is the checksum right? Stores changes only
  std::list<Awaited> awaited_;  // told, and not known to be confirmed; the newest at the end
  Doubted *doubted_ = nullptr;  // overdue, or a call went on with it; the newest first
  std::size_t doubted_count_ = 0;
};

}  // namespace godot_codec
