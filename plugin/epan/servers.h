// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Servers of a capture, told apart by a number: what several of their clients' conversations have in common.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The number, from 1, of the server that a packet goes to or comes from: one for each address and port.
[[nodiscard]] unsigned number_of_server(const packet_info *pinfo, bool is_to_server);

/// A number of its own for two peers neither of which is known to be the server.
[[nodiscard]] unsigned number_of_pair();

/// Registers what has to be forgotten with the capture.
void register_servers();

}  // namespace godot_plugin
