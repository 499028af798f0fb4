// SPDX-License-Identifier: MIT
/// @file
/// Who is who: which id a connection's client has, which peers the server has, and whom it has let in.
///
/// Few clients are told their id in the capture. The ids of the others follow from what their server relays, and from
/// the peers that it tells a newcomer of.
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

/// Is a peer there, as its server has said?
struct MpWhereabouts {
  enum class State : std::uint8_t {
    here,  ///< or nobody can say
    gone   ///< the server has said that it has gone
  };
  State state = State::here;
  PacketPosition moment;  ///< gone: when
};

/// The part of one side in an authentication (SceneMultiplayer::auth_callback). Packet 0: it has not come to that.
/// A side that asks drops all that is no authentication until it has called complete_auth() itself.
struct MpAuthentication {
  PacketPosition asked;      ///< its first authentication command, bytes of the game's own or complete_auth()
  PacketPosition completed;  ///< complete_auth()
  PacketPosition others;     ///< its first command that is about something else
};

/// The peers of a game, as one connection shows them.
class MpPeers {
 public:
  /// Knowledge that the connections of one server's clients share.
  class Shared {
   public:
    /// @param relay_memory takes back what is given back
    Shared(std::pmr::memory_resource *memory, std::pmr::memory_resource *relay_memory)
        : relays_(relay_memory), clients_(memory), introductions_(memory), comings_(memory) {}

    [[nodiscard]] const MpRelays &relays() const { return relays_; }

   private:
    friend class MpPeers;

    // Clients of unknown id that were told of this peer. If the count is 1, the sum of their indices is the one's
    // index.
    struct Introduction {
      std::uint64_t count = 0;
      std::uint64_t sum_of_indices = 0;
    };
    struct ComingKey {
      std::int32_t peer;
      PacketPosition moment;

      auto operator<=>(const ComingKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
    };

    MpRelays relays_;
    std::pmr::map<std::int32_t, MpConnection *> clients_;      // by id
    std::pmr::map<std::int32_t, Introduction> introductions_;  // by the peer told of
    std::size_t strangers_ = 0;                                // clients without a known id
    std::size_t active_ = 0;                                   // clients whose connection has had a message
    PacketPosition several_since_;                             // first message of the second of these; packet 0: none
    SortedMap<ComingKey, bool> comings_;                       // is the peer there from then on? Stores changes only
  };

  /// The session's connections, and which of them this is.
  struct Place {
    std::pmr::deque<MpConnection> *all;
    std::size_t index;
  };

  /// @param has_roles end 0 is the server; otherwise it is not known which end is
  MpPeers(std::pmr::memory_resource *memory, const Place &place, MpServer &server, bool is_from_start, bool has_roles);

  // ---- learning

  /// MpConnection::learn_client()
  void learn_client(std::int32_t id, PacketPosition moment);
  void learn_prefix(const MpPacket &packet, const MpPrefix &prefix);
  /// Learns from a packet's own command, not from one inside of a relay.
  void learn_command(const MpPacket &packet, const MpMessage &message);
  /// Records which end is the server, and the state that the connections of that server share.
  void learn_server(unsigned end, MpServer &server);

  // ---- asking

  /// Returns the state that the connections of one server share.
  [[nodiscard]] MpServer &shared() const { return *shared_; }
  /// True if it is known which end is the server.
  [[nodiscard]] bool has_roles() const { return server_end_ != no_end; }
  /// Returns the role of an end.
  [[nodiscard]] MpRole role_of(unsigned end) const;
  /// Returns what routes have for the server: its end, or mp_server if it is not known which end is the server.
  [[nodiscard]] std::int32_t server() const { return has_roles() ? mp_end(server_end_) : mp_server; }
  /// Returns the client's end. To be called only if the roles are known.
  [[nodiscard]] std::int32_t client() const { return mp_end(1U - server_end_); }
  [[nodiscard]] bool is_client_known(PacketPosition moment) const {
    return client_id_ != 0 && client_known_since_ <= moment;
  }
  /// 0 if it is not known at any time.
  [[nodiscard]] std::int32_t client_id() const { return client_id_; }
  /// The connection of another client of the server, by its id; null if it is not in the capture.
  [[nodiscard]] const MpConnection *fellow(std::int32_t id) const;
  /// Returns what routes have for a peer: its end of this connection, or else its id.
  [[nodiscard]] std::int32_t peer_of(std::int32_t id, PacketPosition moment) const;
  /// Returns a peer's id; none for an end of unknown role, and for a client that is not known at that position.
  [[nodiscard]] std::optional<std::int32_t> id_of(std::int32_t peer, PacketPosition moment) const;
  /// Returns a number that no other peer of the server has: its id, or a negative number for an end of unknown id.
  [[nodiscard]] std::int64_t number_of(std::int32_t peer, PacketPosition moment) const;
  /// Returns true if the server had had two clients or more by a position: its messages may then look alike.
  [[nodiscard]] bool has_several_clients(PacketPosition position) const;
  /// Tells if the server still has a peer, by what it has said up to a moment.
  [[nodiscard]] MpWhereabouts whereabouts(std::int32_t peer, PacketPosition moment) const;

  /// True if the capture has all that was sent on the connection.
  [[nodiscard]] bool is_from_start() const { return is_from_start_; }
  /// True if that was already known at a moment.
  [[nodiscard]] bool is_from_start(PacketPosition moment) const {
    return is_from_start_ && from_start_since_ <= moment;
  }

  /// Returns how an end took part in the connection's authentication. Looks ahead.
  [[nodiscard]] const MpAuthentication &authentication(unsigned end) const { return authentications_[end]; }

 private:
  static constexpr std::uint8_t no_end = 2;

  void count_client(PacketPosition position);
  void learn_authentication(const MpPacket &packet, const MpMessage &message);
  void learn_from_server(const MpMessage &message, std::string_view relayed, PacketPosition moment);
  void learn_relay_from_server(std::int32_t source, std::string_view command, PacketPosition moment);
  void learn_coming(std::int32_t id, bool is_here, PacketPosition moment);
  void learn_peer(std::int32_t id);
  void learn_all_peers(PacketPosition moment);
  [[nodiscard]] std::int32_t only_stranger() const;

  std::pmr::deque<MpConnection> *all_;
  std::size_t index_;
  MpServer *shared_;
  std::uint8_t server_end_ = no_end;
  bool is_from_start_;
  bool is_active_ = false;           // counted in Shared::active_
  bool has_all_peers_ = false;       // the client was told of all that were there when it came
  PacketPosition from_start_since_;  // when that was known
  std::int32_t client_id_ = 0;
  PacketPosition client_known_since_;
  std::pmr::set<std::int32_t> told_of_;  // peers that the client was told of, as long as that may show who it is
  MpAuthentication authentications_[2];  // by end
};

}  // namespace godot_codec
