// SPDX-License-Identifier: GPL-2.0-or-later
// How often what was captured is read: counted in the codec (core/counts.h), held against what the capture has.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

struct Read {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;    // Variants have them
  std::uint64_t lookups = 0;  // conversations were looked up; a capture has frames
};

// Runs tshark, and counts.
Read counted(const fs::path &capture, const Texts &options) {
  const fs::path file = scratch_folder() / "counts";
  fs::remove(file);
  setenv("GODOT_CODEC_COUNTS", file.c_str(), 1);
  tshark(capture, options + Texts{"-P"});  // which has a process of its own
  unsetenv("GODOT_CODEC_COUNTS");
  Read read;
  std::string name;
  std::istringstream(read_file(file)) >> name >> read.messages >> name >> read.bytes >> name >> read.lookups;
  return read;
}

// Counts in the details how much there is in the capture.
Read present(const fs::path &capture) {
  Read all;
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
  double of_the_first;  // bytes walked by the first pass for each that there is: before it is sure, it asks what else
                        // the packets may be
  double with_tree;     // with a tree besides
  double lookups;       // for each frame of a pass: one, but for a connection's first frames
};

class EveryReadCount : public testing::TestWithParam<Case> {};

// A list's row walks a value once, but for one whose text is full: what is behind the text's end is checked.
constexpr double of_the_list = 1.2;
// The tree walks a value once more: the texts for it are written by the row's walk. It writes alone what has no room
// there, and a debugger's message's name and thread.

TEST_P(EveryReadCount, EachLayerIsReadAsOftenAsNeeded) {
  const fs::path capture = fs::path(GODOT_CAPTURES_DIR) / GetParam().capture;
  const Read all = present(capture);
  ASSERT_GT(all.bytes, 0U);
  const auto times = [&](std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(all.bytes); };
  const Read once = counted(capture, {});
  const Read twice = counted(capture, {"-2"});
  const Read details = counted(capture, {"-V"});
  EXPECT_EQ(once.messages, all.messages);
  EXPECT_EQ(twice.messages - once.messages, all.messages);
  EXPECT_EQ(details.messages, once.messages);
  EXPECT_GE(times(once.bytes), 1);
  EXPECT_LE(times(once.bytes), GetParam().of_the_first);
  EXPECT_LE(times(twice.bytes - once.bytes), of_the_list);
  EXPECT_LE(times(details.bytes), GetParam().with_tree);
  const auto per_frame = [&](const Read &read) {
    return static_cast<double>(read.lookups) / static_cast<double>(all.lookups);
  };
  EXPECT_LE(per_frame(once), GetParam().lookups);
  EXPECT_LE(per_frame(twice), 2 * GetParam().lookups);
  EXPECT_LE(per_frame(details), 2 * GetParam().lookups);
}

INSTANTIATE_TEST_SUITE_P(captures, EveryReadCount,
                         testing::Values(Case{"mp_rpc_godot4.6.pcapng", 1.7, 3.4, 1.05},
                                         Case{"game_godot4.6.pcapng", 1.2, 2.2, 1.05},
                                         Case{"debug_script_godot4.6.pcapng", 1.15, 2.65, 1.4},
                                         Case{"mp_spawn_godot4.6.pcapng", 1.2, 2.6, 1.05}));

}  // namespace
}  // namespace godot_codec::test
