// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Bytes of a game's own in its messages: `godot_mp.call` by method, `godot_mp.raw` by the server's port.
#pragma once

#include "godot-codec/multiplayer/message.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// Hands a call's byte arrays to the dissector that is registered for `node.method`, or for the method alone.
/// @param node path, or null
void dissect_call_bytes(const MpDrawing &drawing, const godot_codec::MpMessage &message, const char *node,
                        const char *method);

/// Hands a raw message's or an authentication's bytes to the dissector that is registered for the server's port, here
/// or for the game's own bytes of whatever carrier, or to a heuristic one.
void dissect_raw_bytes(const MpDrawing &drawing, const godot_codec::MpMessage &message);

/// Registers the tables. @param proto `godot_mp`
void register_mp_own_bytes(int proto);

}  // namespace godot_plugin
