// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_debug`: messages between the editor and a running game.
#pragma once

#include "plugin/epan/message_context.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Dissects a message of a TCP stream: adds its columns, tree items and statistics.
/// @param context the message; its bytes include the length prefixes of all packets of the message
void dissect_debug_message(const MessageContext &context);

void register_godot_debug();

}  // namespace godot_plugin
