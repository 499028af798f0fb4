// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Datagrams of UDP, and inside of DTLS: whose they are, where nobody has named the port.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

void register_udp();

/// True if a datagram is worth a claim_datagram(). Takes no time.
[[nodiscard]] bool may_claim_datagram(godot_codec::Bytes datagram);

/// Pins the conversation of a datagram that can be nothing but ENet's or a Variant, before UDP gets it. On the first
/// pass; the packet's ports are set.
void claim_datagram(godot_codec::Bytes datagram, packet_info *pinfo);

/// True if ENet is recognised by datagrams' bytes: the user has not switched that off.
[[nodiscard]] bool is_enet_recognised();

/// Hooks onto UDP and DTLS.
void handoff_udp();

}  // namespace godot_plugin
