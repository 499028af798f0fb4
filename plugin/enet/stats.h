// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// ENet in the Conversations and Endpoints windows, and Follow Stream.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Passes a datagram of a connection to `-z conv,enet` and the Conversations window.
void tap_datagram(packet_info *pinfo);

/// Passes a message to Follow Stream, as the subdissectors get it. The tvb lives as long as the packet.
void tap_message(packet_info *pinfo, tvbuff_t *message);

void register_enet_stats(int proto);

}  // namespace godot_plugin
