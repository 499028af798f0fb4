// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/stream/framing.h"

namespace {

using godot_codec::Bytes;
using godot_codec::next_stretch;
using godot_codec::Stretch;
using namespace std::string_literals;

// An int, a String, a Dictionary {"a": 1}, an Array of ints: each with its length in front.
const std::string int_packet = "\x08\0\0\0\x02\0\0\0\x2a\0\0\0"s;
const std::string string_packet = "\x14\0\0\0\x04\0\0\0\x0b\0\0\0hello there\0"s;
const std::string dictionary_packet = "\x1c\0\0\0\x1b\0\0\0\x01\0\0\0\x04\0\0\0\x01\0\0\0a\0\0\0\x02\0\0\0\x01\0\0\0"s;
const std::string raw_packet = "\x05\0\0\0\x01\x02\x03\x04\x05"s;

Stretch stretch_of(std::string_view data, std::size_t offset, bool is_boundary,
                   const godot_codec::StreamOptions &options = {}) {
  // An exactly sized block, so that a read past its end is found.
  const std::vector<std::uint8_t> block(data.begin(), data.end());
  return next_stretch(Bytes(block.data(), block.size()), offset, is_boundary, options);
}

void expect_packets(const Stretch &stretch, std::size_t offset, std::size_t length) {
  EXPECT_TRUE(stretch.is_packets);
  EXPECT_EQ(stretch.range.offset, offset);
  EXPECT_EQ(stretch.range.length, length);
}

void expect_passed_over(const Stretch &stretch, std::size_t offset, std::size_t length) {
  EXPECT_FALSE(stretch.is_packets);
  EXPECT_EQ(stretch.range.offset, offset);
  EXPECT_EQ(stretch.range.length, length);
}

TEST(StreamTest, KnownBoundaryFollowsLengths) {
  const std::string data = int_packet + raw_packet + dictionary_packet;
  const Stretch stretch = stretch_of(data, 0, true);
  expect_packets(stretch, 0, data.size());
  EXPECT_TRUE(stretch.has_next_boundary);
  EXPECT_EQ(stretch.next_boundary, data.size());
  EXPECT_EQ(stretch.unfinished, data.size());
}

TEST(StreamTest, PacketThatGoesOnTellsWhereItEnds) {
  const std::string data = int_packet + dictionary_packet.substr(0, 10);
  const Stretch stretch = stretch_of(data, 0, true);
  expect_packets(stretch, 0, data.size());
  EXPECT_TRUE(stretch.has_next_boundary);
  EXPECT_EQ(stretch.next_boundary, int_packet.size() + dictionary_packet.size());
  EXPECT_EQ(stretch.unfinished, int_packet.size());
}

TEST(StreamTest, LengthThatGoesOnTellsNothing) {
  for (std::size_t part = 1; part < godot_codec::stream_prefix_size; ++part) {
    const std::string data = int_packet + dictionary_packet.substr(0, part);
    const Stretch stretch = stretch_of(data, 0, true);
    expect_packets(stretch, 0, data.size());
    EXPECT_FALSE(stretch.has_next_boundary);
    EXPECT_EQ(stretch.unfinished, int_packet.size());
  }
}

TEST(StreamTest, UnknownStartIsFoundByStructure) {
  const std::string lost_beginning = dictionary_packet.substr(13);
  const std::string rest = string_packet + int_packet;
  const Stretch skipped = stretch_of(lost_beginning + rest, 0, false);
  expect_passed_over(skipped, 0, lost_beginning.size());
  EXPECT_TRUE(skipped.has_next_boundary);
  EXPECT_EQ(skipped.next_boundary, lost_beginning.size());
  expect_packets(stretch_of(lost_beginning + rest, lost_beginning.size(), true), lost_beginning.size(), rest.size());
}

TEST(StreamTest, EveryLostBeginningIsPassedOver) {
  const std::string rest = dictionary_packet + string_packet;
  for (std::size_t lost = 1; lost < string_packet.size(); ++lost) {
    const std::string data = string_packet.substr(lost) + rest;
    expect_passed_over(stretch_of(data, 0, false), 0, string_packet.size() - lost);
  }
}

TEST(StreamTest, UnknownStartAtAPacketIsOne) {
  for (const std::string &packet : {int_packet, string_packet, dictionary_packet, dictionary_packet.substr(0, 20)}) {
    expect_packets(stretch_of(packet, 0, false), 0, packet.size());
  }
}

TEST(StreamTest, RawPacketsThatFillTheDataAreBelieved) {
  const std::string data = raw_packet + raw_packet;
  expect_packets(stretch_of(data, 0, false), 0, data.size());
  // With a byte missing at the front, nothing tells a boundary.
  const Stretch skipped = stretch_of(data.substr(1), 0, false);
  expect_passed_over(skipped, 0, data.size() - 1);
  EXPECT_FALSE(skipped.has_next_boundary);
}

TEST(StreamTest, ImpossibleLengthEndsTheRun) {
  for (const std::string &bad : {"\0\0\0\0"s, "\x01\0\0\x7f"s, "\xff\xff\xff\xff"s}) {
    const std::string data = int_packet + bad + string_packet + int_packet;
    expect_packets(stretch_of(data, 0, true), 0, int_packet.size());
    expect_passed_over(stretch_of(data, int_packet.size(), false), int_packet.size(), bad.size());
  }
}

TEST(StreamTest, LongestLengthIsAnOption) {
  godot_codec::StreamOptions options;
  options.max_length = 20;
  expect_packets(stretch_of(string_packet, 0, true, options), 0, string_packet.size());
  options.max_length = 19;
  const Stretch skipped = stretch_of(string_packet, 0, true, options);
  expect_passed_over(skipped, 0, string_packet.size());
  EXPECT_FALSE(skipped.has_next_boundary);
}

TEST(StreamTest, SnapLengthDoesNotLoseTheNextBoundary) {
  const std::vector<std::uint8_t> block(string_packet.begin(), string_packet.begin() + 10);
  const Stretch stretch = next_stretch(Bytes(block.data(), block.size(), string_packet.size()), 0, true, {});
  expect_packets(stretch, 0, string_packet.size());
  EXPECT_EQ(stretch.next_boundary, string_packet.size());
}

TEST(StreamTest, StretchesCoverHostileDataOnce) {
  // Plausible lengths and headers everywhere: the search must end all the same, and lose no byte.
  std::string data;
  for (int i = 0; i < 4000; ++i) data += "\x40\0\0\0\x1c\0\0\0\x08\0\0\0"s;
  std::size_t offset = 0;
  bool is_boundary = false;
  while (offset < data.size()) {
    const Stretch stretch = stretch_of(data, offset, is_boundary);
    ASSERT_EQ(stretch.range.offset, offset);
    ASSERT_GT(stretch.range.length, 0U);
    offset = stretch.range.end();
    is_boundary = !stretch.is_packets;
  }
  EXPECT_EQ(offset, data.size());
}

// ---- a sender of which it is not known that it sends packets

using godot_codec::StreamPiece;
using godot_codec::StreamReader;

struct Pieces {
  std::string kinds;  // message, unfinished, broken or skipped: "m", "u", "b", "s"
  std::vector<std::size_t> ends;
};

Pieces pieces_of(std::string_view data, bool is_framed) {
  const std::vector<std::uint8_t> block(data.begin(), data.end());
  godot_codec::StreamOptions options;
  options.is_framed = is_framed;
  StreamReader reader(Bytes(block.data(), block.size()), true, options, godot_codec::measure_packet);
  Pieces pieces;
  for (StreamPiece piece; reader.next(piece);) {
    pieces.kinds += "mubs"[static_cast<std::size_t>(piece.kind)];
    pieces.ends.push_back(piece.range.end());
  }
  return pieces;
}

TEST(StreamTest, APortAloneDoesNotMakeALength) {
  const std::string record = "\x01\x07\0\0\0\0\0\xc0\x3f"s;  // a u8, a u32, a float
  EXPECT_EQ(pieces_of(record, true).kinds, "u");
  EXPECT_EQ(pieces_of(record, false).kinds, "s");
  EXPECT_EQ(pieces_of("\x07"s, false).kinds, "s");
  EXPECT_EQ(pieces_of("{\"cmd\":\"move\"}", false).kinds, "s");
}

TEST(StreamTest, LengthsThatFitTheDataMakePackets) {
  EXPECT_EQ(pieces_of(raw_packet + raw_packet, false).kinds, "mm");
  EXPECT_EQ(pieces_of(raw_packet + "\x01", false).kinds, "s");
  EXPECT_EQ(pieces_of(int_packet, false).kinds, "m");
  EXPECT_EQ(pieces_of("hello" + dictionary_packet, false).kinds, "sm");
}

TEST(StreamTest, BehindAPacketLengthsAreBelieved) {
  EXPECT_EQ(pieces_of(dictionary_packet + raw_packet.substr(0, 6), false).kinds, "mu");
}

TEST(StreamTest, ALengthByItselfIsBelievedAtTheBeginning) {
  EXPECT_EQ(pieces_of("\x09\0\0\0"s, false).kinds, "u");
  EXPECT_EQ(pieces_of("\0\0\0\x0c"s, false).kinds, "u") << "big_endian";
}

TEST(StreamTest, APacketThatGoesOnFillsASegment) {
  const std::string length = "\xd0\x07\0\0"s;
  EXPECT_EQ(pieces_of(length + std::string(507, '!'), false).kinds, "s");
  EXPECT_EQ(pieces_of(length + std::string(508, '!'), false).kinds, "u");
}

TEST(StreamTest, AVariantMayComeInParts) {
  for (std::size_t size = 1; size < dictionary_packet.size(); ++size) {
    EXPECT_EQ(pieces_of(dictionary_packet.substr(0, size), false).kinds, "u") << size;
  }
}

}  // namespace
