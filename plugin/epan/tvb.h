// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Converts epan's buffers to the codec's bytes.
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

}  // namespace godot_plugin
