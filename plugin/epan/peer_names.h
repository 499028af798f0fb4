// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Names of the sender and the receiver: the fields `godot.from` and `godot.to`, for the columns of the profile.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The server's name; other peers are shown by their IDs.
inline constexpr const char *server_name = "server";

/// Names of a packet's sender and receiver, in the packet's memory; null if not known.
struct PeerNames {
  const char *from;
  const char *to;
};

/// True if a column or a filter uses the names, or the whole tree is shown.
[[nodiscard]] bool wants_peer_names(proto_tree *tree);

/// True if a column or a filter uses the names. Only then do foreign packets get names, too.
[[nodiscard]] bool is_any_peer_name_shown();

/// Returns the names of the packet's peers. The dissector of the first message fills them in.
[[nodiscard]] PeerNames &peer_names_of(packet_info *pinfo);

/// Adds the names to the tree. Shows the port if a name is not known.
void add_peer_names(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, std::uint32_t source_port,
                    std::uint32_t destination_port);

}  // namespace godot_plugin
