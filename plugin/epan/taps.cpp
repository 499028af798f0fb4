// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/taps.h"

#include "plugin/epan/internals.h"

namespace godot_plugin {
namespace {

int probe_tap = -1;

// True if epan queues tap data for this packet. epan has no function for this, so the first call queues data on a tap
// without listeners, and checks whether it was queued.
bool is_tap_data_queued(packet_info *pinfo) {
  if (fetch_tapped_data(probe_tap, 0) != nullptr) return true;
  queue_for_frame(probe_tap, pinfo, &probe_tap);
  return fetch_tapped_data(probe_tap, 0) != nullptr;
}

}  // namespace

bool is_tapped(int tap, packet_info *pinfo) { return have_tap_listener(tap) != 0 && is_tap_data_queued(pinfo); }

bool wants_experts(packet_info *pinfo, const proto_tree *tree) {
  static const int experts = find_tap_id("expert");
  static const int findings = find_tap_id(finding_tap);
  return tree != nullptr || is_tapped(experts, pinfo) || is_tapped(findings, pinfo);
}

void register_probe_tap() { probe_tap = register_tap("godot_probe"); }

}  // namespace godot_plugin
