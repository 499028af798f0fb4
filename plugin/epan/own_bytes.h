// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Bytes of a game's own, handed to whoever knows them: a dissector of the user's, in Lua or C.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A dissector table by the port of the game's server, with Decode As. @param name it must live on
[[nodiscard]] dissector_table_t register_server_port_table(const char *name, const char *title, int proto,
                                                           const char *protocol);

/// Bytes for a dissector of the user's.
struct OwnCall {
  dissector_handle_t handle;  ///< null: the heuristics of `godot.raw`
  tvbuff_t *tvb;
  proto_tree *tree;
};

/// The result of calling a game's own dissector.
struct OwnAnswer {
  bool is_taken;
  const char *protocol;  ///< its text in the column Protocol, printable; null: none
  const char *text;      ///< its text in the column Info, printable; null: none
};

/// Calls a dissector. An error of its own is shown in its place. What it writes to columns is in the answer alone:
/// messages around it keep theirs.
OwnAnswer call_own_dissector(packet_info *pinfo, const OwnCall &call);

/// Who is registered in `godot.raw` for the bytes of a server, on whatever carrier; null: nobody.
[[nodiscard]] dissector_handle_t find_own_dissector(std::uint32_t server_port);

/// The word that a text begins with, "Hit" of "Hit 5" and of "Hit(5)": tables count by it. Null without one.
[[nodiscard]] const char *first_word(packet_info *pinfo, const char *text);

/// Registers the table and the heuristic list `godot.raw`. @param proto `godot`
void register_own_bytes(int proto);

}  // namespace godot_plugin
