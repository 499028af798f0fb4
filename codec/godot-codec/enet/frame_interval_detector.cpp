// SPDX-License-Identifier: MIT
#include "godot-codec/enet/frame_interval_detector.h"

#include <algorithm>
#include <span>

namespace godot_codec {
namespace {

// Maximum time between the datagrams of one game frame, in nanoseconds.
constexpr std::int64_t longest_burst = 2'000'000;
// A frame interval is derived from at least this many intervals over at least this time. Waiting for max_intervals
// would take too long for slow game frames.
constexpr std::size_t least_intervals = 16;
constexpr std::int64_t long_enough = 3 * nanoseconds_per_second;
// Maximum frame interval, in nanoseconds. Timestamps in a file may be up to 292 years apart.
constexpr std::int64_t longest_interval = 3600 * nanoseconds_per_second;
// Maximum frame interval that needs no further evidence, in nanoseconds. Games may also do other things several times
// per second. So a longer interval is only accepted if the acknowledgements confirm it.
constexpr std::int64_t fast_frame = nanoseconds_per_second / 20;
// Minimum number of similar intervals, and their minimum share of all intervals (one eighth).
constexpr std::size_t fewest = 4;
constexpr std::size_t eighth = 8;

// Returns the mean of the largest group of similar intervals; 0 if this group is small. If a group of shorter intervals
// is nearly as large, returns its mean instead.
std::int64_t find_most_frequent_interval(std::span<const std::int64_t> intervals) {
  struct Group {
    std::size_t count = 0;
    double mean = 0;
  };
  const auto group_at = [&, end = std::size_t{0}, sum = 0.0](std::size_t begin) mutable {
    if (begin > 0) sum -= static_cast<double>(intervals[begin - 1]);
    while (end < intervals.size() && intervals[end] <= intervals[begin] + intervals[begin] * 2 / 5) {
      sum += static_cast<double>(intervals[end++]);
    }
    return Group{end - begin, sum / static_cast<double>(end - begin)};
  };
  std::size_t most = 0;
  auto count_groups = group_at;
  for (std::size_t i = 0; i < intervals.size(); ++i) most = std::max(most, count_groups(i).count);
  if (most < std::max(fewest, intervals.size() / eighth)) return 0;
  auto find_group = group_at;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const Group group = find_group(i);
    if (4 * group.count >= 3 * most) return static_cast<std::int64_t>(group.mean);
  }
  return 0;
}

}  // namespace

std::optional<std::int64_t> FrameIntervalDetector::on_datagram(PacketPosition position, std::int64_t time) {
  const bool is_first = last_position_.packet == 0;
  const std::int64_t interval = elapsed(last_time_, time);
  if (!is_first && interval >= min_stall) {
    pause_position_ = last_position_;
    pause_begin_ = last_time_;
    pause_end_ = time;
  }
  last_position_ = position;
  last_time_ = time;
  if (is_first || interval <= longest_burst) return std::nullopt;
  intervals_[count_++] = std::min(interval, longest_interval);
  intervals_sum_ += std::min(interval, long_enough);
  const bool is_enough = count_ == max_intervals || (count_ >= least_intervals && intervals_sum_ >= long_enough);
  if (!is_enough) return std::nullopt;
  const std::optional<std::int64_t> found = find_frame_interval();
  count_ = 0;
  intervals_sum_ = 0;
  answer_count_ = 0;
  if (found) {
    frame_intervals_sum_ += static_cast<double>(*found);
    ++frame_interval_count_;
  }
  return found;
}

// Returns the frame interval that the collected intervals show. If a side sends in each game frame, nearly all
// intervals are the same. Otherwise they are multiples of the frame interval; the shortest intervals are one frame, if
// enough of them are similar. For slow game frames, the delay of acknowledgements must also vary, because they answer
// datagrams that arrive at any time within a frame.
std::optional<std::int64_t> FrameIntervalDetector::find_frame_interval() {
  constexpr std::size_t tenth = 10;
  constexpr std::uint32_t fewest_answers = 3;
  const auto end = intervals_.begin() + static_cast<std::ptrdiff_t>(count_);
  std::sort(intervals_.begin(), end);
  const std::int64_t frequent = find_most_frequent_interval(std::span(intervals_).first(count_));
  if (frequent > 0 && frequent <= fast_frame) return frequent;
  const std::int64_t shortest = intervals_[count_ / tenth];
  double sum = 0;
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const bool is_one_frame = intervals_[i] >= shortest - shortest / 5 && intervals_[i] <= shortest + shortest / 3;
    if (!is_one_frame) continue;
    sum += static_cast<double>(intervals_[i]);
    ++agreeing;
  }
  if (agreeing < std::max(fewest, count_ / eighth)) return std::nullopt;
  const auto time = static_cast<std::int64_t>(sum / static_cast<double>(agreeing));
  const std::int64_t spread = answer_count_ < fewest_answers ? 0 : longest_round_trip_ - shortest_round_trip_;
  if (time > fast_frame && spread < time / 2) return std::nullopt;
  return time;
}

std::optional<EnetStall> FrameIntervalDetector::on_acknowledgement(EnetCommandPosition position, std::int64_t time,
                                                                   std::int64_t round_trip_time, std::int64_t usual) {
  shortest_round_trip_ = answer_count_ == 0 ? round_trip_time : std::min(shortest_round_trip_, round_trip_time);
  longest_round_trip_ = answer_count_ == 0 ? round_trip_time : std::max(longest_round_trip_, round_trip_time);
  ++answer_count_;
  // The first datagram after the pause may contain no answers. But the answers follow in the next game frame at the
  // latest.
  const bool is_after_pause = pause_position_.packet != 0 && elapsed(pause_end_, time) <= min_stall;
  const bool is_late = round_trip_time - min_stall >= usual + usual;
  const std::int64_t sent = elapsed(round_trip_time, time);
  const bool is_asked_meanwhile = elapsed(pause_begin_, sent) >= -usual && elapsed(sent, pause_end_) > 0;
  if (!is_after_pause || !is_late || !is_asked_meanwhile) return std::nullopt;
  const std::int64_t length = elapsed(pause_begin_, pause_end_);
  ++stall_count_;
  longest_stall_ = std::max(longest_stall_, length);
  const EnetStall stall{position, length, pause_position_, stall_count_, longest_stall_};
  pause_position_ = {};
  return stall;
}

std::int64_t FrameIntervalDetector::mean() const {
  return frame_interval_count_ == 0 ? 0 : static_cast<std::int64_t>(frame_intervals_sum_ / frame_interval_count_);
}

}  // namespace godot_codec
