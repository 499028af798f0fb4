// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Who wants to hear of expert items.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if somebody lists expert items.
[[nodiscard]] inline bool have_expert_listener() {
  static const int tap = find_tap_id("expert");
  return have_tap_listener(tap) != 0;
}

/// True if somebody looks at findings that only drawing makes: the tree, or a list of all expert items, for which epan
/// makes no tree. A plain list of packets costs no more.
[[nodiscard]] inline bool wants_experts(const proto_tree *tree) { return tree != nullptr || have_expert_listener(); }

}  // namespace godot_plugin
