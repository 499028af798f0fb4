// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Draws what a game's own bytes hold.
#pragma once

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/types.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct InsideDrawing {
  tvbuff_t *tvb;
  packet_info *pinfo;
  proto_tree *tree;          ///< that of the bytes; null: nothing is drawn
  godot_codec::Range range;  ///< the bytes in the tvb
  const char *path;          ///< the beginning of values' paths: "/blob"
  unsigned nesting;          ///< how many layers were opened around
  bool is_unpacked;  ///< one of them was compressed: none within it is decompressed, or bombs of bombs would go off
  bool has_dialect;
  godot_codec::Dialect dialect;  ///< the Variants' dialect, if it is known
  bool are_variants = false;     ///< the user has named the port for Variants
};

/// Draws what bytes hold, if that can be told and the user does not mind. @returns whether it was
bool draw_inside(const InsideDrawing &drawing);

}  // namespace godot_plugin
