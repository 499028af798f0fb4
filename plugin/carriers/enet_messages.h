// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of ENet: the high-level multiplayer's, or Variants.
#pragma once

namespace godot_plugin {

/// Hooks onto ENet.
void handoff_enet_messages();

}  // namespace godot_plugin
