// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_debug`: what the editor and a game that it debugs tell each other.
#pragma once

#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Draws a message of a stream and tells the columns of it.
/// @param context its bytes include the lengths of all packets of the message
void dissect_debug_message(const MessageContext &context);

/// Registers protocol and fields.
void register_godot_debug();

}  // namespace godot_plugin
