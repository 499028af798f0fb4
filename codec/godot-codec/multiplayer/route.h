// SPDX-License-Identifier: MIT
/// @file
/// A packet of the high-level multiplayer while it is read, and who speaks to whom in it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/account.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/values.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

class MpConnection;

/// Stands for the client of a connection wherever a peer is meant: its id may become known late, or never.
inline constexpr std::int32_t mp_client = std::numeric_limits<std::int32_t>::min();

/// True if a receiver is one peer, not several.
[[nodiscard]] constexpr bool is_one_peer(std::int32_t receiver) {
  return receiver == mp_client || receiver > mp_everyone;
}

/// A peer's name after it has turned out that the end that was called the client is the server.
[[nodiscard]] constexpr std::int32_t turned_peer(std::int32_t peer) {
  if (peer == mp_client) return mp_server;
  return peer == mp_server ? mp_client : peer;
}

/// Who speaks to whom: ids of peers, or mp_client.
struct MpRoute {
  std::int32_t sender;
  std::int32_t receiver;  ///< mp_everyone: everyone; negative: everyone but that one
};

/// The peer whose path and net ids a message uses, and the peer that is to know them.
struct MpNumbering {
  std::int32_t owner;
  std::int32_t listener;  ///< see MpRoute::receiver

  [[nodiscard]] bool is_for_one() const { return is_one_peer(listener); }
  /// The listener if it is one peer.
  [[nodiscard]] std::optional<std::int32_t> one_listener() const {
    return is_for_one() ? std::optional(listener) : std::nullopt;
  }
};

/// A side's unreliable messages, in numbers.
struct MpLosses {
  std::uint64_t missing = 0;  ///< numbers that were passed over, less the share that probably only the capture lacks
  std::uint64_t all = 0;
  /// Those among them that the engine hands on in their order ("unreliable_ordered").
  std::uint64_t ordered = 0;
  std::uint64_t ordered_missing = 0;
  std::uint64_t ordered_late = 0;  ///< came behind a newer one: ENet drops them
  bool is_line_bad = false;        ///< reliable messages got lost on the way, too
  bool is_throttled = false;       ///< ENet dropped the missing ones at their sender
};

/// Times from a sender's messages to their acknowledgements, in nanoseconds; 0: not measured.
struct MpRoundTrips {
  std::int64_t least = 0;
  std::int64_t most = 0;  ///< 95 % of the times are not longer
};

/// Who ended a connection, and when.
struct MpFarewell {
  bool is_said = false;
  bool by_client = false;
  PacketPosition moment;
  std::int64_t after = 0;  ///< since the connection came about, in nanoseconds
};

/// The transport's knowledge of which packets were delivered.
class MpDelivery {
 public:
  /// @param packet as in PacketPosition
  /// @returns false where the receiver has not acknowledged all that the packet brought, as far as is known by now
  [[nodiscard]] virtual bool is_delivered(std::uint32_t packet) const = 0;
  /// When the receiver of the packet that this belongs to was last heard, as far as is known by now; in nanoseconds, as
  /// MpPacket::time.
  [[nodiscard]] virtual std::int64_t receiver_last_heard() const = 0;
  /// How many unreliable messages the sender of the packet has sent so far, and how many of them are missing.
  [[nodiscard]] virtual MpLosses unreliable_losses() const { return {}; }
  /// Returns how fast the receiver of the packet acknowledges what its sender sends, as far as is known by now.
  [[nodiscard]] virtual MpRoundTrips round_trips() const { return {}; }
  /// True if the sender (or the receiver) of the packet acknowledged something that was not captured, after a time and
  /// no later than another; as far as is known by now.
  [[nodiscard]] virtual bool has_got_unseen(bool /*by_sender*/, std::int64_t /*after*/, std::int64_t /*until*/) const {
    return false;
  }
  /// The connection's end, as far as is known by now.
  [[nodiscard]] virtual MpFarewell farewell() const { return {}; }

 protected:
  ~MpDelivery() = default;
};

/// A packet of a connection while it is read.
struct MpPacket {
  const MpConnection *connection = nullptr;
  bool is_from_client = false;
  PacketPosition moment;
  MpTurn turn;                       ///< where it stands among those that come in order
  std::int64_t time = 0;             ///< the capture's time in nanoseconds; untrusted, as a file may hold any number
  std::int64_t round_trip_time = 0;  ///< the newest measurement in nanoseconds; 0: not measured. For learning only
  Bytes bytes;
  ReadOptions options;             ///< limits, and how reals are read
  const MpNames *names = nullptr;  ///< null: nobody has any
  bool has_roles = true;           ///< which end is the server is known; else client and server are names for two peers
  const MpDelivery *delivery = nullptr;  ///< null: what was sent counts as delivered
  std::uint32_t wire_size = 0;           ///< bytes of the packet that brought it; 0: those of the message. For learning
                                         ///< only
  const Layouts *layouts = nullptr;      ///< formats of the game's own; null: nobody has described any
  std::uint16_t server_port = 0;         ///< selects the layout of raw messages
  MpValues *values = nullptr;            ///< the record of the bytes' Variants; never null where a message is read
};

/// Limits within which something may have been sent.
struct MpPeriod {
  PacketPosition after;    ///< no message up to this one
  std::int64_t since = 0;  ///< no sooner than this time
  std::int64_t until = 0;  ///< and no later
};

/// True if something that a side may have sent in a period may have been delivered without being captured, judged by
/// the numbers of what was captured and by what the other side acknowledges. As far as is known by now.
/// @param packet of the connection whose messages these are
[[nodiscard]] bool may_lack(const MpPacket &packet, const MpAccount &messages, bool of_client, const MpPeriod &period);

/// True if something that may have been sent before a packet may have been delivered without being captured. If the
/// packet has no order, that may have come right after it, before any number shows the hole.
/// @param after leaves out all that was sent up to this moment, which was at @p after_time
[[nodiscard]] bool may_lack_before(const MpPacket &packet, const MpAccount &messages, PacketPosition after,
                                   std::int64_t after_time);

/// The route from one end of the connection to the other.
[[nodiscard]] MpRoute direct_route(const MpPacket &packet);

/// The route of a command whose prefix names source and target.
[[nodiscard]] MpRoute prefixed_route(const MpPacket &packet, const MpPrefix &prefix);

/// The route of a relayed command; without roles its names stay unknown.
/// @param peer the peer in the relay: its target, or from the server its source
[[nodiscard]] MpRoute relayed_route(const MpPacket &packet, const MpRoute &route, std::int32_t peer);

/// The numbers in a confirmation are its receiver's, those in any other command its sender's. The listener is the peer
/// that gets the message, at the end of this connection or further on; everyone if several do.
[[nodiscard]] MpNumbering numbering_of(const MpPacket &packet, const MpRoute &route, MpCommand command);

/// Who sends a packet, as far as it shows that.
enum class MpRole : std::uint8_t { unknown, client, server };

/// Only a server tells of peers that come and go, only a client wants something relayed to several.
/// @param packet of Godot 4, without a prefix
[[nodiscard]] MpRole role_of_sender(Bytes packet);

}  // namespace godot_codec
