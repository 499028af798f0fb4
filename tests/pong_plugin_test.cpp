// SPDX-License-Identifier: GPL-2.0-or-later
// A working game: pong of godot-demo-projects, played with Godot 4. The client is the authority of a paddle, and calls
// its methods that are reserved for the authority.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "process.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

const fs::path projects = fs::path(GODOT_TESTS_DIR) / "projects";

std::size_t count_of(const std::string &filter) {
  const Texts options = {"-o", "godot_mp.project:" + (projects / "pong").string(), "-Y", filter};
  return read_fields(projects / "pong.pcapng", options, {"frame.number"}).size();
}

TEST(Pong, NoCallIsAFalseAlarm) {
  EXPECT_EQ(count_of("godot_mp.rpc.method == \"set_pos_and_motion\" && udp.dstport == 8910"), 1400U);
  EXPECT_EQ(count_of("godot_mp.rpc.method == \"set_pos_and_motion\" && udp.srcport == 8910"), 1400U);
  EXPECT_EQ(count_of("godot_mp.not_allowed || godot_mp.refused || godot_mp.unknown_methods"), 0U);
}

}  // namespace
}  // namespace godot_codec::test
