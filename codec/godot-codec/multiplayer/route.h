// SPDX-License-Identifier: MIT
/// @file
/// A multiplayer packet during dissection, and the sender and receiver of its messages.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/message.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/name_types.h"
#include "godot-codec/multiplayer/variant_cache.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

class MpConnection;
struct MpServerState;

/// Returns the number that represents the peer at one side (0 or 1) of a connection. Routes use the side, because the
/// id and the role of the peer may become known late, or never.
[[nodiscard]] constexpr std::int32_t mp_side(unsigned end) {
  return std::numeric_limits<std::int32_t>::min() + static_cast<std::int32_t>(end);
}

[[nodiscard]] constexpr bool is_mp_side(std::int32_t peer) { return peer <= mp_side(1); }

/// Returns the side of a peer for which is_mp_side() is true.
[[nodiscard]] constexpr unsigned side_of_peer(std::int32_t peer) { return peer == mp_side(0) ? 0 : 1; }

/// True if a receiver is one peer, not several peers.
[[nodiscard]] constexpr bool is_one_peer(std::int32_t receiver) {
  return is_mp_side(receiver) || receiver > mp_everyone;
}

enum class MpRole : std::uint8_t { unknown, client, server };

/// Sender and receiver of a message: mp_side() for the two sides of the connection, ids for other peers.
struct MpRoute {
  std::int32_t sender;
  std::int32_t receiver;  ///< mp_everyone: all peers; negative: all peers except the peer with this id

  [[nodiscard]] bool has_one_receiver() const { return is_one_peer(receiver); }
  /// Returns the receiver if it is one peer; else mp_everyone.
  [[nodiscard]] std::int32_t one_receiver() const { return has_one_receiver() ? receiver : mp_everyone; }
};

/// The scope of path ids and net ids: the peer that assigned the ids (sender), and the peer that must know the ids
/// (receiver).
using MpIdScope = MpRoute;

/// A synchronizer, as identified by its values.
struct MpSynchronizerKey {
  std::int32_t sender;
  std::int32_t receiver;  ///< mp_everyone: several peers
  std::uint32_t id;       ///< as sent: bit 31 is set for a path id, and clear for a net id

  auto operator<=>(const MpSynchronizerKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
};

/// A multiplayer message during dissection, with the state of its game.
struct MpPacket : Message {
  const MpConnection *connection = nullptr;
  const MpGameNames *names = nullptr;   ///< null: no names are known
  const LayoutFile *layouts = nullptr;  ///< layouts of custom payloads; null: no layouts are configured
  MpVariantCache *values = nullptr;     ///< the Variants of the message; never null during dissection
  std::uint16_t server_port = 0;        ///< selects the layout of a custom payload
  MpRole role = MpRole::server;         ///< role of the sender; unknown if it is not known which side is the server

  /// Returns the limits, and the size of reals.
  [[nodiscard]] const ReadOptions &options() const { return values->options(); }
  [[nodiscard]] bool has_roles() const { return role != MpRole::unknown; }
  [[nodiscard]] bool is_from_client() const { return role == MpRole::client; }
  [[nodiscard]] bool is_from_server() const { return role == MpRole::server; }
  /// Returns the role of the peer at a side of the connection; unknown for other peers.
  [[nodiscard]] MpRole role_of(std::int32_t peer) const;
};

/// A command, or an object of a sync or delta, in its packet. Consists of references.
struct MpPacketItem {
  /// @param item the command, or an object in it
  MpPacketItem(const MpPacket &packet, const MpMessage &command, const MpIdScope &ids, const MpItem &item)
      : packet(packet), command(command), fields(item.fields), variants(item.variants), ids(ids) {}

  const MpPacket &packet;
  const MpMessage &command;  ///< the command; for an object, the command that contains the object
  const MpFields &fields;
  const MpVariants &variants;
  const MpIdScope ids;  ///< the peer that assigned the ids, and the peer that must know the ids

  [[nodiscard]] bool is(MpCommand expected) const { return command.command == expected; }
  /// Returns the path id of a node or a spawner.
  [[nodiscard]] std::optional<std::uint32_t> path_id() const;
  /// Returns the key of the synchronizer that has sent an object.
  [[nodiscard]] MpSynchronizerKey synchronizer_key() const;
};

/// Limit for a time in a sum, so that the sum of two such times does not overflow, in nanoseconds. Captures have no
/// later times.
inline constexpr std::int64_t mp_max_time = (std::int64_t{1} << 62) - 1;

/// The period during which a message may have been sent. By default, the whole capture.
struct MpPeriod {
  PacketPosition after{};             ///< after this position
  std::int64_t since = -mp_max_time;  ///< earliest capture time, in nanoseconds
  std::int64_t until = mp_max_time;   ///< latest capture time, in nanoseconds
};

/// True if a side may have sent a message in a period that was delivered but not captured. Evidence is a gap in the
/// sequence numbers, or an acknowledgement by the other side.
/// @param packet a packet of the same connection
[[nodiscard]] bool may_have_capture_gap(const MpPacket &packet, unsigned end, const MpPeriod &period);

/// True if a message sent before a packet may have been delivered but not captured. If the packet has no sequence
/// number, acknowledgements up to a second later count, too.
/// @param after only messages after this position count. Its capture time is @p after_time
[[nodiscard]] bool may_have_capture_gap_before(const MpPacket &packet, PacketPosition after, std::int64_t after_time);

/// Returns the route from the sending side of the connection to the other side.
[[nodiscard]] MpRoute direct_route(const MpPacket &packet);

/// Returns the route of a command whose prefix contains source and target.
[[nodiscard]] MpRoute prefixed_route(const MpPacket &packet, const MpPrefix &prefix);

/// Returns the route of a relayed command. If the roles are not known, sender and receiver are both @p peer.
/// @param peer the peer in the relay: the target in a relay from a client, the source in a relay from the server
[[nodiscard]] MpRoute relayed_route(const MpPacket &packet, const MpRoute &route, std::int32_t peer);

/// Returns the scope of the ids in a command. In a confirmation, the ids were assigned by its receiver. In other
/// commands, the ids were assigned by the sender. The scope's receiver is the peer that gets the message, directly or
/// by a relay; mp_everyone or a negative target if several peers get the message.
[[nodiscard]] MpIdScope id_scope_of(const MpPacket &packet, const MpRoute &route, MpCommand command);

/// Returns the role of the sender if the packet shows it. Only a server announces that a peer connects or disconnects.
/// Only a client sends relays to several peers.
/// @param packet a packet of Godot 4, without a prefix
[[nodiscard]] MpRole role_of_sender(Bytes packet);

}  // namespace godot_codec
