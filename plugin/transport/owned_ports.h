// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Games on ports that another protocol owns: Wireshark asks the owner first, and some take whatever comes. A look is
/// taken before UDP and TCP get the packet; what can be nothing but Godot's is pinned, and goes on as always. The same
/// look finds clients of DTLS that wait for an answer in vain, whoever owns their ports.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

void register_owned_ports();
/// Registers the preference, with `godot`.
void register_owned_ports_preference();
void handoff_owned_ports();

}  // namespace godot_plugin
