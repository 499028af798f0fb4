// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of the high-level multiplayer drawn as items of Wireshark's tree.
#pragma once

#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// The fields of what stands before a command.
void draw_mp_prefix(const MpDrawing &drawing, const godot_codec::MpFields &fields);

/// The command that a prefix is, in the place of one.
proto_item *draw_mp_command(const MpDrawing &drawing, godot_codec::MpCommand command, godot_codec::Range range);

/// A command with all that is in it, but for what it relays, who sent it, and what is left over.
void draw_mp_message(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);

/// Sender and receiver, as far as they are known.
void draw_mp_route(const MpDrawing &drawing, const godot_codec::MpRoute &route);

/// Draws bytes that were not read, and why. @param outcome ok: they come after the message
void draw_mp_rest(const MpDrawing &drawing, godot_codec::Range rest, godot_codec::Outcome outcome);

/// The end of a message that a limit of ours keeps from being shown.
void draw_mp_limit(const MpDrawing &drawing, proto_tree *tree, godot_codec::Range range);

}  // namespace godot_plugin
