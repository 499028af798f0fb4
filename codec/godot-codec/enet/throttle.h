// SPDX-License-Identifier: MIT
/// @file
/// ENet's throttle: a sender drops unreliable messages itself while its round-trip time is higher than before.
#pragma once

#include <cstdint>

#include "godot-codec/enet/facts.h"

namespace godot_codec {

/// Unreliable messages of one side of a connection.
struct EnetUnreliable {
  std::uint64_t missing = 0;  ///< those that never arrived, or of which some fragments did not
  std::uint64_t all = 0;
  std::uint64_t skipped = 0;  ///< missing messages with skipped numbers: no byte of them was captured
};

/// Returns true if a side's throttle probably dropped the skipped messages. Each answer that takes longer than the
/// earlier ones lowers the share of messages that ENet sends (enet_peer_throttle() in its peer.c). The dropped ones
/// have got their numbers before (enet_protocol_check_outgoing_commands() in protocol.c). A link that loses so many
/// messages loses reliable ones, too.
/// @param late reliable messages of the side that waited for a lost one
[[nodiscard]] bool is_throttled(const EnetSideFacts &side, const EnetUnreliable &messages, std::uint32_t late);

}  // namespace godot_codec
