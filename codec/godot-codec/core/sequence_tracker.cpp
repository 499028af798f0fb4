// SPDX-License-Identifier: MIT
#include "godot-codec/core/sequence_tracker.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace godot_codec {
namespace {

// Returns the shorter distance from an extended number to a sequence number; negative if the sequence number is lower.
template <typename Number>
std::int64_t signed_distance(Number number, std::uint64_t extended) {
  return static_cast<std::make_signed_t<Number>>(static_cast<Number>(number - static_cast<Number>(extended)));
}

}  // namespace

template <typename Number>
std::uint64_t SequenceTracker<Number>::extend_number(Number number, std::uint64_t near) {
  return near + static_cast<std::uint64_t>(signed_distance(number, near));
}

template <typename Number>
bool SequenceTracker<Number>::is_near_newest(Number number) const {
  constexpr std::int64_t farthest = 1 << 16;
  const std::int64_t ahead = signed_distance(number, next_);
  return next_ != 0 && ahead >= -farthest && ahead <= farthest;
}

template <typename Number>
void SequenceTracker<Number>::start_at(Number number, std::int64_t time) {
  if (is_near_newest(number)) return;
  // Adds the size of the number range, so that even earlier sequence numbers are above zero when extended.
  constexpr std::uint64_t round = std::uint64_t{std::numeric_limits<Number>::max()} + 1;
  gaps_.clear();
  next_ = round + number;
  acknowledged_end_ = 0;
  newest_time_ = time;
}

template <typename Number>
std::uint64_t SequenceTracker<Number>::add(Number number, std::uint32_t count, PacketPosition position,
                                           std::int64_t time) {
  start_at(number, time);
  const std::uint64_t extended = extend_number(number, next_);
  if (extended < next_) {
    remove_from_gap(extended, extended + count);
    return extended;
  }
  if (extended > next_) gaps_.insert({next_, extended, position, newest_time_});
  next_ = extended + count;
  newest_time_ = time;
  return extended;
}

template <typename Number>
void SequenceTracker<Number>::acknowledge(Number number, PacketPosition position) {
  // No number of this sender was captured, so begin with the acknowledged number.
  if (next_ == 0) start_at(number, std::numeric_limits<std::int64_t>::min());
  if (!is_near_newest(number)) return;
  const std::uint64_t end = extend_number(number, next_) + 1;
  acknowledged_end_ = std::max(acknowledged_end_, end);
  if (end <= next_) return;
  gaps_.insert({next_, end, position, newest_time_});
  next_ = end;
}

template <typename Number>
void SequenceTracker<Number>::mark_given_up(Number number) {
  if (!is_near_newest(number)) return;
  const std::uint64_t end = extend_number(number, next_) + 1;
  next_ = std::max(next_, end);
  // Acknowledged numbers were not lost, so only the numbers after them are given up.
  if (acknowledged_end_ >= end) return;
  remove_from_gap(acknowledged_end_, end);
  while (const std::optional<CaptureGap> gap = first_gap(acknowledged_end_)) {
    if (gap->begin >= end) return;
    remove_from_gap(gap->begin, end);
  }
}

// Removes the numbers from `begin` up to `end`, exclusive, from the gap that contains them.
template <typename Number>
void SequenceTracker<Number>::remove_from_gap(std::uint64_t begin, std::uint64_t end) {
  auto found = gaps_.upper_bound(begin);
  if (found == gaps_.begin()) return;
  const CaptureGap gap = *--found;
  if (gap.end <= begin) return;
  gaps_.erase(found);
  if (gap.begin < begin) gaps_.insert({gap.begin, begin, gap.found_at, gap.time_before});
  if (gap.end > end) gaps_.insert({end, gap.end, gap.found_at, gap.time_before});
}

template <typename Number>
std::optional<CaptureGap> SequenceTracker<Number>::first_gap(std::uint64_t from) const {
  const auto gap = gaps_.lower_bound(from);
  return gap == gaps_.end() ? std::nullopt : std::optional(*gap);
}

template <typename Number>
bool SequenceTracker<Number>::has_gap(PacketPosition position) const {
  return !gaps_.empty() && gaps_.begin()->found_at <= position;
}

template <typename Number>
bool SequenceTracker<Number>::has_gap(PacketPosition after, std::int64_t until) const {
  const auto gap = gaps_.upper_bound(after);
  return gap != gaps_.end() && gap->time_before <= until;
}

template class SequenceTracker<std::uint16_t>;
template class SequenceTracker<std::uint32_t>;

}  // namespace godot_codec
