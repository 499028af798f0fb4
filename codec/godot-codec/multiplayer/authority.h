// SPDX-License-Identifier: MIT
/// @file
/// Authority over nodes: who acts as a node's authority, and which id that proves an end to have.
///
/// The wire names no authority. Only a node's authority sends its values and calls some of its methods, and where a
/// node is that a synchronizer or a spawner speaks for, the names of the game's project say.
#pragma once

#include <compare>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/nodes.h"
#include "godot-codec/multiplayer/paths.h"
#include "godot-codec/multiplayer/peers.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/texts.h"

namespace godot_codec {

/// Who owns a node, seen from one peer.
enum class MpOwner : std::uint8_t { peer, another, unknown };

/// Authority over nodes, as one connection shows it. Nothing is learned without names. All answers look ahead.
class MpAuthority {
 public:
  /// Knowledge that the connections of one server's clients share.
  class Shared {
   public:
    explicit Shared(std::pmr::memory_resource *memory) : callers_(memory) {}

   private:
    friend class MpAuthority;

    struct Caller {
      std::int64_t number = 0;  // MpPeers::number_of() of the first caller
      bool is_only_one = true;
      bool has_server = false;  // one of them is the server
      std::int64_t last = 0;    // number of the last caller
      std::int64_t last_time = 0;
      std::uint32_t turns = 0;  // how often a caller followed another one within a second
    };

    SortedMap<MpTexts::Key, Caller> callers_;  // callers of methods for the authority, by the node's path
  };

  MpAuthority(std::pmr::memory_resource *memory, MpTexts &texts, const MpPeers &peers, const MpPaths &paths,
              const MpNodes &nodes)
      : texts_(texts), peers_(peers), paths_(paths), nodes_(nodes), holders_(memory), synchronizers_(memory) {}

  // ---- learning, from packets with names

  void learn_call(const MpPacket &packet, const MpMethod &method, std::int32_t caller);
  /// Learns of a call that only the node's authority may make.
  void learn_caller(const MpPacket &packet, std::string_view path, std::int32_t caller);
  /// @param spawner the path of the node's spawner; empty: not known
  void learn_spawn(const MpPacket &packet, std::string_view spawner) { learn_end(packet, spawner); }
  /// Learns who sends the values of a synchronizer. @param object one of a sync or delta
  void learn_values(const MpPacket &packet, const MpFields &object, const MpNumbering &numbering);

  // ---- asking

  /// True if a peer is the only one that sends values of a node, or of the nearest one above it that has any. A peer
  /// that sends a synchronizer's values has authority over the synchronizer and the nodes below; and over its root, if
  /// nobody else sends values for that.
  /// @param path the node's path in the packet
  [[nodiscard]] bool is_only_authority(std::int32_t peer, std::string_view path) const;
  /// True if a peer alone sends the values of a node, or of the nearest node above it that has any, again and again,
  /// although the game's scripts give that node to another peer: something other than these scripts has moved the
  /// authority.
  [[nodiscard]] bool is_against_project(std::int32_t peer, std::string_view path) const;
  /// Tells if @p peer owns a node where scripts give authority away. It does if it alone sends the node's values, or
  /// alone calls its methods that are for the authority, or alone sends values of the node above it. If the server and
  /// others call these in turns, again and again, the server owns it.
  [[nodiscard]] MpOwner owner_of(std::int32_t peer, std::string_view path, PacketPosition moment) const;
  /// True if several peers make calls in turns, again and again, that only the node's authority may make.
  [[nodiscard]] bool has_rivals(std::string_view path) const;
  /// The id of an end, where neither is known to be the server: the game's scripts may prove who has authority over
  /// what it sends. 0: not known
  [[nodiscard]] std::int32_t id_of_end(unsigned end) const { return end_ids_[end]; }

 private:
  // Peers that send values of a node.
  struct Holder {
    std::int32_t peer;
    bool is_only_one = true;
    bool is_against_project = false;
  };
  struct SynchronizerKey {
    const MpName *name;
    std::int32_t owner;

    auto operator<=>(const SynchronizerKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  struct Sent {
    std::uint32_t count = 0;
  };

  void learn_holder(std::string_view path, std::int32_t peer);
  void learn_contradiction(const MpPacket &packet, std::string_view path, std::int32_t peer);
  void learn_end(const MpPacket &packet, std::string_view path);
  void learn_spawned_values(const MpPacket &packet, std::uint32_t net_id, const MpNumbering &numbering);
  [[nodiscard]] const Holder *find_holder(std::string_view path) const;
  [[nodiscard]] const Shared::Caller *find_caller(std::string_view path) const;
  [[nodiscard]] bool is_only_caller(std::int32_t peer, std::string_view path, PacketPosition moment) const;

  MpTexts &texts_;
  const MpPeers &peers_;
  const MpPaths &paths_;
  const MpNodes &nodes_;
  SortedMap<const MpTexts::Text *, Holder> holders_;  // by the node's path
  SortedMap<SynchronizerKey, Sent> synchronizers_;    // those whose authority is in holders_
  std::int32_t end_ids_[2] = {};                      // by end, if neither is known to be the server
};

}  // namespace godot_codec
