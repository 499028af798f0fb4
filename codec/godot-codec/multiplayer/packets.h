// SPDX-License-Identifier: MIT
/// @file
/// Whole packets of the multiplayer: what stands before a command, the command, and the one that it relays.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "godot-codec/enet/session.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

/// An engine relays a command once, and takes no system command, and so no relay, out of one.
inline constexpr unsigned mp_max_relays = 2;

/// All that a packet says, read once for whoever asks. Plain data: it may be copied, and jumped over by longjmp.
struct MpReading {
  bool has_prefix = false;
  MpPrefix prefix;          ///< if there is one
  std::uint32_t count = 0;  ///< number of commands; 0 where the prefix is all there is
  /// The command, the one that it relays, and what an engine would not take out of a relay.
  std::array<MpMessage, mp_max_relays + 1> commands;
};
static_assert(std::is_trivially_destructible_v<MpReading>);

[[nodiscard]] MpReading read_mp_packet(Bytes packet, MpFraming framing, Generation generation);

/// Learns all that a packet says. Once for each packet, in their order.
void learn_mp_packet(MpConnection &connection, const MpPacket &packet, const MpReading &reading);

/// Makes a message of a prefix that no command follows.
[[nodiscard]] MpMessage mp_message_of(const MpPrefix &prefix, Generation generation);

/// True if a connection of ENet's began as those of Godot's multiplayer do: its clients choose their ids, and tell
/// them, and ask for certain counts of channels.
[[nodiscard]] bool is_godot_connect(const EnetConnection &connection);

}  // namespace godot_codec
