// SPDX-License-Identifier: GPL-2.0-or-later
// How often captured data is read: the codec counts it (core/test_counters.h), and the test compares it with the amount
// of data in the capture.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

struct ParseCounts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;    // bytes of Variants
  std::uint64_t lookups = 0;  // lookups of conversations; in expected_counts(): frames of the capture
};

// Runs tshark and returns its counters.
ParseCounts measured_counts(const fs::path &capture, const Texts &options) {
  const fs::path file = scratch_folder() / "counts";
  fs::remove(file);
  setenv("GODOT_CODEC_COUNTS", file.c_str(), 1);
  tshark(capture, options + Texts{"-P"});  // runs in a separate process
  unsetenv("GODOT_CODEC_COUNTS");
  ParseCounts read;
  std::string name;
  std::istringstream(read_file(file)) >> name >> read.messages >> name >> read.bytes >> name >> read.lookups;
  return read;
}

// Counts the data in the capture from the packet details.
ParseCounts expected_counts(const fs::path &capture) {
  ParseCounts all;
  for (const Item &frame : read_details(capture, {})) {
    ++all.lookups;
    walk(frame, [&](const Item &item) {
      all.messages += item.name == "godot_mp.command" ? 1 : 0;
      const bool is_variant = item.name == "godot.value";
      if (is_variant) all.bytes += item.size;
      return !is_variant;
    });
  }
  return all;
}

struct Case {
  const char *capture;
  double max_for_first_pass;  // bytes walked by the first pass per byte of Variants; several until the protocol is
                              // decided, because all candidates walk them
  double max_with_tree;       // the same with a tree
  double lookups;             // lookups per frame and pass: one, except for the first frames of a connection
};

class EveryMeasuredCapture : public testing::TestWithParam<Case> {};

// A row of the packet list walks a value once. If there is no space for more text, the rest of the value is walked
// again as a check.
constexpr double max_for_packet_list = 1.2;
// The tree walks a value once more. It reuses the texts from the walk for the packet list. It writes only texts that
// did not fit, and the name and thread of a debugger message.

TEST_P(EveryMeasuredCapture, ParsedBytesAndLookupsStayWithinTheirLimits) {
  const fs::path capture = fs::path(GODOT_CAPTURES_DIR) / GetParam().capture;
  const ParseCounts all = expected_counts(capture);
  ASSERT_GT(all.bytes, 0U);
  const auto times = [&](std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(all.bytes); };
  const ParseCounts once = measured_counts(capture, {});
  const ParseCounts twice = measured_counts(capture, {"-2"});
  const ParseCounts details = measured_counts(capture, {"-V"});
  EXPECT_EQ(once.messages, all.messages);
  EXPECT_EQ(twice.messages - once.messages, all.messages);
  EXPECT_EQ(details.messages, once.messages);
  EXPECT_GE(times(once.bytes), 1);
  EXPECT_LE(times(once.bytes), GetParam().max_for_first_pass);
  EXPECT_LE(times(twice.bytes - once.bytes), max_for_packet_list);
  EXPECT_LE(times(details.bytes), GetParam().max_with_tree);
  const auto per_frame = [&](const ParseCounts &read) {
    return static_cast<double>(read.lookups) / static_cast<double>(all.lookups);
  };
  EXPECT_LE(per_frame(once), GetParam().lookups);
  EXPECT_LE(per_frame(twice), 2 * GetParam().lookups);
  EXPECT_LE(per_frame(details), 2 * GetParam().lookups);
}

INSTANTIATE_TEST_SUITE_P(captures, EveryMeasuredCapture,
                         testing::Values(Case{"mp_rpc_godot4.6.pcapng", 1.7, 3.4, 1.05},
                                         Case{"game_godot4.6.pcapng", 1.2, 2.2, 1.05},
                                         Case{"debug_script_godot4.6.pcapng", 1.15, 2.65, 1.4},
                                         Case{"mp_spawn_godot4.6.pcapng", 1.2, 2.6, 1.05}));

}  // namespace
}  // namespace godot_codec::test
