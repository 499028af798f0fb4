// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Counts messages of the high-level multiplayer for the statistics.
#pragma once

#include "godot-codec/multiplayer/packets.h"
#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/epan/message.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// "872502711", "all", "all but 3"; null: not known
[[nodiscard]] const char *id_of_peer(const MpDrawing &drawing, std::int32_t peer);

/// Its id, or "server"; null: not known.
[[nodiscard]] const char *known_name_of_peer(const MpDrawing &drawing, std::int32_t peer);

/// A peer as tables have it: where its name is not known, "client", or its address.
[[nodiscard]] const char *name_of_peer(const MpDrawing &drawing, std::int32_t peer);

/// A packet. To be called before what is in it is counted.
void count_mp_packet(const MessageContext &context);

/// The command in it, that of a relay too, or what stands in a command's place.
void count_mp_message(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);

/// A packet's arrow in the flow graph, if it is a call, a spawn or about a connection. To be called when its route is
/// known.
void draw_mp_arrow(const MpDrawing &drawing, const godot_codec::MpReading &reading, const char *sentence);

/// Adds a message to the frame's record for the match page, if a page is being collected. In match.cpp.
void tell_match(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);

}  // namespace godot_plugin
