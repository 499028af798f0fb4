// SPDX-License-Identifier: MIT
/// @file
/// Reads the prefix before a multiplayer command. Transports add prefixes, and may send a prefix without a command.
/// Sources: Godot 3's modules/enet/networked_multiplayer_enet.cpp and modules/websocket/websocket_multiplayer_peer.cpp,
/// Godot 4's modules/websocket/websocket_multiplayer_peer.cpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/multiplayer/message.h"

namespace godot_codec {

/// The prefix of a packet. No packet contains its framing. Transport, generation, channel and order determine it.
enum class MpFraming : std::uint8_t {
  none,          ///< Godot 4: a command without prefix
  websocket_id,  ///< Godot 4 over WebSocket, first message of the server: the peer id of the client
  enet3,         ///< Godot 3.2 and later over ENet, channels from 1: source and target, then a command
  enet3_flags,   ///< Godot 3.0 and 3.1 over ENet, channels from 1: source, target and flags, then a command
  enet3_system,  ///< Godot 3 over ENet, channel 0: a peer has connected or disconnected
  websocket3,    ///< Godot 3 over WebSocket: kind, source and target, then a command or a peer id
};

/// Returns the generation that uses a framing.
[[nodiscard]] constexpr Generation mp_generation(MpFraming framing) {
  const bool is_godot4 = framing == MpFraming::none || framing == MpFraming::websocket_id;
  return is_godot4 ? Generation::godot4 : Generation::godot3;
}

/// A prefix, or a system message that a packet has instead of a command: add_peer, remove_peer or peer_id. Plain data.
struct MpPrefix : MpMessage {
  Range prefix_range;        ///< all bytes of the prefix; MpMessage::range is empty
  bool has_command = false;  ///< true if a command begins at prefix_range.end(); read_mp_message() reads it
};
static_assert(std::is_trivially_destructible_v<MpPrefix>);

/// Reads the prefix of a packet, or the system message if the packet has no command.
[[nodiscard]] MpPrefix read_mp_prefix(Bytes packet, MpFraming framing);

}  // namespace godot_codec
