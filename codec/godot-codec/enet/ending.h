// SPDX-License-Identifier: MIT
/// @file
/// How connections end without a disconnect. ENet itself times out a silent peer after 5 to 30 s
/// (ENET_PEER_TIMEOUT_MINIMUM, ENET_PEER_TIMEOUT_MAXIMUM). Unanswered retransmissions show the silence earlier.
#pragma once

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/session.h"
#include "godot-codec/enet/side.h"

namespace godot_codec {

/// A side that has vanished: it is silent, while the other side waits for its acknowledgements.
struct EnetVanishedSide {
  bool has_vanished = false;
  Side side = Side::first;           ///< the silent side; if has_vanished
  PacketPosition since;              ///< first sign: the ICMP error, or the first unanswered retransmission
  PacketPosition repeated;           ///< first datagram of the other side with an unanswered retransmission
  std::uint32_t repeats = 0;         ///< number of datagrams with unanswered retransmissions
  std::int64_t timed_out_after = 0;  ///< 0, unless the silent side has timed out the other side. Then: how long the
                                     ///< other side had been silent before, in nanoseconds
};

/// Returns the side that has vanished, as of the datagrams so far. A side that sends again has not vanished.
[[nodiscard]] EnetVanishedSide find_vanished_side(const EnetConnection &connection);

/// True if the server disconnected the client immediately after the connection was established, and before any message.
/// A Godot server does so if it refuses new connections or is full.
[[nodiscard]] bool is_rejected(const EnetConnection &connection);

}  // namespace godot_codec
