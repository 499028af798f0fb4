// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Tells the match page what a message says: whose it is, nodes, values.
#pragma once

#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// Adds a message to the frame's record, where a page wants it.
void tell_match(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);

}  // namespace godot_plugin
