// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Bytes of a game's own, handed to whoever knows them: a dissector of the user's, in Lua or C.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A dissector table by the port of the game's server, with Decode As. @param name it must live on
[[nodiscard]] dissector_table_t register_server_port_table(const char *name, const char *title, int proto,
                                                           const char *protocol);

/// Calls a dissector. An error of its own is shown in its place, and the columns stay as they are.
void call_own_dissector(dissector_handle_t handle, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/// Asks the heuristics of `godot.raw` likewise. @returns whether one has taken the bytes
bool call_own_heuristics(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/// Registers the heuristic list `godot.raw`. @param proto `godot`
void register_own_heuristics(int proto);

}  // namespace godot_plugin
