// SPDX-License-Identifier: GPL-2.0-or-later
// Follow Stream of the multiplayer in tshark: one line per message.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

std::string from_hexadecimal(const std::string &text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

/// The output of `-z follow,godot_mp` for a connection, each message without its newline.
Texts follow_output(const std::filesystem::path &path, const std::string &which) {
  Texts lines;
  for (const std::string &line : lines_of(tshark(path, {"-q", "-z", "follow,godot_mp,raw," + which}))) {
    const std::string digits = line.substr(std::min(line.find_first_not_of('\t'), line.size()));
    if (digits.size() < 4 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) continue;
    const std::string text = from_hexadecimal(digits);
    EXPECT_TRUE(text.ends_with('\n'));
    lines.push_back(text.substr(0, text.size() - 1));
  }
  return lines;
}

/// Computes the lines of a connection from the fields of the messages.
Texts expected_output(const std::filesystem::path &path, const std::string &stream) {
  Texts lines;
  const Texts fields = {"godot_mp.sender", "godot_mp.summary"};
  for (const Texts &row :
       read_fields(path, {"-Y", "godot_mp.stream == " + stream + " && !enet.duplicate_of"}, fields)) {
    const Texts senders = occurrences(row[0]);
    const Texts summaries = occurrences(row[1]);
    EXPECT_EQ(senders.size(), summaries.size());
    for (std::size_t i = 0; i < summaries.size(); ++i) {
      lines.push_back((senders[i] == "1" ? "server" : senders[i]) + ": " + summaries[i]);
    }
  }
  return lines;
}

class EveryFollowedStream : public testing::TestWithParam<const char *> {};

TEST_P(EveryFollowedStream, ListsEachMessageWithItsSender) {
  for (const char *const stream : {"0", "1"}) {
    const Texts lines = expected_output(capture(GetParam()), stream);
    ASSERT_GT(lines.size(), 5U);
    EXPECT_EQ(follow_output(capture(GetParam()), stream), lines) << stream;
  }
}

INSTANTIATE_TEST_SUITE_P(captures, EveryFollowedStream,
                         testing::Values("mp_rpc_godot4.6", "mp_rpc_godot3.6", "mp_ws_godot4.6", "mp_ws_godot3.6"));

// `follow` lists the client as Node 0 and indents the server's lines with a tab.
TEST(FollowStream, ListsTheClientFirst) {
  for (const char *name : {"mp_ws_godot4.6", "mp_rpc_godot4.6", "mp_rpc_godot3.6"}) {
    const Texts lines = lines_of(tshark(capture(name), {"-q", "-z", "follow,godot_mp,raw,0"}));
    const auto is_client = [](const std::string &line) { return line.starts_with("Node 0: 127.0.0.1:5000"); };
    EXPECT_TRUE(std::ranges::any_of(lines, is_client)) << name;
    for (const std::string &line : lines) {
      // Lines of the server begin with "server: ", here in hexadecimal.
      const std::string digits = line.substr(std::min(line.find_first_not_of('\t'), line.size()));
      if (!digits.starts_with("7365727665723a20")) continue;
      EXPECT_TRUE(line.starts_with('\t')) << name << ": " << line;
    }
  }
  const std::string enet = tshark(capture("enet_none_godot4.6"), {"-q", "-z", "follow,enet,raw,0"});
  EXPECT_NE(enet.find("\nNode 0: 127.0.0.1:50001\nNode 1: 127.0.0.1:5020\n"), std::string::npos) << enet.substr(0, 300);
}

TEST(FollowStream, FindsAConnectionByItsAddresses) {
  EXPECT_EQ(follow_output(capture("mp_rpc_godot4.6"), "127.0.0.1:50001,127.0.0.1:5030"),
            follow_output(capture("mp_rpc_godot4.6"), "0"));
}

}  // namespace
}  // namespace godot_codec::test
