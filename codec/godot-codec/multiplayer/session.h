// SPDX-License-Identifier: MIT
/// @file
/// The state of all multiplayer games of a capture.
///
/// Only the first pass updates a session, in capture order. Each query has a position and returns the state at this
/// position, so every pass gets the same answer. Comments say if later packets may change a result. All memory belongs
/// to the session and is freed with it. Memory grows with the number of messages, never by a value in a message: a
/// path, a spawned node, a synchronizer or a sync takes a few entries. A Budget limits all memory. Messages beyond the
/// limit are ignored.
///
/// A connection passes each message to its components. A component uses only components that come earlier in this list:
///
///     delivery_tracker.h    when messages are delivered
///     peer_tracker.h        ids and roles of the peers
///     path_tracker.h        announced paths, their receivers and confirmations
///     node_tracker.h        spawned nodes
///     authority_tracker.h   authority over nodes
///     sync_tracker.h        late syncs, and synchronizers without values
///     problem_tracker.h     problems that last longer than a message
///
/// A component stores the state of its connection. Its `SharedState` stores the state that the connections of one
/// server share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>

#include "godot-codec/core/memory_budget.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/multiplayer/authority_tracker.h"
#include "godot-codec/multiplayer/delivery_tracker.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/node_tracker.h"
#include "godot-codec/multiplayer/packet_reader.h"
#include "godot-codec/multiplayer/path_tracker.h"
#include "godot-codec/multiplayer/peer_tracker.h"
#include "godot-codec/multiplayer/problem_tracker.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/sync_tracker.h"
#include "godot-codec/multiplayer/text_pool.h"

namespace godot_codec {

/// State that the connections of the clients of one server share.
struct MpServerState {
  /// @param relay_memory memory that can be freed
  MpServerState(std::pmr::memory_resource *memory, std::pmr::memory_resource *relay_memory)
      : peers(memory, relay_memory), paths(memory), authority(memory), syncs(memory), problems(memory) {}

  MpPeerTracker::SharedState peers;
  MpPathTracker::SharedState paths;
  MpAuthorityTracker::SharedState authority;
  MpSyncTracker::SharedState syncs;
  MpProblemTracker::SharedState problems;
};

class MpSession;

/// A connection between a client and its server. Created by MpSession::add_connection().
class MpConnection {
 public:
  /// @param index index of the connection in the session
  MpConnection(MpSession &session, MpServerState &server, std::size_t index, bool is_from_start, bool has_roles,
               const MpTransmissionTrackers *transmissions);
  MpConnection(const MpConnection &) = delete;
  MpConnection &operator=(const MpConnection &) = delete;

  // ---- updates, on the first pass

  /// Records the id of the client, and the position from which the id is known. Only the first id is stored.
  void record_client_id(std::int32_t id, PacketPosition position) { peers_.record_client_id(id, position); }

  /// Records that a message was captured, whatever its content. Must be called once for each message, before any other
  /// update from this message.
  void record_sequence(const Message &message);

  /// Records that the capture lacks something that a side sent before a position.
  void record_capture_gap(unsigned end, PacketPosition position, std::int64_t time);

  /// Records which side is the server, if a message shows it. Only servers, or only clients, send certain messages.
  /// Must be called for each message between two WebRTC peers, before any other update. When the role becomes known,
  /// the connection is added to the current WebRTC game.
  void update_role(const Message &message);

  /// Updates the state from the prefix of a packet.
  void record_prefix(const MpPacket &packet, const MpPrefix &prefix);

  /// Updates the state from a command. Must be called once for the command of a packet, and once for the relayed
  /// command inside.
  /// @param is_relayed true if the command is in a relay
  void record_message(const MpPacket &packet, const MpMessage &message, const MpRoute &route, bool is_relayed);

  // ---- queries

  [[nodiscard]] const MpDeliveryTracker &deliveries() const { return deliveries_; }
  [[nodiscard]] const MpPeerTracker &peers() const { return peers_; }
  [[nodiscard]] const MpPathTracker &paths() const { return paths_; }
  [[nodiscard]] const MpNodeTracker &nodes() const { return nodes_; }
  [[nodiscard]] const MpAuthorityTracker &authority() const { return authority_; }
  [[nodiscard]] const MpSyncTracker &syncs() const { return syncs_; }
  [[nodiscard]] const MpProblemTracker &problems() const { return problems_; }

 private:
  void record_command(const MpPacketItem &message);
  void record_truncated_message(const MpPacket &packet, const MpMessage &message);
  void record_path(const MpPacketItem &message);
  void record_call(const MpPacketItem &call);
  void record_spawn(const MpPacketItem &message);
  void record_despawn(const MpPacketItem &message);
  void record_objects(const MpPacketItem &message);

  MpSession &session_;
  MemoryBudget::Share budget_share_;
  MpDeliveryTracker deliveries_;
  MpPeerTracker peers_;
  MpPathTracker paths_;
  MpNodeTracker nodes_;
  MpAuthorityTracker authority_;
  MpSyncTracker syncs_;
  MpProblemTracker problems_;
};

/// All games of a capture.
class MpSession {
 public:
  /// @param upstream source of all memory
  explicit MpSession(std::pmr::memory_resource *upstream = std::pmr::get_default_resource());
  MpSession(const MpSession &) = delete;
  MpSession &operator=(const MpSession &) = delete;

  /// Adds a connection of a client to a server. The reference stays valid.
  /// @param server a number that stands for the address and port of the server, chosen by the caller
  /// @param is_from_start true if the capture contains the start of the connection
  /// @param transmissions see MpDeliveryTracker; must outlive the session; null: the transport does not count
  /// transmissions
  /// @param has_roles true: side 0 is the server; false: later messages may show which side is the server
  MpConnection &add_connection(std::uint64_t server, bool is_from_start,
                               const MpTransmissionTrackers *transmissions = nullptr, bool has_roles = true);

  /// Returns the server of the current WebRTC game. WebRTC connections of one game have no common address. Must be
  /// called with the time of each WebRTC message.
  [[nodiscard]] MpServerState &current_webrtc_server(std::int64_t time);

  /// Returns the first message that was not recorded completely because the memory budget was exceeded. Packet 0: no
  /// such message.
  [[nodiscard]] PacketPosition first_over_memory_limit() const { return budget_.exhausted_at(); }

 private:
  friend class MpConnection;

  MemoryBudget budget_;
  std::pmr::monotonic_buffer_resource arena_;
  MemoryBudget::ChargedMemory memory_;  ///< freed only with the session
  MemoryBudget::ChargedMemory relay_memory_;
  MpTextPool texts_;
  std::pmr::map<std::uint64_t, MpServerState> servers_;
  std::pmr::deque<MpServerState> webrtc_servers_;
  std::int64_t webrtc_time_ = 0;  ///< capture time of the last WebRTC message
  std::pmr::deque<MpConnection> connections_;
};

/// Updates the session with a packet. Must be called once for each packet, in capture order.
void record_mp_packet(MpConnection &connection, const MpPacket &packet, const MpParsedPacket &reading);

}  // namespace godot_codec
