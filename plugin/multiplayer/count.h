// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Adds messages of the high-level multiplayer to the record of the frame, for the tables, the match page and the flow
/// graph.
#pragma once

#include "godot-codec/multiplayer/packets.h"
#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/epan/message.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// Returns the ID of a peer: "872502711", "all", "all but 3"; null: not known.
[[nodiscard]] const char *id_of_peer(const MpDrawing &drawing, std::int32_t peer);

/// Returns the ID of a peer, or "server"; null: not known.
[[nodiscard]] const char *known_name_of_peer(const MpDrawing &drawing, std::int32_t peer);

/// Returns the name of a peer for tables: "client" or its address if the ID is not known.
[[nodiscard]] const char *name_of_peer(const MpDrawing &drawing, std::int32_t peer);

/// Counts a packet. Call it before its messages are counted.
void count_mp_packet(const MessageContext &context);

/// Counts a command, a relayed command, or a prefix that replaces a command.
void count_mp_message(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);

/// Adds the arrow of a packet to the flow graph, if the table of commands has an arrow for it. Call it after the route
/// was noted.
void draw_mp_arrow(const MpDrawing &drawing, const godot_codec::MpReading &reading, const char *sentence);

/// Adds a message to the frame's record for the match page, if a page is being collected. In match.cpp.
void tell_match(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);

}  // namespace godot_plugin
