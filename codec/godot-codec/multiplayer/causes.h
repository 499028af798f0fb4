// SPDX-License-Identifier: MIT
/// @file
/// Finds problems of a game that no single message shows, such as values that end or peers that do not answer. The
/// session detects them on the first pass and reports each on the message that showed it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/delivery.h"
#include "godot-codec/multiplayer/nodes.h"
#include "godot-codec/multiplayer/paths.h"
#include "godot-codec/multiplayer/peers.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/texts.h"

namespace godot_codec {

/// The kind of a problem.
enum class MpFault : std::uint8_t {
  two_senders,   ///< two peers alternately send the values of one synchronizer
  values_end,    ///< the values of a node end although the receiver still has the node
  owner_ends,    ///< a peer stops sending values of a node that the receiver spawned for the peer and still has
  short_lives,   ///< nodes of one name are spawned and despawned again and again
  flood,         ///< a method is called so often that the receiver can hardly keep up
  stood_still,   ///< a side sent nothing for much longer than in any earlier pause
  calls_lost,    ///< unreliable calls are sent although many unreliable messages are lost
  values_lost,   ///< values of synchronizers are sent although a large share of unreliable messages is lost
  two_spawners,  ///< two peers alternately spawn nodes with one spawner
  nobody_sends,  ///< a spawned scene has a synchronizer with properties to send, but no peer sends its values
  mute,          ///< a side receives messages and never sends any
};

/// A detected problem.
struct MpCause {
  MpFault fault = MpFault::mute;
  PacketPosition moment{};    ///< the message that the problem is reported on
  std::string_view what{};    ///< path or name of the node; empty if the problem concerns a side
  std::int32_t first = 0;     ///< the peer that causes the problem, as in MpRoute
  std::int32_t second = 0;    ///< the other peer, as in MpRoute
  std::uint32_t count = 0;    ///< number so far: calls in the fullest second, spawns, syncs
  std::int64_t time = 0;      ///< stood_still, values_end, owner_ends: duration, in nanoseconds
  std::int64_t usual = 0;     ///< values_end, owner_ends: earlier interval between values, in nanoseconds
  PacketPosition since{};     ///< values_end, owner_ends: the last values; mute: the first message without an answer
  bool is_withdrawn = false;  ///< true if later messages have disproved the problem
};

/// The problems on one connection. All answers look ahead: counts include everything recorded so far.
class MpCauses {
  struct Writers;

 public:
  /// State that the connections of the clients of one server share.
  class Shared {
   public:
    explicit Shared(std::pmr::memory_resource *memory) : writers_(memory), spawners_(memory) {}

   private:
    friend class MpCauses;

    SortedMap<const MpTexts::Text *, Writers *> writers_;   // by path of the synchronizer
    SortedMap<const MpTexts::Text *, Writers *> spawners_;  // by path of the spawner
    bool has_rivals_ = false;
  };

  MpCauses(std::pmr::memory_resource *memory, MpTexts &texts, const MpDeliveryTracker &deliveries, const MpPeers &peers,
           const MpPaths &paths, const MpNodes &nodes)
      : memory_(memory),
        texts_(texts),
        deliveries_(deliveries),
        peers_(peers),
        paths_(paths),
        nodes_(nodes),
        flows_(memory),
        calls_(memory),
        lives_(memory),
        running_(memory),
        causes_(memory),
        by_moment_(memory) {}

  // ---- updates

  /// True if the losses are large enough that a player notices lost calls.
  [[nodiscard]] static bool are_many(const UnreliableLosses &losses);
  /// True if the losses are too large to be made up by the next values.
  [[nodiscard]] static bool are_too_many(const UnreliableLosses &losses);

  /// Records the command of a packet, not a relayed command.
  void learn_message(const MpPacket &packet, const MpMessage &message);
  /// @param object an object of the sync or delta
  void learn_values(const MpPacket &packet, const MpMessage &message, const MpObject &object,
                    const MpNumbering &numbering);
  void learn_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_spawn(const MpPacket &packet, MpSpawn &spawn);
  void learn_despawn(const MpPacket &packet, const MpSpawn &spawn);

  // ---- queries

  /// Iterates over the problems that are reported on a message of a packet. Skips problems that a capture gap may
  /// explain.
  /// @param before the previous problem; null: returns the first problem
  /// @returns null after the last problem
  [[nodiscard]] const MpCause *find(const MpPacket &packet, const MpCause *before) const;
  /// Returns the authority conflict over an object of a message; null if there is no conflict at this packet.
  [[nodiscard]] const MpCause *rivalry(const MpPacket &packet, MpCommand command, const MpFields &object,
                                       const MpNumbering &numbering) const;
  /// True if an end has never sent a message.
  [[nodiscard]] bool is_silent(unsigned end) const;
  /// True if an end without a known id has never sent a message, although it acknowledged what it received.
  [[nodiscard]] bool is_mute(unsigned end) const;

 private:
  struct FlowKey {
    std::int32_t owner;
    std::int32_t listener;
    std::uint32_t id;  // bit 31 is set: path id; else net id

