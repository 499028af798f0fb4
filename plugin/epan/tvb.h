// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Converts a tvb for the codec, and adds items for ranges that may extend past the captured bytes (snap length). The
/// items cover only the captured part. epan's own functions would throw if a byte was not captured, and Wireshark would
/// then show the packet as malformed.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns the captured bytes of a tvb as a view; epan owns them.
[[nodiscard]] inline godot_codec::Bytes bytes_of(tvbuff_t *tvb) {
  const unsigned captured = tvb_captured_length(tvb);
  const std::uint8_t *data = captured > 0 ? tvb_get_ptr(tvb, 0, static_cast<int>(captured)) : nullptr;
  return {data, captured, tvb_reported_length(tvb)};
}

/// Returns the range from an offset to the reported end of the tvb.
[[nodiscard]] inline godot_codec::Range range_from(tvbuff_t *tvb, std::size_t offset) {
  const std::size_t reported = tvb_reported_length(tvb);
  return {offset, offset < reported ? reported - offset : 0};
}

/// Clips a range to the captured bytes. If no byte of the range was captured, returns an empty range at the end of the
/// captured bytes.
[[nodiscard]] godot_codec::Range captured_range(tvbuff_t *tvb, godot_codec::Range range);

/// Adds a protocol's item. @returns null without a tree: epan would check the tvb for nothing
inline proto_item *add_protocol_item(proto_tree *tree, int proto, tvbuff_t *tvb) {
  return tree == nullptr ? nullptr : proto_tree_add_item(tree, proto, tvb, 0, -1, ENC_NA);
}

/// Adds an item for a range. Whether the item shows the bytes depends on the field's type.
proto_item *add_captured(proto_tree *tree, int hf, tvbuff_t *tvb, godot_codec::Range range);

/// Adds a little-endian number. Adds nothing if the capture lacks one of its bytes.
void add_captured_number(proto_tree *tree, int hf, tvbuff_t *tvb, godot_codec::Range range);

/// Adds an item with a text. epan copies @p text.
proto_item *add_captured_text(proto_tree *tree, int hf, tvbuff_t *tvb, godot_codec::Range range, const char *text);

/// Adds a generated item that links to a frame.
void add_frame_link(proto_tree *tree, int hf, tvbuff_t *tvb, std::uint32_t frame);

/// Adds a generated item with the time between two events, in nanoseconds.
void add_duration(proto_tree *tree, int hf, tvbuff_t *tvb, std::int64_t nanoseconds);

/// Returns a tvb of the range. The tvb has the range's full length, even if only a part was captured.
[[nodiscard]] tvbuff_t *subset_of(tvbuff_t *tvb, godot_codec::Range range);

}  // namespace godot_plugin
