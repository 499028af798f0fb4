// SPDX-License-Identifier: MIT
/// @file
/// Finds problems of a game that no single message shows, such as values that stop or peers that do not answer. The
/// session detects a problem on the first pass and reports it on the message that showed the problem.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/node_tracker.h"
#include "godot-codec/multiplayer/path_tracker.h"
#include "godot-codec/multiplayer/peer_tracker.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/text_pool.h"

namespace godot_codec {

/// The kind of a problem.
enum class MpProblemKind : std::uint8_t {
  authority_conflict,      ///< two peers alternately send the values of one synchronizer
  sync_stopped,            ///< the values of a node stop although the receiver still has the node
  authority_sync_stopped,  ///< a peer stops sending the values of a node, although the receiver has spawned the node
                           ///< for this peer and still has the node
  spawn_churn,             ///< nodes with the same name are spawned and despawned again and again
  call_flood,              ///< a method is called so often that the receiver can hardly handle the calls
  stall,                   ///< a side sent nothing for much longer than in any earlier pause
  calls_lost,              ///< unreliable calls are sent although many unreliable messages are lost
  values_lost,             ///< values of synchronizers are sent although a large share of unreliable messages is lost
  spawner_conflict,        ///< two peers alternately spawn nodes with one spawner
  no_sync,                 ///< a spawned scene has a synchronizer with properties to send, but no peer sends values
  unresponsive,            ///< a side receives messages but never sends a message
};

/// A detected problem.
struct MpProblem {
  MpProblemKind kind = MpProblemKind::unresponsive;
  PacketPosition position{};  ///< the message on which the problem is reported
  std::string_view node{};    ///< path or name of the node; empty if the problem concerns a side
  MpRoute peers{};            ///< the peer that causes the problem, and the other peer
  std::uint32_t count = 0;    ///< number of events so far: calls in the fullest second, spawns, or alternations
  std::int64_t duration = 0;  ///< stall, sync_stopped, authority_sync_stopped: in nanoseconds
  std::int64_t usual_interval =
      0;  ///< sync_stopped, authority_sync_stopped: earlier interval between values, in nanoseconds
  /// sync_stopped, authority_sync_stopped: the last values. unresponsive: the first message without an answer
  PacketPosition since{};
  bool is_withdrawn = false;  ///< true if later messages have disproved the problem
};

/// The problems on one connection. Later packets may change each result, because counts include all messages so far.
class MpProblemTracker {
  struct CompetingSenders;

 public:
  /// State that the connections of the clients of one server share.
  struct SharedState {
    explicit SharedState(std::pmr::memory_resource *memory) : value_senders(memory), spawn_senders(memory) {}

    SortedMap<const MpTextPool::Text *, CompetingSenders *> value_senders;  // by path of the synchronizer
    SortedMap<const MpTextPool::Text *, CompetingSenders *> spawn_senders;  // by path of the spawner
    bool has_conflict = false;
  };

  MpProblemTracker(std::pmr::memory_resource *memory, MpTextPool &texts, const MpPeerTracker &peers,
                   const MpPathTracker &paths, const MpNodeTracker &nodes)
      : memory_(memory),
        texts_(texts),
        peers_(peers),
        paths_(paths),
        nodes_(nodes),
        flows_(memory),
        call_rates_(memory),
        spawn_churns_(memory),
        running_flows_(memory),
        awaited_syncs_(memory),
        problems_(memory) {}

  // ---- updates

  /// True if so many messages are lost that a player notices lost calls.
  [[nodiscard]] static bool are_calls_lost(const UnreliableLosses &losses);
  /// True if so many messages are lost that the next values cannot replace lost values.
  [[nodiscard]] static bool are_values_lost(const UnreliableLosses &losses);

  /// Records the command of a packet. Must not be called for a relayed command.
  void record_message(const MpPacket &packet, const MpMessage &message);
  /// @param object an object of a sync or delta
  void record_values(const MpPacketItem &object);
  void record_call(const MpPacketItem &call);
  void record_spawn(const MpPacket &packet, MpSpawnedNode &spawn);
  void record_despawn(const MpPacket &packet, const MpSpawnedNode &spawn);

  // ---- queries

  /// Iterates over the problems that are reported on a message. Skips a problem if a capture gap may explain it.
  /// @param before the previous problem; null: returns the first problem
  /// @returns null after the last problem
  [[nodiscard]] const MpProblem *find(const MpPacket &packet, const MpProblem *before) const;
  /// Returns the authority conflict over an object of a message; null if there is no conflict at this packet.
  [[nodiscard]] const MpProblem *find_authority_conflict(const MpPacketItem &object) const;
  /// True if a side has never sent a message.
  [[nodiscard]] bool is_silent(unsigned end) const;
  /// True if a side has never sent a message, although it received a message that it should have answered.
  [[nodiscard]] bool is_unresponsive(unsigned end) const;

