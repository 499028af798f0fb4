// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of ENet: the high-level multiplayer's, or Variants.
#pragma once

#include "plugin/enet/state.h"
#include "plugin/transport/peers.h"

namespace godot_plugin {

/// The game that a connection's messages are of; null where it has had no message.
[[nodiscard]] const PeerLink *find_enet_link(const EnetConnection &connection);

/// Hooks onto ENet.
void handoff_enet_messages();

}  // namespace godot_plugin
