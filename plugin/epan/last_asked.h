// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Remembers the question that was asked last: epan asks several heuristics of ours about the same bytes, and whichever
/// is asked first asks for all.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// For the first pass, as later ones may show a packet twice in a row. Static; to be forgotten with the capture.
class LastAsked {
 public:
  void forget() { *this = {}; }
  /// True if these bytes are not those that were asked about last.
  [[nodiscard]] bool is_new(const packet_info *pinfo, const tvbuff_t *tvb) {
    const bool is_same = tvb_ == tvb && frame_ == pinfo->num;
    tvb_ = tvb;
    frame_ = pinfo->num;
    return !is_same;
  }

 private:
  const tvbuff_t *tvb_ = nullptr;
  std::uint32_t frame_ = 0;
};

}  // namespace godot_plugin
