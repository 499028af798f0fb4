// SPDX-License-Identifier: MIT
/// @file
/// Which nodes are there: those that spawners have made, who was told of them, and their net ids.
///
/// Rules: Godot 4's modules/multiplayer/scene_replication_interface.cpp.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <optional>
#include <string_view>

#include "godot-codec/core/budget.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/announcements.h"
#include "godot-codec/multiplayer/delivery.h"
#include "godot-codec/multiplayer/paths.h"
#include "godot-codec/multiplayer/peers.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/texts.h"

namespace godot_codec {

/// A spawned node, as one receiver was told of it.
struct MpSpawn {
  std::string_view name;      ///< see MpName::text
  std::uint32_t spawner = 0;  ///< path id of the spawner, one of the owner's: see MpNodes::spawner_of()
  std::int32_t owner = 0;
  std::int32_t listener = 0;
  std::uint8_t scene = 0;
  std::uint32_t synchronizers = 0;  ///< that came with it
  std::uint32_t values = 0;         ///< that came with it, once someone has names for them
  std::string_view types;           ///< and theirs: MpTypes::text()
  bool has_values_after = false;    ///< once someone has names: its owner has sent values after the spawn
  PacketPosition spawned;
  std::optional<PacketPosition> despawned;
  std::int64_t spawned_time = 0;
  bool is_written_by_others = false;  ///< another peer sends values for what is below it
  void *flow = nullptr;               ///< for MpCauses: the newest synchronizer that sends values
  std::int64_t despawned_time = 0;    ///< the capture's time; where despawned
  /// Set when it became clear that one of its synchronizers is sent to other clients but not to this one, so far; looks
  /// ahead. Packet 0: it is not so.
  PacketPosition unsynchronized;
  std::uint32_t unsynchronized_place = 0;  ///< which synchronizer, from 0
};

/// The node that a net id stands for: a spawned node, or one of its synchronizers.
struct MpNode {
  static constexpr std::uint32_t itself = std::numeric_limits<std::uint32_t>::max();

  MpSpawn *spawn = nullptr;
  std::uint32_t place = itself;  ///< which synchronizer, from 0
};

/// Tells if the receiver has the node of a net id.
struct MpPresence {
  enum class State : std::uint8_t {
    present,
    gone,      ///< the receiver was told that the node is despawned
    not_told,  ///< the receiver, whose connection began in the capture, was not told of it, so far
    uncertain  ///< for several receivers, or one who may have been told what is not in the capture
  };
  State state = State::uncertain;
  PacketPosition moment;  ///< gone: when it was despawned; not_told: when it will be spawned (looks ahead), packet 0 if
                          ///< never
  /// The state is not merely that of a message which has overtaken another one, or was overtaken.
  bool is_lasting = false;
};

/// The nodes that were spawned on one connection.
class MpNodes {
 public:
  MpNodes(std::pmr::memory_resource *memory, Budget &budget, MpTexts &texts, const MpDeliveryTracker &deliveries,
          const MpPeers &peers, const MpPaths &paths)
      : memory_(memory),
        budget_(budget),
        texts_(texts),
        deliveries_(deliveries),
        peers_(peers),
        paths_(paths),
        by_net_id_(memory),
        by_name_(memory) {}

  // ---- learning

  MpSpawn &learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  /// @returns the node, if it has gone now; else null
  const MpSpawn *learn_despawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);

  // ---- asking

  /// Finds the node that a net id stands for, like MpPaths::find(); also one that is gone; null if nobody was told.
  [[nodiscard]] const MpNode *find(const MpNumbering &numbering, std::uint32_t net_id, PacketPosition moment) const;
  /// The newest spawn of a node of a name, of which the listener was told; null if there is none.
  [[nodiscard]] MpSpawn *find_newest(const MpNumbering &numbering, std::string_view name, PacketPosition moment) const;
  /// Finds a spawned node of a name, of which the listener was told and that is not despawned; null if there is none.
  [[nodiscard]] MpSpawn *find_spawned(const MpNumbering &numbering, std::string_view name, PacketPosition moment) const;
  /// The despawn of a path's node, or of one above it, that one of two peers got from another peer than the caller, no
  /// longer before @p time than @p within. Packet 0: there is none.
  [[nodiscard]] PacketPosition last_despawn(std::string_view path, const MpNumbering &call, std::int64_t time,
                                            std::int64_t within) const;
  [[nodiscard]] MpPresence presence(const MpPacket &packet, const MpNumbering &numbering, std::uint32_t net_id) const;
  /// The path of a spawned node's spawner; empty: not known.
  [[nodiscard]] std::string_view spawner_of(const MpSpawn &spawn) const;

 private:
  struct SpawnName {
    const MpTexts::Text *name;
    std::int32_t owner;
    std::int32_t listener;

    auto operator<=>(const SpawnName &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };

  std::pmr::memory_resource *memory_;
  Budget &budget_;
  MpTexts &texts_;
  const MpDeliveryTracker &deliveries_;
  const MpPeers &peers_;
  const MpPaths &paths_;
  Announcements<std::uint32_t, const MpNode *> by_net_id_;
  SortedMap<SpawnName, MpSpawn *> by_name_;  // the newest
};

}  // namespace godot_codec
