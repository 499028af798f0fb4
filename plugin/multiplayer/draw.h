// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of the high-level multiplayer drawn as items of Wireshark's tree.
#pragma once

#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// The fields of what stands before a command.
void draw_mp_prefix(const MpDrawing &drawing, const MpFields &fields);

/// The command that a prefix is, in the place of one.
proto_item *draw_mp_command(const MpDrawing &drawing, MpCommand command, Range range);

/// A command with all that is in it, but for what it relays, who sent it, and what is left over.
void draw_mp_message(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route);

/// Sender and receiver, as far as they are known.
void draw_mp_route(const MpDrawing &drawing, const MpRoute &route);

/// Draws bytes that were not read, and why. @param outcome ok: they come after the message
void draw_mp_rest(const MpDrawing &drawing, Range rest, Outcome outcome);

/// The end of a message that a limit of ours keeps from being shown.
void draw_mp_limit(const MpDrawing &drawing, proto_tree *tree, Range range);

}  // namespace godot_plugin
