// SPDX-License-Identifier: MIT
/// @file
/// Reads the prefix that transports put before a command of the multiplayer, or in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/multiplayer/message.h"

namespace godot_codec {

/// The bytes that a packet has before a command, or in its place. Known by transport, generation, and channel or order.
enum class MpFraming : std::uint8_t {
  none,          ///< Godot 4: a command alone
  websocket_id,  ///< Godot 4 over WebSocket, the server's first message: the client's peer id
  enet3,         ///< Godot 3.2 and later over ENet, channels from 1: source and target, then a command
  enet3_flags,   ///< Godot 3.0 and 3.1 likewise: source, target and flags, then a command
  enet3_system,  ///< Godot 3 over ENet, channel 0: a peer has come or gone
  websocket3,    ///< Godot 3 over WebSocket: kind, source and target, then a command or a peer id
};

/// The generation that uses a framing.
[[nodiscard]] constexpr Generation mp_generation(MpFraming framing) {
  const bool is_godot4 = framing == MpFraming::none || framing == MpFraming::websocket_id;
  return is_godot4 ? Generation::godot4 : Generation::godot3;
}

/// The bytes before a command, or in its place. Plain data.
struct MpPrefix {
  Outcome outcome = Outcome::ok;
  std::size_t offset = 0;                  ///< where the prefix ends; after a failure, where that was
  Range range;                             ///< the prefix
  bool has_message = false;                ///< a command begins at range.end(): read_mp_message() there
  bool is_known = false;                   ///< instead of a command it is add_peer, remove_peer or peer_id
  MpCommand command = MpCommand::peer_id;  ///< which of them
  MpFields fields;
  Range rest;  ///< like MpMessage::rest; empty where a command follows
};
static_assert(std::is_trivially_destructible_v<MpPrefix>);

/// Reads what stands before a packet's command, or in its place.
[[nodiscard]] MpPrefix read_mp_prefix(Bytes packet, MpFraming framing);

}  // namespace godot_codec
