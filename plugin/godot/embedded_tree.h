// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Shows the data embedded in a custom payload or a byte array.
#pragma once

#include "godot-codec/core/bytes.h"
#include "godot-codec/embedded/embedded_format.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct EmbeddedTarget {
  tvbuff_t *tvb;
  packet_info *pinfo;
  proto_tree *tree;          ///< the tree with the bytes' item; null: add nothing
  godot_codec::Range range;  ///< range of the bytes that contain the embedded data
  const char *path;          ///< prefix of the paths of the values, for example "/blob"
  unsigned nesting;          ///< number of enclosing payloads
  bool is_decompressed;      ///< true if an enclosing payload was compressed. Then nothing is decompressed within it,
                             ///< to prevent nested decompression bombs.
  godot_codec::EmbeddedOptions options;  ///< how to detect the data
};

/// Adds the embedded data to the tree if the format is detected and the preferences allow it. @returns true if
/// something was added
bool add_embedded_items(const EmbeddedTarget &target);

}  // namespace godot_plugin
