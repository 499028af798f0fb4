// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The capture's one session of the high-level multiplayer.
#pragma once

#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The number of the server of a game over WebRTC, whose connections have an address each: that of the game that was
/// played at the time. @param time of the capture, in nanoseconds; to be told of each packet
[[nodiscard]] unsigned number_of_webrtc_server(std::int64_t time);

/// A new connection to a server, in the capture's session.
/// @param is_from_start it began in the capture
/// @param missing what the capture lacks of what the ends have sent; null: the carrier does not say
[[nodiscard]] godot_codec::MpConnection *new_mp_connection(unsigned server, bool is_from_start,
                                                           const godot_codec::MpMissing *missing);

/// The session of the capture that is open.
[[nodiscard]] const godot_codec::MpSession &mp_session();

/// Says which end of a connection is the server, as MpSession::learn_roles() has it.
void learn_mp_roles(godot_codec::MpConnection &connection, unsigned server, bool is_turned);

/// Makes the session when a capture is opened, and frees it with the capture.
void register_mp_state();

}  // namespace godot_plugin
