// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/pins.h"

#include <algorithm>

namespace godot_plugin {

void EarlyPackets::add(std::uint32_t frame) {
  constexpr std::uint32_t first_capacity = 4;
  if (is_full() || (count_ > 0 && frames_[count_ - 1] == frame)) return;
  if (count_ == capacity_) {
    capacity_ = std::max(first_capacity, 2 * capacity_);
    frames_ = static_cast<std::uint32_t *>(wmem_realloc(wmem_file_scope(), frames_, capacity_ * sizeof *frames_));
  }
  frames_[count_++] = frame;
}

bool EarlyPackets::has(std::uint32_t frame) const { return std::binary_search(frames_, frames_ + count_, frame); }

}  // namespace godot_plugin
