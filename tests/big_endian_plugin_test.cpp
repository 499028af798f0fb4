// SPDX-License-Identifier: GPL-2.0-or-later
// StreamPeer.big_endian in tshark: set on one side (port 5043), on one side without an answer (5044), and on both sides
// (5045).
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

const std::filesystem::path path = capture("big_endian_godot4.6");

TEST(StreamPeerBigEndian, ProblemsTableNamesTheMismatch) {
  const std::vector<TableRow> rows = read_table(path, "godot,problems", {"-2"});
  ASSERT_EQ(rows.size(), 2U) << "nothing is wrong where both ends have it";
  EXPECT_EQ(
      rows[0].at("Problem"),
      "The sender has StreamPeer.big_endian = true and the receiver has false, so neither side can read the packets of the other");
  EXPECT_EQ(rows[0].at("From"), "127.0.0.1:50007");
  EXPECT_EQ(rows[0].at("To"), "127.0.0.1:5043");
  EXPECT_EQ(rows[0].at("Count"), "4");
  EXPECT_EQ(rows[0].at("Display filter"), "godot.length.big_endian.differs");
  EXPECT_EQ(rows[1].at("Problem"),
            "The sender has StreamPeer.big_endian = true, and the other side has sent no Variant");
  EXPECT_EQ(rows[1].at("To"), "127.0.0.1:5044");
  EXPECT_EQ(rows[1].at("Count"), "3");
}

TEST(StreamPeerBigEndian, FirstPassReportsTheMismatchAfterTheOtherSideAnswers) {
  const std::vector<TableRow> rows = read_table(path, "godot,problems");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Count"), "3") << "the first packet is sent before the first answer";
}

TEST(StreamPeerBigEndian, ValuesAreDecodedAndInfoMarksTheMismatch) {
  const Rows rows = read_fields(path, {"-2", "-Y", "godot"}, {"frame.number", "godot.length", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 27U);
  EXPECT_EQ(rows[0], (Texts{"6", "52", "Dictionary(2) {name: \"Anna\", hp: 10} [big_endian differs]"}));
  EXPECT_EQ(rows[1], (Texts{"10", "48", "Array(2) [0, {pos: (1.5, 0)}]"}));
  EXPECT_EQ(rows[8], (Texts{"33", "52", "Dictionary(2) {name: \"Bo\", hp: 0} [big_endian]"}));
  EXPECT_EQ(rows[11], (Texts{"51", "12", "String \"one\""}));
  EXPECT_EQ(rows[17][1], "256") << "a length in either order";
  EXPECT_EQ(rows[26], (Texts{"99", "32", "Dictionary(1) {got: \"end\"}"}));
  EXPECT_EQ(read_fields(path, {"-2", "-Y", "godot.length.big_endian == 1"}, {"frame.number"}).size(), 23U);
}

}  // namespace
}  // namespace godot_codec::test
