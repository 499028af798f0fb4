// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The capture's one session of the high-level multiplayer, and its connections as the plugin finds them.
#pragma once

#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A client's connection to its server: what the session knows of it, and what has been decided about it.
struct MpLink {
  godot_codec::MpConnection *connection;
  unsigned client_direction;  ///< direction_of() what the client sends
  bool is_known;              ///< a message has shown that it is one of the high-level multiplayer
  godot_codec::Generation generation;
  /// Godot 3 over ENet: which prefix its packets have, once one of them has shown it; none before.
  godot_codec::MpFraming enet3_framing;
  bool has_messages;  ///< any, its own or not
  bool is_greeted;    ///< its connection began as those of games do
};

/// A new connection. For the first pass.
/// @param is_to_server which way the packet goes
/// @param is_from_start the connection began in the capture
[[nodiscard]] MpLink *new_mp_link(const packet_info *pinfo, bool is_to_server, bool is_from_start);

[[nodiscard]] bool is_from_client(const packet_info *pinfo, const MpLink &link);

/// Makes the session when a capture is opened, and frees it with the capture.
void register_mp_state();

}  // namespace godot_plugin
