// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/tvb.h"

#include <algorithm>

#include "godot-codec/core/packet_position.h"

namespace godot_plugin {

using godot_codec::Range;

Range captured_range(tvbuff_t *tvb, Range range) {
  const std::size_t captured = tvb_captured_length(tvb);
  const std::size_t start = std::min(range.offset, captured);
  return {start, std::min(range.length, captured - start)};
}

proto_item *add_captured(proto_tree *tree, int hf, tvbuff_t *tvb, Range range) {
  const Range part = captured_range(tvb, range);
  return proto_tree_add_item(tree, hf, tvb, static_cast<int>(part.offset), static_cast<int>(part.length), ENC_NA);
}

void add_captured_number(proto_tree *tree, int hf, tvbuff_t *tvb, Range range) {
  if (captured_range(tvb, range).length < range.length) return;
  proto_tree_add_item(tree, hf, tvb, static_cast<int>(range.offset), static_cast<int>(range.length), ENC_LITTLE_ENDIAN);
}

proto_item *add_captured_text(proto_tree *tree, int hf, tvbuff_t *tvb, Range range, const char *text) {
  const Range part = captured_range(tvb, range);
  return proto_tree_add_string(tree, hf, tvb, static_cast<int>(part.offset), static_cast<int>(part.length), text);
}

void add_frame_link(proto_tree *tree, int hf, tvbuff_t *tvb, std::uint32_t frame) {
  proto_item_set_generated(proto_tree_add_uint(tree, hf, tvb, 0, 0, frame));
}

void add_duration(proto_tree *tree, int hf, tvbuff_t *tvb, std::int64_t nanoseconds) {
  nstime_t time;
  time.secs = static_cast<time_t>(nanoseconds / godot_codec::nanoseconds_per_second);
  time.nsecs = static_cast<int>(nanoseconds % godot_codec::nanoseconds_per_second);
  proto_item_set_generated(proto_tree_add_time(tree, hf, tvb, 0, 0, &time));
}

tvbuff_t *subset_of(tvbuff_t *tvb, Range range) {
  const Range part = captured_range(tvb, range);
  const std::size_t reported = tvb_reported_length(tvb);
  const std::size_t length = std::min(range.length, reported - std::min(part.offset, reported));
  return tvb_new_subset_length_caplen(tvb, static_cast<int>(part.offset), static_cast<int>(part.length),
                                      static_cast<int>(length));
}

}  // namespace godot_plugin
