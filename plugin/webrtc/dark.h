// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Connections of WebRTC that cannot be read: the reason is told once in each.
#pragma once

#include "plugin/epan/ws_compat.h"
#include "plugin/webrtc/ice.h"

namespace godot_plugin {

/// To be called when a datagram with data was dissected: tells why nobody could read it, if that is so.
void tell_of_dark_data(IcePair &pair, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

void register_dark(int proto);

}  // namespace godot_plugin
