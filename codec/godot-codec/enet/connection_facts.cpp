// SPDX-License-Identifier: MIT
#include "godot-codec/enet/connection_facts.h"

#include <algorithm>
#include <bit>

namespace godot_codec {

void RoundTripStatistics::add(std::int64_t time) {
  shortest_ = count_ == 0 ? time : std::min(shortest_, time);
  longest_ = count_ == 0 ? time : std::max(longest_, time);
  sum_ += static_cast<double>(time);
  ++count_;
  ++buckets_[bucket_index(time)];
}

std::int64_t RoundTripStatistics::mean() const {
  // The result is clamped to the range of the values, because rounding errors may exceed it.
  const double mean = count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
  if (mean >= static_cast<double>(longest_)) return longest_;
  return mean <= static_cast<double>(shortest_) ? shortest_ : static_cast<std::int64_t>(mean);
}

std::int64_t RoundTripStatistics::percentile(unsigned percent) const {
  const double wanted = static_cast<double>(count_) * percent / 100;
  double below = 0;
  for (std::size_t bucket = bucket_index(shortest_); bucket < bucket_count; ++bucket) {
    below += buckets_[bucket];
    if (below > 0 && below >= wanted) return std::clamp(bucket_end(bucket), shortest_, longest_);
  }
  return longest_;
}

std::size_t RoundTripStatistics::bucket_index(std::int64_t time) {
  constexpr std::int64_t least = std::int64_t{1} << first_doubling;
  constexpr std::int64_t end = std::int64_t{1} << last_doubling;
  const auto bounded = static_cast<std::uint64_t>(std::clamp(time, least, end - 1));
  const auto doubling = static_cast<unsigned>(std::bit_width(bounded)) - 1;
  const auto step = static_cast<unsigned>(bounded >> (doubling - 3) & (steps - 1));
  return std::size_t{steps} * (doubling - first_doubling) + step;
}

std::int64_t RoundTripStatistics::bucket_end(std::size_t bucket) {
  const auto doubling = static_cast<unsigned>(first_doubling + bucket / steps);
  return static_cast<std::int64_t>(steps + bucket % steps + 1) << (doubling - 3);
}

bool is_throttled(const EnetSideFacts &side, const EnetUnreliableCounts &messages, std::uint32_t late) {
  // Minimum increase of the round-trip time, in nanoseconds. ENet compares milliseconds, and tolerates twice the
  // variance. The variance is at least one millisecond.
  constexpr std::int64_t min_rise = 5 * nanoseconds_per_second / 1000;
  constexpr std::uint64_t min_expected_losses = 8;
  constexpr std::uint64_t loss_ratio = 8;
  // The throttle drops a message with all its fragments. So a message that arrived in part was lost on the link.
  const bool is_lossy = messages.missing > messages.skipped;
  if (side.round_trips == nullptr || messages.skipped == 0 || is_lossy) return false;
  if (side.round_trips->most() - side.round_trips->least() < min_rise) return false;
  const std::uint64_t expected_losses = side.round_trips->count() * messages.skipped / messages.total;
  const std::uint32_t lost =
      std::max(side.retransmissions - std::min(side.retransmissions, side.spurious_retransmissions), late);
  return expected_losses >= min_expected_losses && lost * loss_ratio <= expected_losses;
}

}  // namespace godot_codec
