// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Custom formats from the game's description file: reads the file, registers its fields, and shows payloads.
#pragma once

#include <cstdint>
#include <string_view>

#include "godot-codec/layout/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns null if there is no file, or no format in it. Changes only with preferences or when a capture is opened,
/// never within a packet.
[[nodiscard]] const godot_codec::Layouts *game_layouts();

/// Reads the description file again if its path or content has changed. Then its fields are registered anew.
/// @param file empty: `layouts.txt` in @p project, if it exists
void read_game_layouts(std::string_view file, std::string_view project);

/// Adds expert items for errors in the file. They are shown once per capture, at the first packet that calls this.
void report_layout_errors(packet_info *pinfo, proto_item *item);

/// Where a payload is shown.
struct LayoutTarget {
  tvbuff_t *tvb;  ///< the payload
  packet_info *pinfo;
  proto_tree *root;  ///< tree of the packet
  godot_codec::Encoding encoding;
  const char *what;  ///< what the layout belongs to: "World.blob"; null if unknown
};

/// Shows a payload as a protocol item, with the fields of its layout.
void add_layout_items(const LayoutTarget &target, const godot_codec::Layout &layout);

/// Registers the protocol `game`.
void register_layouts();

// ---- between layouts.cpp (file and fields) and layout_tree.cpp (tree items)

extern int proto_game;

/// Returns the registered field for an index in game_layouts()->fields().
[[nodiscard]] int registered_layout_field(std::uint32_t field);

void register_layout_tree();

}  // namespace godot_plugin
