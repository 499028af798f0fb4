// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Assigns numbers to the servers of a capture, so that connections to the same server can be grouped.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns the index, from 1, of the server that sends or receives the packet. Each address and port has one index.
[[nodiscard]] unsigned server_index_of(const packet_info *pinfo, bool is_to_server);

/// Returns a new index, for two peers of which neither is known to be the server.
[[nodiscard]] unsigned new_pair_index();

}  // namespace godot_plugin
