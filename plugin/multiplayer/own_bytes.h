// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Passes custom payload to the game's own dissectors: `godot_mp.call` by method, `godot_mp.raw` by the server's port.
#pragma once

#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// Passes byte arrays in a message to the game's own dissector: those of a call to the dissector that is registered for
/// `node.method` or for the method alone; those of a raw message or an authentication to the dissector of the server's
/// port, here or for custom payloads over any transport, or to a heuristic one.
void dissect_own_bytes(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);

/// Registers the tables. @param proto `godot_mp`
void register_mp_own_bytes(int proto);

}  // namespace godot_plugin
