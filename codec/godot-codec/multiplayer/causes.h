// SPDX-License-Identifier: MIT
/// @file
/// Faults of a game that last longer than a message: habits of its peers that no single message shows. Each is found
/// while the session learns, and reported on the message that showed it.
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

/// Habits that keep a game from working.
enum class MpFault : std::uint8_t {
  two_senders,   ///< two peers send the values of one synchronizer, in turns
  values_end,    ///< a node's values end for a receiver who has the node
  owner_ends,    ///< a peer sends no more values of a node that the receiver has spawned for it, and still has
  short_lives,   ///< a node of one name is spawned and despawned over and over
  flood,         ///< a method is called so often that the receiver can hardly keep up
  stood_still,   ///< a side said nothing for much longer than it ever did
  calls_lost,    ///< unreliable calls, where many unreliable messages do not come
  values_lost,   ///< values of synchronizers, of which a good part does not come
  two_spawners,  ///< two peers spawn by one spawner, in turns
  nobody_sends,  ///< a spawned node has a synchronizer, by its scene, of which no peer sends values
  mute,          ///< a side takes what is sent, and never says anything
};

/// A fault that was found.
struct MpCause {
  MpFault fault = MpFault::mute;
  PacketPosition moment{};    ///< the message that it is reported on
  std::string_view what{};    ///< the path or name of the node; empty if the fault is about a side
  std::int32_t first = 0;     ///< who does it, as in MpRoute
  std::int32_t second = 0;    ///< the other peer, in the same form
  std::uint32_t count = 0;    ///< how often so far: calls in the fullest second, lives, syncs
  std::int64_t time = 0;      ///< stood_still, values_end, owner_ends: how long, in nanoseconds
  std::int64_t usual = 0;     ///< values_end, owner_ends: between values before, in nanoseconds
  PacketPosition since{};     ///< values_end, owner_ends, mute: the last sign of the contrary, or the first message
  bool is_withdrawn = false;  ///< later messages have shown that it is no fault
};

/// The faults that one connection shows. All answers look ahead: counts are of all that was learned.
class MpCauses {
  struct Writers;

 public:
  /// Knowledge that the connections of one server's clients share.
  class Shared {
   public:
    explicit Shared(std::pmr::memory_resource *memory) : writers_(memory), spawners_(memory) {}

   private:
    friend class MpCauses;

    SortedMap<const MpTexts::Text *, Writers *> writers_;   // by the synchronizer's path
    SortedMap<const MpTexts::Text *, Writers *> spawners_;  // by the spawner's path
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

  // ---- learning

  /// True if a player notices that so much gets lost.
  [[nodiscard]] static bool are_many(const UnreliableLosses &losses);
  /// True if so much gets lost that values which come again cannot make up for it.
  [[nodiscard]] static bool are_too_many(const UnreliableLosses &losses);

  /// A packet's own command.
  void learn_message(const MpPacket &packet, const MpMessage &message);
  /// @param object one of a sync's or delta's
  void learn_values(const MpPacket &packet, const MpMessage &message, const MpObject &object,
                    const MpNumbering &numbering);
  void learn_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_spawn(const MpPacket &packet, MpSpawn &spawn);
  void learn_despawn(const MpPacket &packet, const MpSpawn &spawn);

  // ---- asking

  /// Returns one after the other the faults that are reported on a packet's message. Leaves out those that a gap in the
  /// capture may explain.
  /// @param before null: returns the first fault; else the one after it
  [[nodiscard]] const MpCause *find(const MpPacket &packet, const MpCause *before) const;
  /// Two peers that both send the values of an object of a message; null: they do not, by then or any more.
  [[nodiscard]] const MpCause *rivalry(const MpPacket &packet, MpCommand command, const MpFields &object,
                                       const MpNumbering &numbering) const;
  /// True if an end has never sent a message.
  [[nodiscard]] bool is_silent(unsigned end) const;
  /// True if an end of unknown id has never sent a message, though it acknowledged what it got.
  [[nodiscard]] bool is_mute(unsigned end) const;

 private:
  struct FlowKey {
    std::int32_t owner;
    std::int32_t listener;
    std::uint32_t id;  // bit 31: a path id

    auto operator<=>(const FlowKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  // When two peers have sent values one after the other.
  struct Rivalry {
    MpCause *cause = nullptr;
    PacketPosition first;
    PacketPosition last;
  };
  // The values of one synchronizer for one receiver.
  struct Flow {
    std::int64_t first_time = 0;
    std::int64_t last_time = 0;
    std::int64_t resumed_time = 0;  // when it began, or went on after a pause
    PacketPosition last;
    std::uint32_t count = 0;
    std::array<std::uint32_t, 16> hashes{};  // hashes of the newest values
    std::uint32_t hash_count = 0;
    unsigned end = 0;          // that sends them
    MpSpawn *spawn = nullptr;  // the node that it came with
    Flow *sibling = nullptr;   // the next flow of that node, or in the list of awaited_
    std::string_view path;     // path of a synchronizer of the rival's node
    std::int32_t owner = 0;
    std::int32_t listener = 0;
    MpSpawn *rival = nullptr;    // a node that the receiver has spawned, and of which this seems to be a synchronizer
    Flow *alike = nullptr;       // the rival's flow that has had the same values
    Rivalry *rivalry = nullptr;  // between this flow and `alike`
    std::uint32_t alike_count = 0;  // alike->count when the two were compared last
    std::uint32_t turns = 0;        // values of this flow that came in turns with those of `alike`
    bool is_awaited = false;        // no values have come so far, though the node's scene has some to send
    Writers *writers = nullptr;
    MpCause *cause = nullptr;
  };
  // The peers that send a synchronizer's values by its path.
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
    bool was_full = false;  // true if the second before was full
    MpCause *cause = nullptr;
  };
  struct Lives {
    std::uint32_t count = 0;
    std::int64_t since = 0;
    MpCause *cause = nullptr;
  };
  struct SideOfTalk {
    std::uint32_t messages = 0;
    std::uint32_t others_since = 0;  // messages of the other side since its last one
    std::int64_t last_time = 0;
    std::int64_t usual_pause = 0;
    PacketPosition first_told;  // a path that it told
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
  SortedMap<std::uint64_t, Calls> calls_;               // by what is hashed of caller, node and method
  SortedMap<const char *, Lives> lives_;                // by the node's name
  std::pmr::vector<Flow *> running_;                    // flows of nodes that are there
  std::pmr::deque<MpCause> causes_;                     // in the order of the capture
  SortedMap<PacketPosition, std::uint32_t> by_moment_;  // the first one's index
  Flow *awaited_ = nullptr;                             // the newest of nodes whose values have not come
  std::uint32_t awaited_count_ = 0;
  std::array<SideOfTalk, 2> sides_{};  // by end
};

}  // namespace godot_codec
