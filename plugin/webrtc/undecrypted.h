// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Reports WebRTC connections that cannot be decrypted, once per connection with the reason.
#pragma once

#include "plugin/epan/ws_compat.h"
#include "plugin/webrtc/ice.h"

namespace godot_plugin {

/// Call after a datagram with data was dissected: if it was not decrypted, reports why.
void report_undecrypted_data(const IceDatagram &datagram, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/// Shows why a connection cannot be decrypted: adds a tree item without bytes, a problem, and a mark in the Info
/// column.
/// @param what the text in Problems
void add_undecrypted_connection(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const char *what,
                                const char *reason);

void register_undecrypted(int proto);

}  // namespace godot_plugin
