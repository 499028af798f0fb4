// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Formats that the game's author has described in a file: its fields, and bytes drawn by them.
#pragma once

#include <string_view>

#include "godot-codec/layout/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Null if the user has none. It changes when a preference does or a capture is opened, and not within a packet.
[[nodiscard]] const godot_codec::Layouts *game_layouts();

/// Reads the file again if it is another one or has changed; then its fields are others, too.
/// @param file empty: `layouts.txt` in @p project, if that has one
void read_game_layouts(std::string_view file, std::string_view project);

/// Tells mistakes in the file, once in a capture: with the first packet that asks.
void note_game_layouts(packet_info *pinfo, proto_item *item);
void forget_told_layouts();

/// Where a layout is drawn.
struct LayoutDrawing {
  tvbuff_t *tvb;  ///< its bytes, and no others
  packet_info *pinfo;
  proto_tree *root;  ///< the packet's
  godot_codec::Encoding encoding;
  const char *what;  ///< the subject of the layout: "World.blob"; null where nothing says it
};

/// Draws bytes as a protocol of their own.
void draw_layout(const LayoutDrawing &drawing, const godot_codec::Layout &layout);

/// Registers the protocol `game`.
void register_layouts();

}  // namespace godot_plugin
