// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Custom formats: reads the game's description file, registers its fields, and shows payloads.
#pragma once

#include <cstdint>
#include <string_view>

#include "godot-codec/layout/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns the custom formats; null if there is no description file, or no format in the file. The result changes only
/// when preferences change or a capture is opened, never within a packet.
[[nodiscard]] const godot_codec::LayoutFile *game_layouts();

/// Reads the description file and registers its fields. Does nothing if path and content have not changed.
/// @param file empty: `layouts.txt` in @p project, if it exists
void read_game_layouts(std::string_view file, std::string_view project);

/// Adds expert items for errors in the description file, but only at the first packet of a capture that calls this.
void report_layout_errors(packet_info *pinfo, proto_item *item);

/// A payload, and the place in the tree that shows the payload.
struct LayoutTarget {
  tvbuff_t *tvb;  ///< the payload
  packet_info *pinfo;
  proto_tree *root;  ///< tree of the packet
  godot_codec::Encoding encoding;
  const char *what;  ///< name of the payload, for example "World.blob"; null if not known
};

/// Shows a payload as a protocol item, with the fields of its layout.
void add_layout_items(const LayoutTarget &target, const godot_codec::Layout &layout);

/// Registers the protocol `game`.
void register_layouts();

// ---- shared by game_layouts.cpp (file and fields) and layout_tree.cpp (tree items)

extern int proto_game;

/// Returns the registered field for an index in game_layouts()->fields().
[[nodiscard]] int registered_layout_field(std::uint32_t field);

}  // namespace godot_plugin
