// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Statistics and Follow Stream of the protocols here.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A datagram of a connection, for `-z conv,enet` and the Conversations window.
void tap_datagram(packet_info *pinfo);

/// A message as what runs inside of ENet sees it, for Follow Stream. The tvb lives as long as the packet.
void tap_message(packet_info *pinfo, tvbuff_t *message);

void register_enet_stats(int proto);

}  // namespace godot_plugin
