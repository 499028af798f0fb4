// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Adds Variants to Wireshark's tree.
#pragma once

#include "godot-codec/variant/text.h"
#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Where and how a Variant is shown.
struct VariantTarget {
  tvbuff_t *tvb = nullptr;
  packet_info *pinfo = nullptr;
  proto_tree *tree = nullptr;      ///< parent of the root value's item; null: only adds expert items
  std::uint32_t max_elements = 0;  ///< shown elements of a packed array; 0: all
  const char *root_path = "";      ///< prefix of the values' paths: "/0" for a first argument
  const char *label = "Value";     ///< label of the root value
  unsigned nesting = 0;            ///< number of enclosing payloads
  bool is_decompressed = false;    ///< an enclosing payload was compressed
  bool is_packet = false;  ///< the root value is a whole packet: Godot rejects all of it if it cannot read the value
  /// Receives the root value's plain text, if it is computed anyway; null: not needed.
  const char **plain_text = nullptr;
  godot_codec::ValueTexts *texts = nullptr;  ///< texts that an earlier walk has stored; null: none
};

/// Adds the Variant at @p offset with everything in it. Each of its bytes is covered by an item. If it cannot be
/// decoded, an expert item shows the reason, and one item covers the remaining bytes of the tvb.
godot_codec::WalkResult add_variant_items(const VariantTarget &target, int offset,
                                          const godot_codec::Encoding &encoding,
                                          const godot_codec::ReadOptions &options);

/// Formats a text from a packet for epan: valid UTF-8, control characters escaped, without quotes.
[[nodiscard]] const char *printable(wmem_allocator_t *pool, std::string_view text);

}  // namespace godot_plugin
