// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/taps.h"

#include "plugin/epan/internals.h"

namespace godot_plugin {
namespace {

int probe_tap = -1;

// epan does not say so. What it has queued of a packet can be asked for: the first to ask queues what nobody listens
// to.
bool are_queued(packet_info *pinfo) {
  if (fetch_tapped_data(probe_tap, 0) != nullptr) return true;
  queue_for_frame(probe_tap, pinfo, &probe_tap);
  return fetch_tapped_data(probe_tap, 0) != nullptr;
}

}  // namespace

bool is_tapped(int tap, packet_info *pinfo) { return have_tap_listener(tap) != 0 && are_queued(pinfo); }

bool wants_experts(packet_info *pinfo, const proto_tree *tree) {
  static const int experts = find_tap_id("expert");
  static const int findings = find_tap_id(finding_tap);
  return tree != nullptr || is_tapped(experts, pinfo) || is_tapped(findings, pinfo);
}

void register_probe_tap() { probe_tap = register_tap("godot_probe"); }

}  // namespace godot_plugin
