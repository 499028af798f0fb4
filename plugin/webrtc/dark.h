// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Connections of WebRTC that cannot be read: the reason is told once in each.
#pragma once

#include "plugin/epan/ws_compat.h"
#include "plugin/webrtc/ice.h"

namespace godot_plugin {

/// To be called when a datagram with data was dissected: tells why nobody could read it, if that is so.
void tell_of_dark_data(const IceDatagram &datagram, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/// Draws why a connection cannot be read, as an item without bytes, a problem and a word in Info. @param what the row
/// of Problems
void draw_dark_connection(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const char *what, const char *reason);

void register_dark(int proto);

}  // namespace godot_plugin
