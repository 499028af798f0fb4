// SPDX-License-Identifier: MIT
/// @file
/// How connections end that nobody takes down in an orderly way. ENet's own limit for a silent peer is 5 to 30 s
/// (ENET_PEER_TIMEOUT_MINIMUM, ENET_PEER_TIMEOUT_MAXIMUM); repeated commands show the silence sooner.
#pragma once

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/session.h"
#include "godot-codec/enet/side.h"

namespace godot_codec {

/// A side that has fallen silent while the other one waits for its acknowledgements.
struct EnetGone {
  bool is_gone = false;
  Side side = Side::first;          ///< the silent one; where is_gone
  PacketPosition since;             ///< the first sign of it: ICMP's word, or what the other side repeated in vain
  PacketPosition repeated;          ///< the first datagram in which the other side repeated something in vain
  std::uint32_t repeats = 0;        ///< such datagrams
  std::int64_t given_up_after = 0;  ///< the silent side has given up the other one, which had said nothing for so long
                                    ///< before, in nanoseconds; 0: it has not
};

/// Judges by what has been fed so far: a side that is heard again was not gone.
[[nodiscard]] EnetGone gone_side(const EnetConnection &connection);

/// True if the server disconnected the client at once after the connection came about, and before any message. A Godot
/// server does so if it refuses new connections or is full.
[[nodiscard]] bool is_turned_away(const EnetConnection &connection);

}  // namespace godot_codec
