// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Follow Stream of the high-level multiplayer: what each message says, and who sends it, a line each.
#pragma once

#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Which of the capture's connections it is, counted in the order in which the first message of each was shown, from 0.
[[nodiscard]] std::uint32_t mp_stream_of(const godot_codec::MpConnection &connection);

/// True if somebody follows a stream: then messages need lines.
[[nodiscard]] bool has_mp_follower();

/// A message that is dissected, for `-z follow,godot_mp,utf8,N`.
/// @param line in the packet's memory, with its newline; null where nobody follows
void follow_mp_line(packet_info *pinfo, tvbuff_t *message, const char *line);

/// Remembers a packet's connection: the window asks which one to follow, of a packet whose tree it shows.
/// @param is_from_server false as well where nobody knows which end is the server
void remember_mp_stream(packet_info *pinfo, std::uint32_t stream, unsigned direction, bool is_from_server);

void register_mp_follow(int proto);

}  // namespace godot_plugin
