// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Games on ports that another protocol owns: Wireshark asks the owner first, and some take whatever comes. A look is
/// taken before UDP and TCP get the packet; what can be nothing but Godot's is pinned, and goes on as always.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// @param module the preferences of `godot`; its callback is to call apply_owned_ports()
void register_owned_ports(module_t *module);
void handoff_owned_ports();
/// Does as the preference says.
void apply_owned_ports();

}  // namespace godot_plugin
