// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Detects the protocol of UDP datagrams and DTLS records on ports that no preference names.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

void register_udp();

/// False if the first bytes of a datagram cannot be ours. Cheap.
[[nodiscard]] bool may_detect_before_udp(godot_codec::Bytes datagram);

/// Before UDP gets a datagram on a port that another dissector has registered: pins the conversation if the evidence of
/// this datagram outweighs that dissector. On the first pass; the packet's ports are set.
void detect_before_udp(godot_codec::Bytes datagram, packet_info *pinfo);

/// False if the user has disabled UDP's heuristic or ENet.
[[nodiscard]] bool is_enet_recognised();

/// Hooks onto UDP and DTLS.
void handoff_udp();

}  // namespace godot_plugin