 private:
  // The period during which two peers alternately sent values.
  struct AuthorityConflict {
    MpProblem *problem = nullptr;
    PacketPosition begin;
    PacketPosition end;
  };
  // The values that one synchronizer sends to one receiver.
  struct ValueFlow {
    std::int64_t first_time = 0;
    std::int64_t last_time = 0;
    std::int64_t resumed_time = 0;  // time of the first value, or of the first value after a pause
    PacketPosition last_position;
    std::uint32_t value_count = 0;
    std::array<std::uint32_t, 16> hashes{};  // hashes of the newest values, as a ring buffer
    std::uint32_t hash_count = 0;
    unsigned sender_side = 0;                // the side that sends the values
    MpSpawnedNode *spawn = nullptr;          // the spawned node that has the synchronizer
    ValueFlow *sibling = nullptr;            // next flow of the same node
    std::string_view path;                   // path of the synchronizer, if `receiver_node` is set
    MpRoute peers{};                         // sender and receiver, if `receiver_node` is set
    MpSpawnedNode *receiver_node = nullptr;  // node, spawned by the receiver, that seems to own this synchronizer
    ValueFlow *equal_flow = nullptr;         // flow of `receiver_node` that had equal values
    AuthorityConflict *conflict = nullptr;   // conflict between this flow and `equal_flow`
    std::uint32_t equal_flow_count = 0;      // equal_flow->value_count at the last comparison
    std::uint32_t alternations = 0;  // number of values of this flow that alternated with values of `equal_flow`
    CompetingSenders *senders = nullptr;
    MpProblem *problem = nullptr;
  };
  // A spawned node without values, although its scene has values to send.
  struct AwaitedSync {
    MpSpawnedNode *spawn;
    MpProblem *problem = nullptr;
    bool is_over = false;
  };
  // The first two peers that send the values of a synchronizer, or spawn nodes with a spawner.
  struct CompetingSenders {
    std::string_view path;                // of the synchronizer or spawner
    std::array<std::int64_t, 2> peers{};  // MpPeerTracker::unique_number_of()
    std::array<std::int32_t, 2> ids{};
    std::array<std::int64_t, 2> last_times{};
    std::uint32_t sender_count = 0;
    std::uint32_t last_sender = 0;
    std::uint32_t alternations = 0;
    AuthorityConflict conflict;
  };
  struct CallRate {
    std::int64_t second_begin = 0;
    std::uint32_t call_count = 0;
    bool was_previous_second_full = false;  // true if the previous second was full
    MpProblem *problem = nullptr;
  };
  struct SpawnChurn {
    std::uint32_t spawn_count = 0;
    std::int64_t first_time = 0;
    MpProblem *problem = nullptr;
  };
  struct SideTraffic {
    std::uint32_t message_count = 0;
    std::uint32_t other_messages_since = 0;  // messages of the other side since the last message of this side
    std::int64_t last_time = 0;
    std::int64_t usual_pause = 0;
    PacketPosition first_announced;  // position of the first path that this side announced
    std::int64_t first_announced_time = 0;
    MpProblem *unresponsive_problem = nullptr;
    MpProblem *loss_problem = nullptr;
  };

  MpProblem *add_problem(MpProblemKind kind, const MpPacket &packet, std::string_view node, const MpRoute &peers);
  ValueFlow &find_or_add_flow(const MpPacketItem &object);
  void link_to_node(ValueFlow &flow, const MpPacketItem &object);
  void link_to_path(ValueFlow &flow, const MpPacketItem &object);
  void check_authority_conflict(ValueFlow &flow, const MpPacketItem &object, std::uint32_t hash);
  CompetingSenders &find_or_add_senders(SortedMap<const MpTextPool::Text *, CompetingSenders *> &all,
                                        std::string_view path);
  bool record_alternation(CompetingSenders &senders, const MpPacket &packet, std::int32_t sender,
                          std::int64_t within) const;
  void record_sender(CompetingSenders &senders, MpProblemKind kind, const MpPacket &packet, std::int32_t sender);
  [[nodiscard]] std::string_view path_of(const MpPacketItem &call) const;
  void check_lost_calls(const MpPacketItem &call);
  void check_lost_values(const MpPacket &packet, const MpMessage &message);
  void find_stopped_syncs(const MpPacket &packet);
  [[nodiscard]] static bool is_sender_active(const ValueFlow &flow, const MpPacket &packet);
  [[nodiscard]] static bool are_values_continued(const ValueFlow &flow, const MpPacket &packet);
  void find_missing_syncs(const MpPacket &packet);
  [[nodiscard]] bool is_synchronized(const MpSpawnedNode &spawn) const;
  void check_pause(SideTraffic &side, const MpPacket &packet);
  void check_response(const MpPacket &packet, const MpMessage &message);
  [[nodiscard]] bool may_be_disproved_uncaptured(const MpProblem &problem, const MpPacket &packet) const;

  std::pmr::memory_resource *memory_;
  MpTextPool &texts_;
  const MpPeerTracker &peers_;
  const MpPathTracker &paths_;
  const MpNodeTracker &nodes_;
  SortedMap<MpSynchronizerKey, ValueFlow *> flows_;
  SortedMap<std::uint64_t, CallRate> call_rates_;     // by hash of caller, receiver, node and method
  SortedMap<const char *, SpawnChurn> spawn_churns_;  // by name of the node
  std::pmr::vector<ValueFlow *> running_flows_;       // flows of nodes that exist
  std::pmr::vector<AwaitedSync> awaited_syncs_;       // newest first
  std::pmr::deque<MpProblem> problems_;               // in capture order
  std::array<SideTraffic, 2> sides_{};                // by side
};

}  // namespace godot_codec
