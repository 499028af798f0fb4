// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/stream/stream_reader.h"

namespace {

using godot_codec::Bytes;
using godot_codec::StreamItem;
using godot_codec::StreamOptions;
using godot_codec::StreamReader;
using namespace std::string_literals;

// An int, a String, a Dictionary {"a": 1}, and an Array of ints, each with its length prefix.
const std::string int_packet = "\x08\0\0\0\x02\0\0\0\x2a\0\0\0"s;
const std::string string_packet = "\x14\0\0\0\x04\0\0\0\x0b\0\0\0hello there\0"s;
const std::string dictionary_packet = "\x1c\0\0\0\x1b\0\0\0\x01\0\0\0\x04\0\0\0\x01\0\0\0a\0\0\0\x02\0\0\0\x01\0\0\0"s;
const std::string raw_packet = "\x05\0\0\0\x01\x02\x03\x04\x05"s;

struct ReadItems {
  std::string kinds;  // kinds of pieces: "m" message, "u" unfinished, "b" broken, "s" skipped
  std::vector<std::size_t> ends;
  bool has_next_boundary = false;
};

ReadItems read_items(Bytes data, bool is_boundary, const StreamOptions &options) {
  StreamReader reader(data, is_boundary, options);
  ReadItems items;
  for (StreamItem piece; reader.next(piece);) {
    items.kinds += "mubs"[static_cast<std::size_t>(piece.kind)];
    items.ends.push_back(piece.range.end());
  }
  items.has_next_boundary = reader.has_next_boundary();
  return items;
}

ReadItems read_items(std::string_view data, bool is_boundary, const StreamOptions &options) {
  // A block of exactly this size, so that reading past its end is detected.
  const std::vector<std::uint8_t> block(data.begin(), data.end());
  return read_items(Bytes(block.data(), block.size()), is_boundary, options);
}

ReadItems read_items(std::string_view data, bool is_framed) {
  StreamOptions options;
  options.has_known_framing = is_framed;
  return read_items(data, true, options);
}

ReadItems read_items_after_loss(std::string_view data) { return read_items(data, false, {}); }

using Ends = std::vector<std::size_t>;

TEST(StreamFraming, UnfinishedLengthGivesNoNextBoundary) {
  for (std::size_t part = 1; part < godot_codec::stream_prefix_size; ++part) {
    const ReadItems items = read_items(int_packet + dictionary_packet.substr(0, part), true);
    EXPECT_EQ(items.kinds, "mu");
    EXPECT_FALSE(items.has_next_boundary);
  }
}

TEST(StreamFraming, RestOfAPacketWithoutItsBeginningIsSkipped) {
  for (std::size_t lost = 1; lost < string_packet.size(); ++lost) {
    const std::size_t left = string_packet.size() - lost;
    const ReadItems items = read_items_after_loss(string_packet.substr(lost) + dictionary_packet + string_packet);
    EXPECT_EQ(items.kinds, "smm") << lost;
    EXPECT_EQ(items.ends,
              Ends({left, left + dictionary_packet.size(), left + dictionary_packet.size() + string_packet.size()}))
        << lost;
  }
}

TEST(StreamFraming, PacketAtAnUnknownStartIsAccepted) {
  for (const std::string &packet : {int_packet, string_packet, dictionary_packet}) {
    EXPECT_EQ(read_items_after_loss(packet).kinds, "m");
  }
  EXPECT_EQ(read_items_after_loss(dictionary_packet.substr(0, 20)).kinds, "u");
}

TEST(StreamFraming, RawPacketsThatFillTheDataAreAccepted) {
  const std::string data = raw_packet + raw_packet;
  EXPECT_EQ(read_items_after_loss(data).kinds, "mm");
  // Without the first byte, nothing shows a boundary.
  const ReadItems skipped = read_items_after_loss(data.substr(1));
  EXPECT_EQ(skipped.kinds, "s");
  EXPECT_FALSE(skipped.has_next_boundary);
}

TEST(StreamFraming, ImpossibleLengthIsSkipped) {
  for (const std::string &bad : {"\0\0\0\0"s, "\x01\0\0\x7f"s, "\xff\xff\xff\xff"s}) {
    const ReadItems items = read_items(int_packet + bad + string_packet + int_packet, true);
    EXPECT_EQ(items.kinds, "msmm");
    EXPECT_EQ(items.ends[1], int_packet.size() + bad.size());
  }
}

TEST(StreamFraming, PacketOverTheMaximumLengthIsSkipped) {
  StreamOptions options;
  options.max_length = 20;
  EXPECT_EQ(read_items(string_packet, true, options).kinds, "m");
  options.max_length = 19;
  EXPECT_EQ(read_items(string_packet, true, options).kinds, "s");
}

TEST(StreamFraming, SnapLengthKeepsTheNextBoundary) {
  const std::vector<std::uint8_t> block(string_packet.begin(), string_packet.begin() + 10);
  const ReadItems items = read_items(Bytes(block.data(), block.size(), string_packet.size()), true, StreamOptions{});
  EXPECT_EQ(items.kinds, "m");
  EXPECT_EQ(items.ends, Ends({string_packet.size()}));
}

TEST(StreamFraming, ItemsCoverMalformedDataOnce) {
  // Every position looks like a plausible length and header. The search must end nevertheless, and lose no byte.
  std::string data;
  for (int i = 0; i < 4000; ++i) data += "\x40\0\0\0\x1c\0\0\0\x08\0\0\0"s;
  std::size_t offset = 0;
  for (const std::size_t end : read_items_after_loss(data).ends) {
    ASSERT_GT(end, offset);
    offset = end;
  }
  EXPECT_EQ(offset, data.size());
}

// ---- a sender that may not send packets

TEST(StreamFraming, ConfiguredPortIsNoEvidenceForALengthPrefix) {
  const std::string record = "\x01\x07\0\0\0\0\0\xc0\x3f"s;  // a u8, a u32, a float
  EXPECT_EQ(read_items(record, true).kinds, "u");
  EXPECT_EQ(read_items(record, false).kinds, "s");
  EXPECT_EQ(read_items("\x07"s, false).kinds, "s");
  EXPECT_EQ(read_items("{\"cmd\":\"move\"}", false).kinds, "s");
}

TEST(StreamFraming, PacketsThatFillTheDataAreAccepted) {
  EXPECT_EQ(read_items(raw_packet + raw_packet, false).kinds, "mm");
  EXPECT_EQ(read_items(raw_packet + "\x01", false).kinds, "s");
  EXPECT_EQ(read_items(int_packet, false).kinds, "m");
  EXPECT_EQ(read_items("hello" + dictionary_packet, false).kinds, "sm");
}

TEST(StreamFraming, UnfinishedPacketAfterAPacketIsAccepted) {
  EXPECT_EQ(read_items(dictionary_packet + raw_packet.substr(0, 6), false).kinds, "mu");
}

TEST(StreamFraming, LengthAloneIsAcceptedAtTheBeginning) {
  EXPECT_EQ(read_items("\x09\0\0\0"s, false).kinds, "u");
  EXPECT_EQ(read_items("\0\0\0\x0c"s, false).kinds, "u") << "big_endian";
}

TEST(StreamFraming, UnfinishedPacketIsAcceptedOnlyIfItFillsASegment) {
  const std::string length = "\xd0\x07\0\0"s;
  EXPECT_EQ(read_items(length + std::string(507, '!'), false).kinds, "s");
  EXPECT_EQ(read_items(length + std::string(508, '!'), false).kinds, "u");
}

TEST(StreamFraming, VariantSplitAnywhereIsKeptAsUnfinished) {
  for (std::size_t size = 1; size < dictionary_packet.size(); ++size) {
    EXPECT_EQ(read_items(dictionary_packet.substr(0, size), false).kinds, "u") << size;
  }
}

}  // namespace