    auto operator<=>(const FlowKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  // The period in which two peers sent values alternately.
  struct Rivalry {
    MpCause *cause = nullptr;
    PacketPosition first;
    PacketPosition last;
  };
  // The values of one synchronizer for one receiver.
  struct Flow {
    std::int64_t first_time = 0;
    std::int64_t last_time = 0;
    std::int64_t resumed_time = 0;  // time of the first value, or of the first value after a pause
    PacketPosition last;
    std::uint32_t count = 0;
    std::array<std::uint32_t, 16> hashes{};  // hashes of the newest values, as a ring buffer
    std::uint32_t hash_count = 0;
    unsigned end = 0;          // the end that sends the values
    MpSpawn *spawn = nullptr;  // the node that the synchronizer was spawned with
    Flow *sibling = nullptr;   // next flow of the same node; for an awaited flow, next entry of awaited_
    std::string_view path;     // path of the synchronizer, if `rival` is set
    std::int32_t owner = 0;
    std::int32_t listener = 0;
    MpSpawn *rival = nullptr;       // node spawned by the receiver that this synchronizer seems to belong to
    Flow *alike = nullptr;          // flow of `rival` that had equal values
    Rivalry *rivalry = nullptr;     // conflict between this flow and `alike`
    std::uint32_t alike_count = 0;  // alike->count at the last comparison
    std::uint32_t turns = 0;        // number of values of this flow that alternated with values of `alike`
    bool is_awaited = false;        // true if no values have arrived, although the scene of the node has values to send
    Writers *writers = nullptr;
    MpCause *cause = nullptr;
  };
  // The first two peers that send the values of a synchronizer (or nodes of a spawner), by its path.
  struct Writers {
    std::array<std::int64_t, 2> numbers{};  // MpPeers::number_of()
    std::array<std::int32_t, 2> ids{};
    std::array<std::int64_t, 2> last_times{};
    std::uint32_t known = 0;
    std::uint32_t last = 0;
    std::uint32_t turns = 0;
    Rivalry rivalry;
    MpCause *cause = nullptr;
  };
  struct Calls {
    std::int64_t since = 0;
    std::uint32_t count = 0;
    bool was_full = false;  // true if the previous second was full
    MpCause *cause = nullptr;
  };
  struct Lives {
    std::uint32_t count = 0;
    std::int64_t since = 0;
    MpCause *cause = nullptr;
  };
  struct SideOfTalk {
    std::uint32_t messages = 0;
    std::uint32_t others_since = 0;  // messages of the other side since the last message of this side
    std::int64_t last_time = 0;
    std::int64_t usual_pause = 0;
    PacketPosition first_told;  // position of the first path announced by this side
    std::int64_t first_told_time = 0;
    MpCause *mute = nullptr;
    MpCause *lost = nullptr;
  };

  MpCause *add(MpFault fault, const MpPacket &packet, std::string_view what, std::int32_t first, std::int32_t second);
  Flow &flow_of(const MpPacket &packet, const MpFields &object, const MpNumbering &numbering);
  void begin_with_node(Flow &flow, const MpPacket &packet, std::uint32_t net_id, const MpNumbering &numbering);
  void begin_with_path(Flow &flow, const MpPacket &packet, std::uint32_t number, const MpNumbering &numbering);
  void learn_rival(Flow &flow, const MpPacket &packet, const MpNumbering &numbering, std::uint32_t hash,
                   std::uint32_t number);
  static bool is_turn(Writers &writers, std::int64_t peer, std::int32_t id, std::int64_t time, std::int64_t within);
  void learn_writer(Writers &writers, const MpPacket &packet, const MpNumbering &numbering, std::uint32_t number);
  [[nodiscard]] std::string_view path_of(const MpPacket &packet, const MpMessage &message,
                                         const MpNumbering &numbering) const;
  void learn_lost_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_lost_values(const MpPacket &packet, const MpMessage &message);
  void learn_ends(const MpPacket &packet);
  void learn_owners_end(Flow &flow, const MpPacket &packet);
  void learn_unsent(const MpPacket &packet);
  [[nodiscard]] bool is_written(const MpSpawn &spawn) const;
  void learn_pause(SideOfTalk &side, const MpPacket &packet);
  void learn_muteness(const MpPacket &packet, const MpMessage &message);
  [[nodiscard]] bool may_be_disproved_uncaptured(const MpCause &cause, const MpPacket &packet) const;

  std::pmr::memory_resource *memory_;
  MpTexts &texts_;
  const MpDeliveryTracker &deliveries_;
  const MpPeers &peers_;
  const MpPaths &paths_;
  const MpNodes &nodes_;
  SortedMap<FlowKey, Flow *> flows_;
  SortedMap<std::uint64_t, Calls> calls_;               // by hash of caller, receiver, node and method
  SortedMap<const char *, Lives> lives_;                // by name of the node
  std::pmr::vector<Flow *> running_;                    // flows of nodes that exist
  std::pmr::deque<MpCause> causes_;                     // in capture order
  SortedMap<PacketPosition, std::uint32_t> by_moment_;  // index of the first problem of each position
  Flow *awaited_ = nullptr;  // linked list (`sibling`) of flows without values; the newest is first
  std::uint32_t awaited_count_ = 0;
  std::array<SideOfTalk, 2> sides_{};  // by end
};

}  // namespace godot_codec
