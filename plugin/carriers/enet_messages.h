// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of ENet: the high-level multiplayer's, or Variants.
#pragma once

#include "plugin/carriers/peers.h"
#include "plugin/enet/state.h"

namespace godot_plugin {

/// What a connection's messages have shown; null where it has had none.
[[nodiscard]] const PeerLink *find_enet_link(const EnetConnection &connection);

/// Hooks onto ENet.
void handoff_enet_messages();

}  // namespace godot_plugin
