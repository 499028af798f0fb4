// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes that a game writes into a stream without PacketPeerStream, on a port that the user has named. The expected
// content is what captures' projects/godot4/own_streams.gd writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path capture = fs::path(GODOT_CAPTURES_DIR) / "own_streams_godot4.6.pcapng";
const Texts port_options = {"-o", "godot.tcp.port:50121-50131"};

// Returns the Info texts of one port.
Texts info_texts(const std::string &port, const Texts &options = {}) {
  Texts texts;
  const Texts filter = {"-Y", "godot && tcp.port == " + port};
  for (const Texts &row : read_fields(capture, port_options + options + filter, {"_ws.col.Info"}))
    texts.push_back(row[0]);
  return texts;
}

std::string json(int i) {
  return R"({"cmd":"move","id":)" + std::to_string(i) + R"(,"x":)" + std::to_string(3 * i / 2);
}

struct StreamCase {
  std::string port;
  std::string begin;  // text before the embedded payload
  bool is_json;
  std::string end;  // text after the JSON
};

std::ostream &operator<<(std::ostream &stream, const StreamCase &way) { return stream << way.port; }

class EveryCustomStream : public testing::TestWithParam<StreamCase> {};

TEST_P(EveryCustomStream, EachSegmentShowsItsContent) {
  const StreamCase &way = GetParam();
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const Texts rows = info_texts(way.port, passes);
    ASSERT_EQ(rows.size(), 6U);
    for (int i = 0; i < 6; ++i) {
      const std::string &row = rows[static_cast<std::size_t>(i)];
      const std::string player = "{players: [{id: " + std::to_string(i) + ", name: \"Player 0\"}, {id: ";
      const std::string expected = "Raw " + way.begin + (way.is_json ? json(i) : player);
      EXPECT_EQ(row.substr(0, expected.size()), expected);
      EXPECT_TRUE(row.ends_with(way.end)) << row;
    }
  }
}

const StreamCase stream_cases[] = {
    {"50121", "", true, "} in 29 bytes"}, {"50122", "", true, "}\\n in 30 bytes"}, {"50123", "", true, "} in 31 bytes"},
    {"50124", "", true, "} in 33 bytes"}, {"50125", "e0 01 00 00 ", false, ""},    {"50126", "e0 01 00 00 ", false, ""},
    {"50127", "07 ", false, ""},
};
INSTANTIATE_TEST_SUITE_P(Ways, EveryCustomStream, testing::ValuesIn(stream_cases),
                         [](const auto &each) { return "Port" + each.param.port; });

TEST(CustomStreams, FixedSizeRecordsAreShownAsRawBytes) {
  EXPECT_EQ(info_texts("50128"),
            (Texts{"Raw bytes(9) 00 00 00 00 00 00 00 00 00", "Raw bytes(9) 01 07 00 00 00 00 00 c0 3f",
                   "Raw bytes(9) 02 0e 00 00 00 00 00 40 40", "Raw bytes(9) 00 15 00 00 00 00 00 90 40",
                   "Raw bytes(9) 01 1c 00 00 00 00 00 c0 40", "Raw bytes(9) 02 23 00 00 00 00 00 f0 40"}));
}

TEST(CustomStreams, BytesOfSinglePutCallsAreNotReadAsLengths) {
  const Texts rows = info_texts("50129");
  ASSERT_EQ(rows.size(), 18U);  // each call has its own segment, and nothing waits for more data
  EXPECT_EQ(rows[3], "Raw bytes(1) 01");
  EXPECT_EQ(rows[4], "Raw bytes(4) 07 00 00 00");
  EXPECT_EQ(rows[8], "Raw bytes(4) 00 00 40 40");
}

TEST(CustomStreams, VariantsWithoutALengthAreDecoded) {
  const Texts rows = info_texts("50130");
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[5], "Dictionary(2) {cmd: \"move\", id: 5}");
}

TEST(CustomStreams, StringsWithALengthPrefixAreShown) {
  const Texts rows = info_texts("50131");
  ASSERT_EQ(rows.size(), 6U);  // put_utf8_string() sends the length in its own segment
  EXPECT_EQ(rows[0], "Raw bytes(14) \"player 0 moves\"");
  EXPECT_EQ(rows[5], "Raw bytes(14) \"player 5 moves\"");
}

TEST(CustomStreams, CustomFormatFileDecodesTheRecords) {
  const fs::path file = scratch_folder() / "own_stream.txt";
  std::ofstream(file) << "raw 50128\n  kind: u8 {0: idle, 1: walk, 2: run}\n  tick: u32\n  speed: float\n";
  const Texts options =
      port_options + Texts{"-o", "godot_mp.layouts:" + file.string(), "-Y", "tcp.port == 50128 && game.tick"};
  const auto rows = read_fields(capture, options, {"game.kind", "game.tick", "game.speed"});
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[1], (Texts{"1", "7", "1.5"}));
  EXPECT_EQ(rows[5], (Texts{"2", "35", "7.5"}));
}

TEST(CustomStreams, AreUnclaimedUntilThePortIsConfigured) {
  EXPECT_TRUE(read_fields(capture, {"-2", "-Y", "godot && tcp.port != 50130"}, {"frame.number"}).empty());
}

// With put_data(var_to_bytes(…)), the second segment with a Dictionary is strong evidence.
TEST(CustomStreams, VariantsWithoutALengthAreReported) {
  Texts texts;
  for (const Texts &row : read_fields(capture, {"-2", "-Y", "godot.missing_length"}, {"_ws.col.Info"}))
    texts.push_back(row[0]);
  EXPECT_EQ(texts, (Texts{"Dictionary(2) {cmd: \"move\", id: 1}", "Dictionary(2) {cmd: \"move\", id: 2}",
                          "Dictionary(2) {cmd: \"move\", id: 3}", "Dictionary(2) {cmd: \"move\", id: 4}",
                          "Dictionary(2) {cmd: \"move\", id: 5}"}));
}

}  // namespace
}  // namespace godot_codec::test
