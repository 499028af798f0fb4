// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Adds items for messages of the high-level multiplayer to Wireshark's tree.
#pragma once

#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// Adds the fields of the prefix of a command.
void draw_mp_prefix(const MpDrawing &drawing, const godot_codec::MpFields &fields);

/// Adds the command of a prefix that replaces a command.
proto_item *draw_mp_command(const MpDrawing &drawing, godot_codec::MpCommand command, godot_codec::Range range);

/// Adds a command and its content, and checks its rules. Does not add the relayed command, the route and the rest.
void draw_mp_message(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);

/// Adds sender and receiver, as far as they are known.
void draw_mp_route(const MpDrawing &drawing, const godot_codec::MpRoute &route);

/// Adds bytes that were not read, and the reason. @param outcome ok: the bytes follow the message
void draw_mp_rest(const MpDrawing &drawing, godot_codec::Range rest, godot_codec::Outcome outcome);

/// Adds the end of a message that is over one of our limits.
void draw_mp_limit(const MpDrawing &drawing, proto_tree *tree, godot_codec::Range range);

}  // namespace godot_plugin
