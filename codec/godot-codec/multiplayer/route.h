// SPDX-License-Identifier: MIT
/// @file
/// A packet of the high-level multiplayer while it is read, and who speaks to whom in it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/message.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/delivery.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/values.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

class MpConnection;
struct MpServer;

/// Returns the number that stands for the peer at one end (0 or 1) of a connection. The peer's id and its role may
/// become known late, or never.
[[nodiscard]] constexpr std::int32_t mp_end(unsigned end) {
  return std::numeric_limits<std::int32_t>::min() + static_cast<std::int32_t>(end);
}

[[nodiscard]] constexpr bool is_mp_end(std::int32_t peer) { return peer <= mp_end(1); }

/// Returns the end of a peer for which is_mp_end() holds.
[[nodiscard]] constexpr unsigned end_of_peer(std::int32_t peer) { return peer == mp_end(0) ? 0 : 1; }

/// True if a receiver is one peer, not several.
[[nodiscard]] constexpr bool is_one_peer(std::int32_t receiver) {
  return is_mp_end(receiver) || receiver > mp_everyone;
}

enum class MpRole : std::uint8_t { unknown, client, server };

/// Sender and receiver of a message: mp_end() for the ends of the connection, ids for other peers.
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

/// A message of the multiplayer while it is read, with what is known about its game.
struct MpPacket : Message {
  const MpConnection *connection = nullptr;
  ReadOptions options{};             ///< limits, and how reals are read
  const MpNames *names = nullptr;    ///< null: no names are known
  const Layouts *layouts = nullptr;  ///< formats of custom payloads; null: none are described
  MpValues *values = nullptr;        ///< the Variants of the message; never null while a message is read
  std::uint16_t server_port = 0;     ///< selects the layout of custom payloads
  MpRole role = MpRole::server;      ///< the sender's; unknown if it is not known which end is the server

  [[nodiscard]] bool has_roles() const { return role != MpRole::unknown; }
  [[nodiscard]] bool is_from_client() const { return role == MpRole::client; }
  [[nodiscard]] bool is_from_server() const { return role == MpRole::server; }
  /// Returns the role of the peer at an end of the connection; unknown for other peers.
  [[nodiscard]] MpRole role_of(std::int32_t peer) const;
};

/// Limits within which something may have been sent.
struct MpPeriod {
  PacketPosition after;    ///< no message up to this one
  std::int64_t since = 0;  ///< no sooner than this time
  std::int64_t until = 0;  ///< and no later
};

/// True if something that an end may have sent in a period may have been delivered without being captured, judged by
/// the numbers of what was captured and by what the other side acknowledges. As far as is known by now.
/// @param packet of the connection whose messages these are
[[nodiscard]] bool may_have_capture_gap(const MpPacket &packet, const MpDeliveryTracker &deliveries, unsigned end,
                                        const MpPeriod &period);

/// True if something that may have been sent before a packet may have been delivered without being captured. If the
/// packet has no order, that may have come right after it, before any number shows the hole.
/// @param after leaves out all that was sent up to this moment, which was at @p after_time
[[nodiscard]] bool may_have_capture_gap_before(const MpPacket &packet, const MpDeliveryTracker &deliveries,
                                               PacketPosition after, std::int64_t after_time);

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

/// Returns the sender's role if the packet shows it: only a server announces that peers come and go, and only a client
/// has something relayed to several peers.
/// @param packet of Godot 4, without a prefix
[[nodiscard]] MpRole role_of_sender(Bytes packet);

}  // namespace godot_codec
