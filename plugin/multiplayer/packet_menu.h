// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Entries of a packet's context menu in Wireshark's window, which plugins may have from 4.4 on.
#pragma once

namespace godot_plugin {

void register_packet_menu();

}  // namespace godot_plugin
