// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Datagrams: whose they are, where nobody has named the port.
#pragma once

namespace godot_plugin {

void register_udp();

/// Hooks onto UDP and DTLS.
void handoff_udp();

}  // namespace godot_plugin
