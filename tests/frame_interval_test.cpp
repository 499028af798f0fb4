// SPDX-License-Identifier: MIT
// The time between the frames of a side, derived from the times of its datagrams.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "godot-codec/enet/frame_interval_detector.h"

namespace godot_codec::test {
namespace {

constexpr std::int64_t millisecond = 1'000'000;

// Returns the results for datagrams at the given times, in milliseconds.
std::vector<std::int64_t> frame_intervals(const std::vector<std::int64_t> &times) {
  FrameIntervalDetector beat;
  std::vector<std::int64_t> found;
  for (const std::int64_t time : times) {
    if (const auto answer = beat.on_datagram({1, 0}, time * millisecond)) found.push_back(*answer / millisecond);
  }
  return found;
}

TEST(GameFrameInterval, IsTheIntervalOfASideThatSendsInEveryGameFrame) {
  std::vector<std::int64_t> times;
  for (std::int64_t i = 0; i <= 64; ++i) times.push_back(20 * i);
  EXPECT_EQ(frame_intervals(times), std::vector<std::int64_t>{20});
}

TEST(GameFrameInterval, DatagramsOfOneGameFrameAreGrouped) {
  std::vector<std::int64_t> times;
  for (std::int64_t i = 0; i <= 64; ++i) {
    times.push_back(20 * i);
    times.push_back(20 * i + 1);
  }
  EXPECT_EQ(frame_intervals(times), std::vector<std::int64_t>{19});
}

TEST(GameFrameInterval, IsTheShortestIntervalOfASideThatSendsInSomeGameFrames) {
  std::vector<std::int64_t> times = {0};
  for (std::int64_t i = 0; i < 64; ++i) times.push_back(times.back() + (i % 4 == 0 ? 20 : 200));
  // After three seconds, before all intervals are collected.
  EXPECT_EQ(frame_intervals(times).front(), 20);
}

// A game may act only five times per second. If its frames are that long, its answers are delayed by up to one frame.
TEST(GameFrameInterval, LowFrameRateIsFoundIfAnswerDelaysAgree) {
  for (const std::int64_t latest : {20, 99, 101, 190}) {
    FrameIntervalDetector beat;
    std::optional<std::int64_t> found;
    for (std::int64_t i = 0; i <= 16; ++i) {
      const std::int64_t time = 200 * i * millisecond;
      found = beat.on_datagram({1, 0}, time);
      beat.on_acknowledgement({1, 0, 0}, time, (i % 2 == 0 ? 0 : latest) * millisecond, latest / 2 * millisecond);
    }
    EXPECT_EQ(found.value_or(0), latest > 100 ? 200 * millisecond : 0) << latest;
  }
}

// The first datagram after a pause of 700 ms is no answer; 16 ms later the side answers a command that was sent 600 ms
// earlier.
TEST(GameFrameInterval, LateAnswerAfterAPauseIsAStall) {
  FrameIntervalDetector beat;
  beat.on_datagram({3, 0}, 1000 * millisecond);
  beat.on_datagram({7, 0}, 1700 * millisecond);
  beat.on_datagram({8, 0}, 1716 * millisecond);
  EXPECT_FALSE(beat.on_acknowledgement({8, 0, 0}, 1716 * millisecond, 200 * millisecond, 10 * millisecond))
      << "not late";
  EXPECT_FALSE(beat.on_acknowledgement({8, 0, 1}, 1716 * millisecond, 600 * millisecond, 200 * millisecond))
      << "as usual";
  EXPECT_FALSE(beat.on_acknowledgement({8, 0, 2}, 1716 * millisecond, 800 * millisecond, 10 * millisecond))
      << "asked before";
  const std::optional<EnetStall> stall =
      beat.on_acknowledgement({8, 0, 3}, 1716 * millisecond, 600 * millisecond, 10 * millisecond);
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->position, (EnetCommandPosition{8, 0, 3}));
  EXPECT_EQ(stall->duration, 700 * millisecond);
  EXPECT_EQ(stall->since.packet, 3U);
  EXPECT_EQ(stall->count, 1U);
  EXPECT_FALSE(beat.on_acknowledgement({8, 0, 4}, 1716 * millisecond, 600 * millisecond, 10 * millisecond))
      << "told already";
}

TEST(GameFrameInterval, LateAnswerWithoutAPauseIsNoStall) {
  FrameIntervalDetector beat;
  for (std::int64_t i = 0; i <= 100; ++i) beat.on_datagram({1, 0}, 16 * i * millisecond);
  EXPECT_FALSE(beat.on_acknowledgement({1, 0, 0}, 1600 * millisecond, 600 * millisecond, 10 * millisecond));
}

TEST(GameFrameInterval, IsUnknownIfFewIntervalsAgree) {
  std::vector<std::int64_t> times = {0};
  for (std::int64_t i = 1, step = 3; i <= 64; ++i, step += step / 2) times.push_back(times.back() + step);
  EXPECT_EQ(frame_intervals(times), std::vector<std::int64_t>{});
}

TEST(GameFrameInterval, TimesThatGoBackYieldNoInterval) {
  EXPECT_EQ(frame_intervals({5, 4, 3, 1'000'000, -1'000'000}), std::vector<std::int64_t>{});
}

// A file may contain any times: sums of their differences must not overflow.
TEST(GameFrameInterval, HugeTimesAreLimitedToAnHour) {
  constexpr std::int64_t century = 100 * 365 * std::int64_t{86'400'000} * millisecond;
  constexpr std::int64_t hour = 3'600'000 * millisecond;
  FrameIntervalDetector beat;
  for (std::int64_t i = 0; i <= 64; ++i) {
    for (const std::int64_t round_trip : {std::int64_t{0}, hour, 2 * hour})
      beat.on_acknowledgement({}, 0, round_trip, 0);
    beat.on_datagram({1, 0}, i % 2 == 0 ? -century : century);
    beat.on_datagram({1, 0}, i % 2 == 0 ? century : -century);
  }
  EXPECT_EQ(beat.mean(), hour);
}

TEST(GameFrameInterval, MeanIsThatOfAllResults) {
  FrameIntervalDetector beat;
  EXPECT_EQ(beat.mean(), 0);
  for (std::int64_t i = 0; i <= 64; ++i) beat.on_datagram({1, 0}, 20 * i * millisecond);
  for (std::int64_t i = 1; i <= 64; ++i) beat.on_datagram({1, 0}, (64 * 20 + 30 * i) * millisecond);
  EXPECT_EQ(beat.mean(), 25 * millisecond);
}

}  // namespace
}  // namespace godot_codec::test
