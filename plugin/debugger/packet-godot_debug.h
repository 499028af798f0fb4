// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_debug`: what the editor and a game that it debugs tell each other.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Draws a message of a stream and tells the columns of it.
/// @param tvb the message with the lengths of all its packets
/// @param number of the message, among those of the same frame
void dissect_debug_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, std::uint32_t number);

/// Registers protocol and fields.
void register_godot_debug();

}  // namespace godot_plugin
