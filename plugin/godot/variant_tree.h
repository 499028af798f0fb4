// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Adds Variants to Wireshark's tree, and the data embedded in their byte arrays and in custom payloads.
#pragma once

#include "godot-codec/embedded/embedded_format.h"
#include "godot-codec/variant/variant_text.h"
#include "godot-codec/variant/variant_walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Parameters for adding a Variant to the tree.
struct VariantTarget {
  tvbuff_t *tvb = nullptr;
  packet_info *pinfo = nullptr;
  proto_tree *tree = nullptr;   ///< parent of the root value's item; null: add only expert items
  const char *root_path = "";   ///< prefix of the values' paths, for example "/0" for a first argument
  const char *label = "Value";  ///< label of the root value
  unsigned nesting = 0;         ///< number of enclosing payloads
  /// True if an enclosing payload was compressed. Then nothing is decompressed within it, to prevent nested
  /// decompression bombs.
  bool is_decompressed = false;
  bool is_packet = false;  ///< the root value is a whole packet, which Godot rejects if the value is malformed
  /// Receives the root value's plain text, but only if the tree itself needs this text. Null: the text is not returned.
  const char **plain_text = nullptr;
  godot_codec::ScriptTextCache *texts = nullptr;  ///< texts that an earlier walk has stored; null: no texts
};

/// Adds the Variant at @p offset with all nested values. Items cover each of its bytes. If the Variant is malformed, an
/// expert item shows the reason, and one item covers the remaining bytes of the tvb.
godot_codec::WalkResult add_variant_items(const VariantTarget &target, int offset,
                                          const godot_codec::Encoding &encoding,
                                          const godot_codec::ReadOptions &options);

/// Adds an integer. @param kind the kind of its field
proto_item *add_integer(proto_tree *tree, int hf, tvbuff_t *tvb, godot_codec::Range range, godot_codec::FieldKind kind,
                        std::int64_t value);

/// Formats a text from a packet for epan: valid UTF-8, with control characters escaped, without quotes.
[[nodiscard]] const char *printable(wmem_allocator_t *pool, std::string_view text);

// ---- embedded_tree.cpp

/// Adds the data that is embedded in a range to the tree if the format is detected and the preferences allow it.
/// @param target its tree contains the item of the range; null: add nothing
/// @returns true if something was added
bool add_embedded_items(const VariantTarget &target, godot_codec::Range range,
                        const godot_codec::EmbeddedOptions &options);

}  // namespace godot_plugin
