// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_debug`: messages between the editor and a running game.
#pragma once

#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Dissects a message of a stream: columns, tree and statistics.
/// @param context its bytes include the length prefixes of all packets of the message
void dissect_debug_message(const MessageContext &context);

void register_godot_debug();

}  // namespace godot_plugin
