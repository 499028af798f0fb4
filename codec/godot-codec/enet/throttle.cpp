// SPDX-License-Identifier: MIT
#include "godot-codec/enet/throttle.h"

#include <algorithm>

namespace godot_codec {

bool is_throttled(const EnetSideFacts &side, const EnetUnreliable &messages, std::uint32_t late) {
  // Minimum increase of the round-trip time, in nanoseconds. ENet compares milliseconds, and tolerates twice the
  // variance, which is at least one millisecond.
  constexpr std::int64_t min_rise = 5 * nanoseconds_per_second / 1000;
  constexpr std::uint64_t min_expected_losses = 8;
  constexpr std::uint64_t loss_ratio = 8;
  // The throttle drops a message with all its fragments, so a message that arrived in part was lost on the link.
  const bool is_lossy = messages.missing > messages.skipped;
  if (side.round_trips == nullptr || messages.skipped == 0 || is_lossy) return false;
  if (side.round_trips->most() - side.round_trips->least() < min_rise) return false;
  const std::uint64_t expected_losses = side.round_trips->count() * messages.skipped / messages.all;
  const std::uint32_t lost = std::max(side.retransmissions - std::min(side.retransmissions, side.spurious), late);
  return expected_losses >= min_expected_losses && lost * loss_ratio <= expected_losses;
}

}  // namespace godot_codec
