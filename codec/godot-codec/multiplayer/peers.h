// SPDX-License-Identifier: MIT
/// @file
/// The peers of a game: the id of the client of a connection, and the connected peers of the server.
///
/// In most captures, few clients are assigned an id in the capture. The ids of other clients follow from two kinds of
/// messages: commands that the server relays, and the peers that it announces to a new client.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string_view>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/relays.h"
#include "godot-codec/multiplayer/route.h"

namespace godot_codec {

/// How far one end got in the authentication of the connection (SceneMultiplayer::auth_callback). Packet 0: not
/// reached. An end that requires authentication drops all other commands until it has called complete_auth() itself.
struct MpAuthentication {
  PacketPosition first;        ///< first authentication command of the end: custom payload or complete_auth()
  PacketPosition completed;    ///< complete_auth() of the end
  PacketPosition first_other;  ///< first command of the end that is not an authentication
};

/// The peers of a game, as observed on one connection.
class MpPeers {
 public:
  /// State that the connections of the clients of one server share.
  class SharedState {
   public:
    /// @param relay_memory memory that can be freed
    SharedState(std::pmr::memory_resource *memory, std::pmr::memory_resource *relay_memory)
        : relays_(relay_memory), clients_(memory), introductions_(memory), peer_changes_(memory) {}

    [[nodiscard]] const MpRelays &relays() const { return relays_; }

   private:
    friend class MpPeers;

    // The clients of unknown id that a peer was announced to. If the count is 1, the sum of indices is the index of
    // that client.
    struct Introduction {
      std::uint64_t count = 0;
      std::uint64_t sum_of_indices = 0;
    };
    struct PeerChangeKey {
      std::int32_t peer;
      PacketPosition position;

      auto operator<=>(const PeerChangeKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
    };

    MpRelays relays_;
    std::pmr::map<std::int32_t, MpConnection *> clients_;      // by id
    std::pmr::map<std::int32_t, Introduction> introductions_;  // by the announced peer
    std::size_t unidentified_ = 0;                             // number of clients without a known id
    std::size_t active_ = 0;                                   // number of clients with a message on their connection
    PacketPosition several_since_;                 // first message of the second such client; packet 0: none
    SortedMap<PeerChangeKey, bool> peer_changes_;  // true if the peer is connected from then on. Stores changes only
  };

  /// The connections of the session, and the index of this connection.
  struct ConnectionSlot {
    std::pmr::deque<MpConnection> *all;
    std::size_t index;
  };

  /// @param has_roles true: end 0 is the server; false: the server is not known
  MpPeers(std::pmr::memory_resource *memory, const ConnectionSlot &slot, MpServer &server, bool is_from_start,
          bool has_roles);

  // ---- updates

  /// See MpConnection::record_client_id().
  void record_client_id(std::int32_t id, PacketPosition position);
  void record_prefix(const MpPacket &packet, const MpPrefix &prefix);
  /// Updates the state from the command of a packet. Not for relayed commands.
  void record_command(const MpPacket &packet, const MpMessage &message);
  /// Records which end is the server, and the state that the connections of that server share.
  void record_server(unsigned end, MpServer &server);

  // ---- queries

  /// Returns the state that the connections of one server share.
  [[nodiscard]] MpServer &shared() const { return *shared_; }
  /// True if it is known which end is the server.
  [[nodiscard]] bool has_roles() const { return server_end_ != no_end; }
  /// Returns the role of an end.
  [[nodiscard]] MpRole role_of(unsigned end) const;
  /// Returns the peer that represents the server in routes: its end, or mp_server if the end of the server is not
  /// known.
  [[nodiscard]] std::int32_t server() const { return has_roles() ? mp_end(server_end_) : mp_server; }
  /// Returns the end of the client. To be called only if the roles are known.
  [[nodiscard]] std::int32_t client() const { return mp_end(1U - server_end_); }
  [[nodiscard]] bool is_client_known(PacketPosition position) const {
    return client_id_ != 0 && client_known_since_ <= position;
  }
  /// Returns the id of the client; 0 if it is not known anywhere in the capture.
  [[nodiscard]] std::int32_t client_id() const { return client_id_; }
  /// Returns the connection of another client of the server, by its id; null if it is not in the capture.
  [[nodiscard]] const MpConnection *find_other_client(std::int32_t id) const;
  /// Returns the peer that represents an id in routes: an end of this connection, or else the id.
  [[nodiscard]] std::int32_t peer_of(std::int32_t id, PacketPosition position) const;
  /// Returns the id of a peer; nullopt for an end of unknown role, and for a client with an id that is not known at
  /// this position.
  [[nodiscard]] std::optional<std::int32_t> id_of(std::int32_t peer, PacketPosition position) const;
  /// Returns a number that is unique among the peers of the server: the id, or a negative number for an end of unknown
  /// id.
  [[nodiscard]] std::int64_t number_of(std::int32_t peer, PacketPosition position) const;
  /// True if the server had two or more clients up to a position. Its messages to different clients may look the same.
  [[nodiscard]] bool has_several_clients(PacketPosition position) const;
  /// Returns the position at which the server announced that a peer had disconnected. Returns nullopt if the peer is
  /// connected at @p position, or if nothing is known of it.
  [[nodiscard]] std::optional<PacketPosition> find_disconnect(std::int32_t peer, PacketPosition position) const;

  /// True if the connection began in the capture.
  [[nodiscard]] bool is_from_start() const { return is_from_start_; }
  /// True if this was already known at a position.
  [[nodiscard]] bool is_from_start(PacketPosition position) const {
    return is_from_start_ && from_start_since_ <= position;
  }

  /// Returns how far an end got in the authentication of the connection. Looks ahead.
  [[nodiscard]] const MpAuthentication &authentication(unsigned end) const { return authentications_[end]; }

 private:
  static constexpr std::uint8_t no_end = 2;

  void count_client(PacketPosition position);
  void record_authentication(const MpPacket &packet, const MpMessage &message);
  void record_server_message(const MpMessage &message, std::string_view relayed, PacketPosition position);
  void record_server_relay(std::int32_t source, std::string_view command, PacketPosition position);
  void record_peer_change(std::int32_t id, bool is_connected, PacketPosition position);
  void record_peer(std::int32_t id);
  void record_end_of_peer_list(PacketPosition position);
  [[nodiscard]] std::int32_t only_unidentified_peer() const;

  std::pmr::deque<MpConnection> *all_;
  std::size_t index_;
  MpServer *shared_;
  std::uint8_t server_end_ = no_end;
  bool is_from_start_;
  bool is_active_ = false;           // counted in SharedState::active_
  bool has_all_peers_ = false;       // the client received the complete list of peers that were connected before it
  PacketPosition from_start_since_;  // position at which is_from_start_ was set
  std::int32_t client_id_ = 0;
  PacketPosition client_known_since_;
  std::pmr::set<std::int32_t> announced_peers_;  // peers announced to the client, as long as they may reveal its id
  MpAuthentication authentications_[2];          // by end
};

}  // namespace godot_codec
