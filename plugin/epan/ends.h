// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Who speaks to whom, by name: the fields `godot.from` and `godot.to`, for the columns of the profile.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The server's name, where others have numbers.
inline constexpr const char *server_name = "server";

/// The ends of a packet: names, in the packet's memory. Null: not known.
struct NamedEnds {
  const char *from;
  const char *to;
};

/// True if a column or a filter asks for the names, or the whole tree is shown.
[[nodiscard]] bool wants_ends(proto_tree *tree);

/// True if a column or a filter asks for the names. Then they stand in packets of others, too; in a tree that is shown,
/// others' packets have none.
[[nodiscard]] bool are_ends_named();

/// The names that the packet's first message has told; to be filled in by who knows them.
[[nodiscard]] NamedEnds &named_ends_of(packet_info *pinfo);

/// Adds the names to the tree. Those that are not known are the ports.
void draw_ends(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, std::uint32_t source_port,
               std::uint32_t destination_port);

/// @param proto the protocol `godot`
void register_ends(int proto);

}  // namespace godot_plugin
