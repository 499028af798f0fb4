// SPDX-License-Identifier: MIT
/// @file
/// ENet's throttle: a sender drops unreliable messages itself while its round-trip time is higher than before.
#pragma once

#include <cstdint>

#include "godot-codec/enet/facts.h"

namespace godot_codec {

/// Counts of a side's unreliable messages.
struct EnetUnreliable {
  std::uint64_t missing = 0;  ///< never arrived, or some of their fragments did not
  std::uint64_t all = 0;
  std::uint64_t skipped = 0;  ///< missing messages whose numbers were skipped: no byte of them was captured
};

/// True if a side's throttle probably dropped the skipped messages. Each answer with a longer delay than earlier ones
/// lowers the share of messages that ENet sends (enet_peer_throttle() in its peer.c). The dropped messages already have
/// numbers (enet_protocol_check_outgoing_commands() in protocol.c). A link that loses so many messages would also lose
/// reliable ones.
/// @param late number of the side's reliable messages that waited for a lost one
[[nodiscard]] bool is_throttled(const EnetSideFacts &side, const EnetUnreliable &messages, std::uint32_t late);

}  // namespace godot_codec
