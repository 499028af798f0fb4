// SPDX-License-Identifier: MIT
// Streams with big-endian lengths, as with StreamPeer.big_endian.
#include <gtest/gtest.h>

#include <memory_resource>
#include <string>
#include <string_view>

#include "godot-codec/debugger/message.h"
#include "godot-codec/detection/stream_detection.h"
#include "godot-codec/stream/pending_stream.h"
#include "godot-codec/stream/reassembler.h"
#include "godot-codec/stream/stream_position.h"
#include "stream_options.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

using namespace std::string_literals;

std::string big_endian(const std::string &value) {
  const auto size = static_cast<std::uint32_t>(value.size());
  std::string length;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) length += static_cast<char>(size >> shift & 0xffU);
  return length + value;
}

const std::string anna_dictionary = dictionary({{string("name"), string("Anna")}, {string("hp"), integer(10)}});
const std::string packet = big_endian(anna_dictionary);

StreamReader read_from_start(std::string_view data) { return {bytes_of(data), true, {}}; }

void expect_item(StreamReader &reader, StreamItemKind kind, std::size_t length, bool is_big_endian) {
  StreamItem piece;
  ASSERT_TRUE(reader.next(piece));
  EXPECT_EQ(piece.kind, kind);
  EXPECT_EQ(piece.range.length, length);
  EXPECT_EQ(piece.is_big_endian, is_big_endian);
}

TEST(BigEndianStream, BigEndianLengthsAreRead) {
  const std::string data = packet + packet;
  StreamReader reader = read_from_start(data);
  expect_item(reader, StreamItemKind::message, 56, true);
  expect_item(reader, StreamItemKind::message, 56, true);
  StreamItem none;
  EXPECT_FALSE(reader.next(none));
  EXPECT_TRUE(reader.is_big_endian());
  EXPECT_EQ(reader.next_boundary(), 112U);
}

// Godot sends the length separately.
TEST(BigEndianStream, LengthPrefixAloneGivesTheNextBoundary) {
  StreamReader reader = read_from_start(std::string_view(packet).substr(0, 4));
  expect_item(reader, StreamItemKind::unfinished, 4, true);
  EXPECT_EQ(reader.next_boundary(), 56U);
}

TEST(BigEndianStream, AmbiguousLengthIsDecidedByItsValue) {
  const std::string value = string(std::string(248, 'x'));
  ASSERT_EQ(value.size(), 256U);
  const std::string big = big_endian(value);
  StreamReader reader = read_from_start(big);
  expect_item(reader, StreamItemKind::message, 260, true);
  // 65,536 bytes; the first 256 are no complete value.
  const std::string part = u32(65536) + string(std::string(65528, 'x')).substr(0, 256);
  StreamReader little = read_from_start(part);
  expect_item(little, StreamItemKind::unfinished, 260, false);
}

TEST(BigEndianStream, BytesThatAreNoVariantAreSkipped) {
  for (const std::string &data :
       {"\0\0\0\x08what ever"s, "\0\0\0\x0c\x02\0\0\0\x07\0\0\0\0\0\0\0"s, "\0\0\0\x07\x02\0\0"s, "\0\0\0\0"s}) {
    StreamReader reader = read_from_start(data);
    StreamItem piece;
    ASSERT_TRUE(reader.next(piece));
    EXPECT_EQ(piece.kind, StreamItemKind::skipped);
    EXPECT_FALSE(reader.is_big_endian());
  }
}

TEST(BigEndianStream, ChangeOfByteOrderWithinAStreamIsFollowed) {
  const std::string data = in_stream(anna_dictionary) + packet + in_stream(anna_dictionary);
  StreamReader reader = read_from_start(data);
  for (const bool is_big_endian : {false, true, false}) {
    expect_item(reader, StreamItemKind::message, 56, is_big_endian);
  }
}

TEST(BigEndianStream, PacketBoundaryIsFoundAfterAGap) {
  const std::string data = anna_dictionary.substr(20) + packet + packet;
  StreamOptions options;
  options.is_big_endian = true;
  StreamReader reader(bytes_of(data), false, options);
  expect_item(reader, StreamItemKind::skipped, 32, false);
  expect_item(reader, StreamItemKind::message, 56, true);
}

TEST(BigEndianStream, ByteOrderIsRememberedBetweenChunks) {
  StreamPosition position(std::pmr::get_default_resource());
  position.begin_at(100);
  const auto pass = [&](std::uint32_t frame, std::uint32_t seq, std::string_view data) {
    const StreamChunk part{seq, data.size(), false};
    const ChunkStart start = position.begin_chunk({frame, 0}, part);
    StreamReader reader(bytes_of(data), start.is_boundary, {8U << 20, {}, start.is_big_endian});
    for (StreamItem piece; reader.next(piece);) continue;
    position.end_chunk(part, reader);
    return start;
  };
  EXPECT_FALSE(pass(1, 100, packet).is_big_endian);
  EXPECT_TRUE(pass(2, 156, packet).is_big_endian);
  EXPECT_FALSE(position.start_at({1, 0}).is_big_endian);
  EXPECT_EQ(position.start_at({2, 0}), (ChunkStart{true, false, true}));
}

TEST(BigEndianStream, StreamIsDetected) {
  StreamDetection detection(stream_options, std::pmr::get_default_resource());
  EXPECT_FALSE(detection.add(0, {1, 0}, 9, bytes_of(packet.substr(0, 4)), {}, {}));
  EXPECT_EQ(detection.add(0, {2, 0}, 13, bytes_of(packet.substr(4)), {}, {}), StreamProtocol::variants);
  Reassembler join(std::pmr::get_default_resource());
  detection.hand_over(join, 0, true);
  const Reassembler::SegmentLookup segment = join.find({2, 0}, 13, 52);
  EXPECT_TRUE(segment.is_big_endian);
  EXPECT_EQ(segment.head.captured, 4U);
}

TEST(BigEndianStream, SmallValuesHaveTheSameEvidenceAsInLittleEndian) {
  const auto judge = [](const std::string &data) {
    EvidenceScore sum{};
    return stream_evidence(bytes_of(data), {8U << 20, {}, true}, sum).confidence;
  };
  const std::string seven = big_endian(integer(7));
  EXPECT_EQ(judge(seven), Confidence::weak);
  EXPECT_EQ(judge(seven + seven), Confidence::strong);
  EXPECT_EQ(judge(in_stream(integer(7))), Confidence::none);
}

}  // namespace
}  // namespace godot_codec::test
