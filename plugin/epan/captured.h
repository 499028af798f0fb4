// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Items and subsets for ranges of the wire, of which a snap length may have cut off the end: they cover what was
/// captured. epan's own calls throw where a byte of the range was not, and end the packet as malformed.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The bytes from an offset to the end that the tvb has on the wire.
[[nodiscard]] inline godot_codec::Range behind(tvbuff_t *tvb, std::size_t offset) {
  const std::size_t reported = tvb_reported_length(tvb);
  return {offset, offset < reported ? reported - offset : 0};
}

/// The part of a range that was captured; where nothing was, no bytes at the end of the captured ones.
[[nodiscard]] godot_codec::Range captured_part(tvbuff_t *tvb, godot_codec::Range range);

/// An item that shows the bytes themselves, or covers them.
proto_item *add_captured(proto_tree *tree, int hf, tvbuff_t *tvb, godot_codec::Range range);

/// A little-endian number of the wire; none where a byte of it was not captured.
void add_captured_number(proto_tree *tree, int hf, tvbuff_t *tvb, godot_codec::Range range);

/// An item with a text. @param text epan copies it
proto_item *add_captured_text(proto_tree *tree, int hf, tvbuff_t *tvb, godot_codec::Range range, const char *text);

/// A tvb of the range: as long as it was on the wire, with as much as was captured.
[[nodiscard]] tvbuff_t *subset_of(tvbuff_t *tvb, godot_codec::Range range);

}  // namespace godot_plugin
