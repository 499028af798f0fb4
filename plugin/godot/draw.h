// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The codec's events drawn as items of Wireshark's tree.
#pragma once

#include "godot-codec/variant/text.h"
#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The place and the options for drawing a value.
struct DrawTarget {
  tvbuff_t *tvb = nullptr;
  packet_info *pinfo = nullptr;
  proto_tree *tree = nullptr;      ///< the root value becomes an item of it; null: expert items alone are told
  std::uint32_t max_elements = 0;  ///< for a packed array; 0: all
  const char *root_path = "";      ///< the beginning of paths: "/0" for a first argument
  const char *label = "Value";     ///< the root value's label
  unsigned nesting = 0;            ///< how many layers of bytes were opened around
  bool is_unpacked = false;        ///< one of them was compressed
  bool is_packet = false;          ///< the root value is a packet, all of which Godot refuses where it cannot read it
  /// Where the root value's plain text is put, if it is known from drawing; null: nobody wants it.
  const char **plain_text = nullptr;
  godot_codec::ValueTexts *texts = nullptr;  ///< those that an earlier walk has written; null: none
};

/// Once, when the plugin is registered.
void register_drawing();

/// Draws the Variant at @p offset with all that is in it; every byte of it lies under an item. Where it cannot be
/// read on, an expert item says why, and one item covers the bytes from there to the tvb's end.
godot_codec::WalkResult draw_variant(const DrawTarget &target, int offset, const godot_codec::Encoding &encoding,
                                     const godot_codec::ReadOptions &options);

/// Text of a packet as epan may have it: valid UTF-8, control characters escaped, without quotes.
[[nodiscard]] const char *printable(wmem_allocator_t *pool, std::string_view text);

}  // namespace godot_plugin
