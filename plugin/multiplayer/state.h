// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The capture's one session of the high-level multiplayer.
#pragma once

#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A new connection to a server, in the capture's session.
/// @param is_from_start it began in the capture
/// @param transmissions see godot_codec::MpDeliveryTracker
/// @param has_roles it is known which end is the server
[[nodiscard]] godot_codec::MpConnection *new_mp_connection(unsigned server, bool is_from_start,
                                                           const godot_codec::MpTransmissions *transmissions,
                                                           bool has_roles);

/// The session of the capture that is open.
[[nodiscard]] const godot_codec::MpSession &mp_session();

/// Makes the session when a capture is opened, and frees it with the capture.
void register_mp_state();

}  // namespace godot_plugin
