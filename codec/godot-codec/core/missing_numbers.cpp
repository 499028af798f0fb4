// SPDX-License-Identifier: MIT
#include "godot-codec/core/missing_numbers.h"

#include <algorithm>
#include <limits>

namespace godot_codec {
namespace {

// Added to the first number, so that numbers before the first do not become negative.
constexpr std::uint64_t round_of_numbers = std::uint64_t{1} << 32;
constexpr std::int32_t farthest = 1 << 16;

std::int32_t ahead_of(std::uint32_t number, std::uint64_t next) {
  return static_cast<std::int32_t>(number - static_cast<std::uint32_t>(next));
}

}  // namespace

bool MissingNumbers::is_near(std::uint32_t number) const {
  const std::int32_t ahead = ahead_of(number, next_);
  return next_ != 0 && ahead >= -farthest && ahead <= farthest;
}

std::uint64_t MissingNumbers::place_of(std::uint32_t number) const {
  return next_ + static_cast<std::uint64_t>(std::int64_t{ahead_of(number, next_)});
}

void MissingNumbers::begin(std::uint32_t number, std::int64_t time) {
  if (is_near(number)) return;
  gaps_.clear();
  next_ = round_of_numbers + number;
  acknowledged_ = 0;
  time_ = time;
}

void MissingNumbers::add(std::uint32_t number, PacketPosition moment, std::int64_t time) {
  begin(number, time);
  const std::uint64_t place = place_of(number);
  if (place < next_) return fill(place, place + 1);
  if (place > next_) gaps_.insert({next_, place, moment, time_});
  next_ = place + 1;
  time_ = time;
}

void MissingNumbers::acknowledge(std::uint32_t number, PacketPosition moment) {
  // No packet of this end was captured, not even its first number: start here.
  if (next_ == 0) begin(number, std::numeric_limits<std::int64_t>::min());
  if (!is_near(number)) return;
  const std::uint64_t end = place_of(number) + 1;
  acknowledged_ = std::max(acknowledged_, end);
  if (end <= next_) return;
  gaps_.insert({next_, end, moment, time_});
  next_ = end;
}

void MissingNumbers::give_up(std::uint32_t number) {
  if (!is_near(number)) return;
  const std::uint64_t end = place_of(number) + 1;
  next_ = std::max(next_, end);
  // An acknowledged number was not lost, so only later numbers are given up.
  if (acknowledged_ >= end) return;
  fill(acknowledged_, end);
  for (auto gap = gaps_.lower_bound(acknowledged_); gap != gaps_.end() && gap->begin < end;
       gap = gaps_.lower_bound(acknowledged_)) {
    fill(gap->begin, end);
  }
}

// Removes the numbers from begin to end (exclusive) from the gap that contains begin.
void MissingNumbers::fill(std::uint64_t begin, std::uint64_t end) {
  auto found = gaps_.upper_bound(begin);
  if (found == gaps_.begin()) return;
  const Gap gap = *--found;
  if (gap.end <= begin) return;
  gaps_.erase(found);
  if (gap.begin < begin) gaps_.insert({gap.begin, begin, gap.passed_over, gap.time_before});
  if (gap.end > end) gaps_.insert({end, gap.end, gap.passed_over, gap.time_before});
}

bool MissingNumbers::has_gap(PacketPosition moment) const {
  return !gaps_.empty() && gaps_.begin()->passed_over <= moment;
}

bool MissingNumbers::has_gap(PacketPosition after, std::int64_t until) const {
  const auto gap = gaps_.upper_bound(after);
  return gap != gaps_.end() && gap->time_before <= until;
}

}  // namespace godot_codec
