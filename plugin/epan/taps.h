// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Checks for tap listeners, so that data is only computed if it is used.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if a tap has a listener that gets the data queued for this packet. False on the first pass of `-2`, and while
/// the window shows a packet: epan knows the listeners then, too, but queues nothing.
[[nodiscard]] bool is_tapped(int tap, packet_info *pinfo);

/// Tap of the findings (statistics/findings.h).
inline constexpr const char *finding_tap = "godot_problem";

/// True if expert items are needed: by the tree, by the list of all expert items, or by the table of problems. Only
/// code that builds the tree adds expert items, and epan passes no tree for the two lists.
[[nodiscard]] bool wants_experts(packet_info *pinfo, const proto_tree *tree);

/// Call once, when the plugin is registered.
void register_probe_tap();

}  // namespace godot_plugin
