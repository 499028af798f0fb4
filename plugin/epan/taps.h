// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Checks for tap listeners, so that data is only computed if it is used.
#pragma once

#include "plugin/epan/internals.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

inline int probe_tap = -1;

/// Registers the tap of is_tap_data_queued(). Call once, when the plugin is registered.
inline void register_probe_tap() { probe_tap = register_tap("godot_probe"); }

/// True if epan queues tap data for this packet. epan has no function for this. So the first call queues data on a tap
/// without listeners, and checks whether epan returns the data.
[[nodiscard]] inline bool is_tap_data_queued(packet_info *pinfo) {
  if (fetch_tapped_data(probe_tap, 0) != nullptr) return true;
  queue_tap_data(probe_tap, pinfo, &probe_tap);
  return fetch_tapped_data(probe_tap, 0) != nullptr;
}

/// True if a tap has a listener and epan queues data for this packet. epan queues nothing on the first pass of `-2`,
/// and while the window shows a selected packet.
[[nodiscard]] inline bool is_tapped(int tap, packet_info *pinfo) {
  return have_tap_listener(tap) != 0 && is_tap_data_queued(pinfo);
}

/// Name of the tap that receives findings (statistics/findings.h).
inline constexpr const char *finding_tap = "godot_problem";

/// True if the tree, the list of all expert items or the Problems table needs expert items. epan passes no tree for the
/// last two, but only code that builds the tree adds expert items.
[[nodiscard]] inline bool needs_expert_items(packet_info *pinfo, const proto_tree *tree) {
  static const int experts = find_tap_id("expert");
  static const int findings = find_tap_id(finding_tap);
  return tree != nullptr || is_tapped(experts, pinfo) || is_tapped(findings, pinfo);
}

}  // namespace godot_plugin
