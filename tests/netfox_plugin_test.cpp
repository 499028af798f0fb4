// SPDX-License-Identifier: GPL-2.0-or-later
// Two players with netfox 1.48.4 in Godot 4.6.3. data/netfox.pcap is the whole match; data/netfox.log is what the
// server printed about the position at each tick, and the client about the input at each tick. (netfox is MIT-licensed,
// by Gálffy Tamás; none of its code is here.)
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path data = fs::path(GODOT_TESTS_DIR) / "data";
const fs::path capture = data / "netfox.pcap";

// Returns the preferences: the layouts of the documentation, and the names that netfox's folder would give.
Texts options() {
  Texts all = {"-o", "godot_mp.layouts:" + (fs::path(GODOT_DOC_DIR) / "netfox_layouts.txt").string()};
  const char *const methods[] = {"_submit_reliable", "_submit_unreliable", "_submit_unreliable_ordered"};
  for (int i = 0; i < 3; ++i) {
    all = all + Texts{"-o", "uat:godot_mp_names:\"NetworkCommandServer/Node\",\"" + std::to_string(i) + "\",\"" +
                                methods[i] + "\""};
  }
  return all;
}

// Reads lines such as "STATE 83 (3.0, 1.0)" from the log, by tick.
std::map<int, std::string> logged_values(const std::string &word) {
  std::map<int, std::string> values;
  for (const std::string &line : lines_of(read_file(data / "netfox.log"))) {
    std::istringstream words(line);
    std::string first;
    int tick = 0;
    double x = 0;
    double y = 0;
    char separator = 0;
    words >> first >> tick >> separator >> x >> separator >> y;
    std::ostringstream value;
    value << "Vector2(" << x << ", " << y << ")";
    if (first == word) values[tick] = value.str();
  }
  return values;
}

struct TickValue {
  int tick;
  std::string value;
};

// Returns all values of one kind of command, with the tick before each value.
std::vector<TickValue> sent_values(const std::string &filter, const std::string &tick_field) {
  std::vector<TickValue> values;
  for (const Texts &row :
       read_fields(capture, options() + Texts{"-Y", filter}, {tick_field, "godot.path_with_value"})) {
    const Texts ticks = split(row[0], between_occurrences);
    std::size_t next = 0;
    for (const std::string &path : split(row[1], between_occurrences)) {
      constexpr std::string_view begin = "/value/0:";
      if (!path.starts_with(begin)) continue;
      if (next == ticks.size()) ADD_FAILURE() << "a value without a tick";
      values.push_back({std::stoi(ticks.at(next++)), path.substr(begin.size())});
    }
    EXPECT_EQ(next, ticks.size());
  }
  return values;
}

TEST(Netfox, StatesMatchTheServersLog) {
  const std::map<int, std::string> log = logged_values("STATE");
  ASSERT_EQ(log.size(), 38U);
  const std::vector<TickValue> states = sent_values("game.tick", "game.tick");
  ASSERT_EQ(states.size(), 28U);
  for (const TickValue &state : states) {
    // The state of a tick is the result of the previous tick.
    ASSERT_TRUE(log.contains(state.tick - 1)) << state.tick;
    EXPECT_EQ(state.value, log.at(state.tick - 1)) << state.tick;
  }
}

TEST(Netfox, InputsMatchTheClientsLog) {
  const std::map<int, std::string> log = logged_values("INPUT");
  ASSERT_GT(log.size(), 40U);
  const std::vector<TickValue> inputs = sent_values("game.inputs.snapshot.tick", "game.inputs.snapshot.tick");
  ASSERT_EQ(inputs.size(), 49U);
  for (const TickValue &input : inputs) {
    // The input stays the same until the game polls again.
    const auto next = log.upper_bound(input.tick);
    ASSERT_NE(next, log.begin()) << input.tick;
    EXPECT_EQ(input.value, std::prev(next)->second) << input.tick;
  }
}

TEST(Netfox, InfoDescribesTheCommands) {
  const auto info = [](const std::string &frame) {
    return read_fields(capture, options() + Texts{"-Y", "frame.number == " + frame}, {"_ws.col.Info"}).at(0).at(0);
  };
  EXPECT_EQ(info("44"),
            "RPC NetworkCommandServer/Node._submit_unreliable(5, {tick: 92, nodes: [{node: {id: 1}, size: 16, changed: "
            "1, values: {value: [(6, 9)]}}]} in 23 bytes) [Unsequenced ch 1 #10]");
  // The int was written by var_to_bytes(), so it is not a compact argument.
  EXPECT_EQ(info("57"),
            "RPC NetworkCommandServer/Node._submit_unreliable(0, {sample: 3} in 8 bytes) [Unsequenced ch 1 #28]");
  EXPECT_EQ(info("27"),
            "RPC NetworkCommandServer/Node._submit_reliable(9, {ids: [{name: \"/root/Main/Player/Input\", id: 2}]} in "
            "28 bytes) [Reliable ch 0 #8]");
  const Texts wrong = {"-Y", "godot.layout.trailing || godot.layout.mismatch || godot.layout.error || _ws.malformed"};
  EXPECT_TRUE(read_fields(capture, options() + wrong, {"frame.number"}).empty());
}

}  // namespace
}  // namespace godot_codec::test
