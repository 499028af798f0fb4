// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Names the client of a followed stream.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Sets the client of a stream before its first packet. Otherwise epan takes the first sender for the client, and
/// counts each side's packets by that. In a game, the server often sends first. Call before the stream's first packet
/// is passed to follow_tvb_tap_listener().
inline void name_followed_client(void *follow, const packet_info *pinfo, bool is_from_client) {
  follow_info_t &info = *static_cast<follow_info_t *>(follow);
  if (info.client_port != 0 || is_from_client) return;
  info.client_port = pinfo->destport;
  copy_address(&info.client_ip, &pinfo->dst);
  info.server_port = pinfo->srcport;
  copy_address(&info.server_ip, &pinfo->src);
}

}  // namespace godot_plugin
