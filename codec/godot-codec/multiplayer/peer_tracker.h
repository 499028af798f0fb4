// SPDX-License-Identifier: MIT
/// @file
/// The peers of a game: the id of the client of a connection, and the peers connected to the server.
///
/// In most captures, few clients get their ids. Two kinds of messages show the ids of other clients: relayed commands
/// of the server, and the server's announcements of peers to a new client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string_view>

#include "godot-codec/core/history.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/multiplayer/relay_cache.h"
#include "godot-codec/multiplayer/route.h"

namespace godot_codec {

/// How far one side got in the authentication of the connection (SceneMultiplayer::auth_callback). Packet 0: not
/// reached. A side that requires authentication drops all other commands until this side has called complete_auth().
struct MpAuthentication {
  PacketPosition first_command;        ///< first authentication command of this side: custom payload or complete_auth()
  PacketPosition completed_at;         ///< complete_auth() of this side
  PacketPosition first_other_command;  ///< first other command of this side
};

/// The peers of a game, as observed on one connection.
class MpPeerTracker {
 public:
  /// State that the connections of the clients of one server share.
  struct SharedState {
    /// @param relay_memory memory that can be freed
    SharedState(std::pmr::memory_resource *memory, std::pmr::memory_resource *relay_memory)
        : relays(relay_memory), clients(memory), introductions(memory), peer_changes(memory) {}

    // The clients with an unknown id that received the announcement of a peer. If the count is 1, the sum of indices is
    // the index of the only client.
    struct Introduction {
      std::uint64_t count = 0;
      std::uint64_t index_sum = 0;
    };

    MpRelayCache relays;
    std::pmr::map<std::int32_t, MpConnection *> clients;      // by id
    std::pmr::map<std::int32_t, Introduction> introductions;  // by id of the announced peer
    std::size_t unidentified_clients = 0;                     // number of clients without a known id
    std::size_t active_clients = 0;                           // number of clients whose connection has a message
    PacketPosition several_clients_since;         // first message of the second client; packet 0: no such client
    HistoryMap<std::int32_t, bool> peer_changes;  // true if the peer is connected from then on
  };

  /// The connections of the session, and the index of this connection.
  struct ConnectionSlot {
    std::pmr::deque<MpConnection> *all;
    std::size_t index;
  };

  /// @param has_roles true: side 0 is the server; false: the server is not known
  MpPeerTracker(std::pmr::memory_resource *memory, const ConnectionSlot &slot, MpServerState &server,
                bool is_from_start, bool has_roles);

  // ---- updates

  /// See MpConnection::record_client_id().
  void record_client_id(std::int32_t id, PacketPosition position);
  void record_prefix(const MpPacket &packet, const MpPrefix &prefix);
  /// Updates the state from the command of a packet. Do not call it for relayed commands.
  void record_command(const MpPacket &packet, const MpMessage &message);
  /// Records which side is the server, and the state that the connections of this server share.
  void record_server(unsigned end, MpServerState &server);

  // ---- queries

  /// Returns the state that the connections of one server share.
  [[nodiscard]] MpServerState &server_state() const { return *server_state_; }
  /// True if it is known which side is the server.
  [[nodiscard]] bool has_roles() const { return server_side_ != no_side; }
  /// Returns the role of a side.
  [[nodiscard]] MpRole role_of(unsigned end) const;
  /// Returns the peer that represents the server in routes: its side of the connection, or mp_server if that side is
  /// not known.
  [[nodiscard]] std::int32_t server() const { return has_roles() ? mp_side(server_side_) : mp_server; }
  /// Returns the client's side of the connection. Must be called only if the roles are known.
  [[nodiscard]] std::int32_t client() const { return mp_side(1U - server_side_); }
  [[nodiscard]] bool is_client_id_known(PacketPosition position) const {
    return client_id_ != 0 && client_id_known_since_ <= position;
  }
  /// Returns the id of the client; 0 if the capture so far does not show the id.
  [[nodiscard]] std::int32_t client_id() const { return client_id_; }
  /// Returns the connection of another client of the server, by its id; null if the capture does not contain the
  /// connection.
  [[nodiscard]] const MpConnection *find_other_client(std::int32_t id) const;
  /// Returns the peer that represents an id in routes: a side of this connection, or otherwise the id.
  [[nodiscard]] std::int32_t peer_of(std::int32_t id, PacketPosition position) const;
  /// Returns the id of a peer; nullopt for a side with an unknown role, and for a client whose id is not known at this
  /// position.
  [[nodiscard]] std::optional<std::int32_t> id_of(std::int32_t peer, PacketPosition position) const;
  /// Returns a number that is unique among the peers of the server: the id, or a negative number for a side with an
  /// unknown id.
  [[nodiscard]] std::int64_t unique_number_of(std::int32_t peer, PacketPosition position) const;
  /// True if the server had two or more clients at a position. Its messages to different clients may look the same.
  [[nodiscard]] bool has_several_clients(PacketPosition position) const;
  /// Returns the position at which the server announced that a peer had disconnected. Returns nullopt if the peer is
  /// connected at @p position, or if the server did not mention the peer.
  [[nodiscard]] std::optional<PacketPosition> find_disconnect(std::int32_t peer, PacketPosition position) const;

  /// True if the capture contains the start of the connection.
  [[nodiscard]] bool is_from_start() const { return is_from_start_; }
  /// True if it was already known at a position that the capture contains the start of the connection.
  [[nodiscard]] bool is_from_start(PacketPosition position) const {
    return is_from_start_ && from_start_since_ <= position;
  }

  /// Returns how far a side got in the authentication of the connection. Later packets may change the result.
  [[nodiscard]] const MpAuthentication &authentication(unsigned end) const { return authentications_[end]; }

 private:
  static constexpr std::uint8_t no_side = 2;

  void count_client(PacketPosition position);
  void record_authentication(const MpPacket &packet, const MpMessage &message);
  void record_server_message(const MpMessage &message, std::string_view relayed, PacketPosition position);
  void record_server_relay(std::int32_t source, std::string_view command, PacketPosition position);
  void record_peer_change(const MpMessage &message, PacketPosition position);
  void record_announced_peer(std::int32_t id);
  void record_end_of_peer_list(PacketPosition position);
  [[nodiscard]] std::int32_t find_only_unidentified_peer() const;
  [[nodiscard]] MpConnection *own_connection() const;

  std::pmr::deque<MpConnection> *connections_;
  std::size_t connection_index_;
  MpServerState *server_state_;
  std::uint8_t server_side_ = no_side;
  bool is_from_start_;
  bool is_active_ = false;               // counted in SharedState::active_clients
  bool has_complete_peer_list_ = false;  // true if the client has the complete list of peers that connected earlier
  PacketPosition from_start_since_;      // position at which is_from_start_ was set
  std::int32_t client_id_ = 0;
  PacketPosition client_id_known_since_;
  std::pmr::set<std::int32_t> announced_peers_;  // peers announced to the client, as long as they may reveal its id
  MpAuthentication authentications_[2];          // by side
};

}  // namespace godot_codec
