// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Names the ends of a packet of UDP or TCP: by its messages, else by what is known of its connection.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// To be called behind the transport's dissector. @param transport with the two ports in front
void show_ends(tvbuff_t *transport, packet_info *pinfo, proto_tree *tree);

}  // namespace godot_plugin
