// SPDX-License-Identifier: MIT
// Stream sessions: where messages begin, how segments are reassembled, and which protocol is chosen.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/debugger/message.h"
#include "godot-codec/detection/stream_detection.h"
#include "godot-codec/detection/weights.h"
#include "godot-codec/stream/pending_stream.h"
#include "godot-codec/stream/reassembler.h"
#include "godot-codec/stream/stream_position.h"
#include "godot-codec/variant/text_sink.h"
#include "stream_options.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

using namespace std::string_literals;

const std::string move = in_stream(dictionary({{string("cmd"), string("move")}, {string("id"), integer(7)}}));
const std::string debug_parts = in_stream(string("output")) + in_stream(integer(1)) +
                                in_stream(u32(19) + u32(2) + string("Hello, debugger!") + integer(0));

Bytes bytes_of(std::string_view data) { return {reinterpret_cast<const std::uint8_t *>(data.data()), data.size()}; }
std::string text_of(Bytes bytes) { return {reinterpret_cast<const char *>(bytes.data), bytes.captured}; }

// ---- chunks

TEST(StreamReader, SplitsAChunkIntoMessages) {
  const std::string data = in_stream(integer(1)) + "\0\0\0\0"s + in_stream(string("hello there")) +
                           in_stream(integer(2)) + move.substr(0, 20);
  StreamReader reader(bytes_of(data), true, {});
  const struct {
    StreamItemKind kind;
    std::size_t offset;
    std::size_t length;
  } rows[] = {{StreamItemKind::message, 0, 12},
              {StreamItemKind::skipped, 12, 4},
              {StreamItemKind::message, 16, 24},
              {StreamItemKind::message, 40, 12},
              {StreamItemKind::unfinished, 52, 20}};
  StreamItem piece;
  for (const auto &row : rows) {
    ASSERT_TRUE(reader.next(piece)) << row.offset;
    EXPECT_EQ(piece.kind, row.kind) << row.offset;
    EXPECT_EQ(piece.range.offset, row.offset);
    EXPECT_EQ(piece.range.length, row.length);
  }
  EXPECT_FALSE(reader.next(piece));
  EXPECT_EQ(reader.unfinished_offset(), 52U);
  EXPECT_TRUE(reader.has_next_boundary());
  EXPECT_EQ(reader.next_boundary(), 52 + move.size());
}

TEST(StreamReader, InvalidLengthEndsAMessageOfSeveralPackets) {
  const std::string data = in_stream(string("output")) + in_stream(integer(2)) + u32(0) + debug_parts;
  StreamReader reader(bytes_of(data), true, stream_options[0]);
  StreamItem piece;
  ASSERT_TRUE(reader.next(piece));
  EXPECT_EQ(piece.kind, StreamItemKind::broken);
  EXPECT_EQ(piece.range.length, 32U);
  ASSERT_TRUE(reader.next(piece));
  EXPECT_EQ(piece.kind, StreamItemKind::skipped);
  EXPECT_EQ(piece.range.length, 4U);
  ASSERT_TRUE(reader.next(piece));
  EXPECT_EQ(piece.kind, StreamItemKind::message);
  EXPECT_EQ(piece.range.length, debug_parts.size());
  EXPECT_FALSE(reader.next(piece));
}

// ---- positions

ChunkStart read_chunk(StreamPosition &position, PacketPosition at, std::uint32_t seq, std::string_view data,
                      bool is_reassembled = false) {
  const StreamChunk part{seq, data.size(), is_reassembled};
  const ChunkStart start = position.begin_chunk(at, part);
  StreamReader reader(bytes_of(data), start.is_boundary, {});
  for (StreamItem piece; reader.next(piece);) continue;
  position.end_chunk(part, reader);
  return start;
}

TEST(StreamPosition, EndOfAForeignReassembledChunkIsNoBoundary) {
  StreamPosition position(std::pmr::get_default_resource());
  position.begin_at(1000);
  EXPECT_FALSE(position.was_read());
  // A reassembled chunk of 100 bytes ends in the segment before sequence number 1200.
  const StreamChunk foreign{1100, 100, true, true};
  EXPECT_EQ(position.first_seq_of(foreign), 1100U);
  EXPECT_EQ(position.newest_offset_in(foreign), 0U);
  position.skip(foreign);
  EXPECT_TRUE(position.was_read());
  const ChunkStart within{.is_boundary = false};
  EXPECT_EQ(read_chunk(position, {2, 0}, 1180, move), within);
  ChunkStart after_gap = within;
  after_gap.has_gap = true;
  EXPECT_EQ(read_chunk(position, {3, 0}, 5000, move), after_gap);
}

TEST(StreamPosition, StreamWithoutGapsNeedsNoMemory) {
  StreamPosition position(std::pmr::get_default_resource());
  position.begin_at(0xfffffff0);  // the sequence numbers wrap
  std::uint32_t seq = 0xfffffff0;
  for (std::uint32_t i = 1; i <= 100'000; ++i) {
    EXPECT_EQ(read_chunk(position, {i, 0}, seq, move), ChunkStart{});
    seq += static_cast<std::uint32_t>(move.size());
  }
  EXPECT_EQ(position.change_count(), 0U);
  EXPECT_EQ(position.start_at({50'000, 0}), ChunkStart{});
}

TEST(StreamPosition, StartOfEachChunkIsKnownOnLaterPasses) {
  StreamPosition position(std::pmr::get_default_resource());
  position.begin_at(1000);
  const auto size = static_cast<std::uint32_t>(move.size());
  EXPECT_EQ(read_chunk(position, {1, 0}, 1000, move), ChunkStart{});
  const ChunkStart behind_gap{false, true};
  EXPECT_EQ(read_chunk(position, {2, 0}, 1000 + 3 * size, move), behind_gap);
  EXPECT_EQ(read_chunk(position, {3, 0}, 1000 + 4 * size, move), ChunkStart{});
  const ChunkStart again{false, false};
  EXPECT_EQ(read_chunk(position, {4, 0}, 1000 + 4 * size, move), again) << "sent again";
  EXPECT_EQ(read_chunk(position, {5, 0}, 1000 + 5 * size, move.substr(0, 10)), ChunkStart{});
  EXPECT_EQ(read_chunk(position, {6, 0}, 0, move, true), ChunkStart{}) << "put together";
  EXPECT_EQ(read_chunk(position, {7, 0}, 1000 + 6 * size, move), ChunkStart{});
  EXPECT_EQ(position.change_count(), 4U);
  const ChunkStart starts[] = {{}, behind_gap, {}, again, {}, {}, {}};
  for (std::uint32_t i = 0; i < std::size(starts); ++i) EXPECT_EQ(position.start_at({i + 1, 0}), starts[i]) << i;
}

TEST(StreamPosition, FirstChunkOfAnUnknownStreamIsNoBoundary) {
  StreamPosition position(std::pmr::get_default_resource());
  EXPECT_EQ(read_chunk(position, {7, 0}, 5, move), (ChunkStart{false, false}));
  EXPECT_EQ(read_chunk(position, {8, 0}, 5 + static_cast<std::uint32_t>(move.size()), move), ChunkStart{});
}

// ---- messages reassembled by the plugin

TEST(Reassembler, HeadOfAMessageIsReturnedForItsLastSegment) {
  Reassembler join(std::pmr::get_default_resource());
  const std::string whole = in_stream(integer(1)) + move;
  join.begin({3, 0}, stream_options[1], 100, bytes_of(whole.substr(0, 30)), 20, false);
  EXPECT_TRUE(join.is_open());
  join.add_segment({4, 0}, 130, bytes_of(whole.substr(30, 10)));
  join.add_segment({6, 0}, 140, bytes_of(whole.substr(40) + "more"));
  EXPECT_FALSE(join.is_open());
  EXPECT_EQ(join.end_seq(), 100 + whole.size() + 4);
  const auto head = [&](std::uint32_t packet, std::uint32_t seq, std::size_t length) {
    const Reassembler::SegmentLookup segment = join.find({packet, 0}, seq, length);
    EXPECT_TRUE(segment.is_covered) << packet;
    return text_of(segment.head);
  };
  EXPECT_EQ(head(1, 100, 8), "");
  EXPECT_EQ(head(2, 108, 12), whole.substr(0, 8));
  EXPECT_EQ(head(3, 120, 10), whole.substr(12, 8));
  EXPECT_EQ(head(6, 140, whole.size() - 40 + 4), whole.substr(12, 28));
  EXPECT_FALSE(join.find({7, 0}, 140, 4).is_covered) << "later";
  EXPECT_FALSE(join.find({2, 0}, 90, 4).is_covered) << "before";
  EXPECT_FALSE(join.find({6, 0}, 140, whole.size()).is_covered) << "longer than what came";
  EXPECT_EQ(join.stored_size(), 40U) << "of the last segment nothing is kept";
}

// In a message that TCP reassembles, TCP offers bytes again, up to the newest segment.
TEST(StreamPosition, BytesThatTcpOffersAgainAreNotNew) {
  std::pmr::unsynchronized_pool_resource memory;
  StreamPosition position(&memory);
  position.begin_at(100);
  const auto read = [&position](std::uint32_t packet, StreamChunk part, const std::string &data) {
    const std::size_t newest = position.newest_offset_in(part);
    position.begin_chunk({packet, 0}, part);
    StreamReader reader(bytes_of(data), true, {});
    for (StreamItem piece; reader.next(piece);) continue;
    position.end_chunk(part, reader);
    return newest;
  };
  EXPECT_EQ(read(1, {100, 20, false}, move.substr(0, 20)), 0U);
  EXPECT_EQ(read(2, {120, 30, true}, move.substr(0, 30)), 20U);
  EXPECT_EQ(read(3, {130, move.size(), true}, move), 30U);
  EXPECT_EQ(read(4, {100 + static_cast<std::uint32_t>(move.size()), 4, false}, move.substr(0, 4)), 0U);
}

TEST(Reassembler, StartPositionOfAMessageIsKnown) {
  std::pmr::unsynchronized_pool_resource memory;
  Reassembler join(&memory);
  EXPECT_FALSE(join.begins_message_at({2, 0}));
  join.begin({2, 1}, stream_options[1], 0, bytes_of(move.substr(0, 20)), 20, true);
  join.begin({5, 0}, stream_options[1], 1000, bytes_of(move + move.substr(0, 20)), 10, false);
  join.begin({5, 0}, stream_options[1], 2000, bytes_of(move.substr(0, 20)), 20, true);
  join.begin({6, 0}, stream_options[1], 3000, bytes_of(move.substr(0, 20)), 20, false);
  for (const PacketPosition position : {PacketPosition{2, 1}, PacketPosition{5, 0}})
    EXPECT_TRUE(join.begins_message_at(position)) << position.packet;
  for (const PacketPosition position : {PacketPosition{1, 0}, PacketPosition{2, 0}, PacketPosition{2, 2},
                                        PacketPosition{4, 0}, PacketPosition{6, 0}, PacketPosition{7, 0}}) {
    EXPECT_FALSE(join.begins_message_at(position)) << position.packet;
  }
}

TEST(Reassembler, LongMessageYieldsNothingUntilItsEnd) {
  Reassembler join(std::pmr::get_default_resource());
  const std::string part = in_stream(string(std::string(1000, 'x')));
  join.begin({1, 0}, stream_options[0], 0, bytes_of(in_stream(string("output")) + in_stream(integer(50))), 32, true);
  std::uint32_t seq = 32;
  for (std::uint32_t i = 0; i < 50; ++i, seq += static_cast<std::uint32_t>(part.size())) {
    EXPECT_TRUE(join.is_open()) << i;
    join.add_segment({2 + i, 0}, seq, bytes_of(part));
  }
  EXPECT_FALSE(join.is_open());
  const auto size = static_cast<std::uint32_t>(part.size());
  EXPECT_TRUE(join.find({20, 0}, 32 + 18 * size, size).has_no_message_end);
  EXPECT_FALSE(join.find({51, 0}, 32 + 49 * size, size).has_no_message_end);
  EXPECT_EQ(join.find({51, 0}, 32 + 49 * size, size).head.captured, 32 + 49 * size);
}

TEST(Reassembler, MissingBytesEndTheMessage) {
  Reassembler join(std::pmr::get_default_resource());
  join.begin({1, 0}, stream_options[1], 0, bytes_of(move.substr(0, 20)), 20, false);
  join.add_segment({2, 0}, 10, bytes_of(move.substr(10, 10)));
  EXPECT_TRUE(join.is_open()) << "sent again";
  join.add_segment({3, 0}, 24, bytes_of(move.substr(24)));
  EXPECT_FALSE(join.is_open());
  EXPECT_FALSE(join.find({3, 0}, 24, 4).is_covered);
}

// Each rule holds wherever the sequence numbers wrap.
TEST(Reassembler, ContinuesAcrossTheSequenceWrap) {
  for (std::uint32_t first = 0U - 24; first != 24; first += 4) {
    Reassembler join(std::pmr::get_default_resource());
    join.begin({1, 0}, stream_options[1], first, bytes_of(move.substr(0, 20)), 20, false);
    join.add_segment({2, 0}, first + 10, bytes_of(move.substr(10, 10)));
    EXPECT_TRUE(join.is_open()) << "sent again, " << first;
    join.add_segment({3, 0}, first + 20, bytes_of(move.substr(20)));
    EXPECT_EQ(text_of(join.find({3, 0}, first + 20, move.size() - 20).head), move.substr(0, 20)) << first;
    join.begin({4, 0}, stream_options[1], first, bytes_of(move.substr(0, 20)), 20, false);
    join.add_segment({5, 0}, first + 24, bytes_of(move.substr(24)));
    EXPECT_FALSE(join.is_open()) << "bytes are missing, " << first;
  }
}

TEST(TcpSequence, CountsNewBytesAcrossTheSequenceWrap) {
  for (std::uint32_t first = 0U - 40; first != 4; ++first) {
    TcpSequence sequence;
    EXPECT_TRUE(!sequence.has_begun() && !sequence.has_gap_before(first)) << first;
    EXPECT_EQ(sequence.add(first, 10), 10U) << first;
    EXPECT_EQ(sequence.add(first + 4, 10), 4U) << "retransmission with new bytes, " << first;
    EXPECT_EQ(sequence.add(first, 10), 0U) << "retransmission, " << first;
    EXPECT_TRUE(!sequence.has_gap_before(first + 14) && sequence.has_gap_before(first + 15)) << first;
    EXPECT_EQ(sequence.add(first + 20, 10), 10U) << "after a gap, " << first;
    EXPECT_TRUE(sequence.next() == first + 30 && !sequence.has_gap_before(first)) << first;
  }
}

// Only packets with a single length prefix may have the other byte order.
TEST(StreamReader, DebuggerMessagesAreNeverReadAsBigEndian) {
  std::string big = in_stream(move.substr(4));
  std::reverse(big.begin(), big.begin() + 4);
  for (const bool is_packet : {true, false}) {
    StreamReader reader(bytes_of(big), true, {.measure = is_packet ? measure_packet : measure_debug_message});
    StreamItem piece;
    ASSERT_TRUE(reader.next(piece));
    EXPECT_EQ(reader.is_big_endian(), is_packet);
  }
}

TEST(Reassembler, MessageOverTheSizeLimitIsDropped) {
  constexpr std::size_t part = Reassembler::max_size / 4;
  const std::string zeros(part, '\0');
  Reassembler join(std::pmr::get_default_resource());
  const std::string head = u32(2U << 30) + zeros.substr(4);
  join.begin({1, 0}, {.max_length = 3U << 30}, 0, bytes_of(head), part, true);
  for (std::uint32_t i = 1; i < 4; ++i) join.add_segment({1 + i, 0}, i * part, bytes_of(zeros));
  EXPECT_TRUE(join.is_open());
  EXPECT_EQ(join.stored_size(), Reassembler::max_size);
  join.add_segment({5, 0}, Reassembler::max_size, bytes_of("x"));
  EXPECT_FALSE(join.is_open());
  EXPECT_FALSE(join.find({5, 0}, Reassembler::max_size, 1).is_covered);
}

// ---- protocol of a stream

// Returns the index of the deciding segment, counted from 1; 0 if no segment decides.
std::uint32_t deciding_segment(const std::string &stream, std::size_t size, StreamProtocol protocol,
                               StreamCandidates candidates = {}) {
  StreamDetection detection(stream_options, std::pmr::get_default_resource());
  for (std::size_t at = 0; at < stream.size(); at += size) {
    const auto packet = static_cast<std::uint32_t>(at / size + 1);
    const auto found = detection.add(0, {packet, 0}, static_cast<std::uint32_t>(at + 9),
                                     bytes_of(stream).slice({at, size}), candidates, {});
    if (!found) continue;
    EXPECT_EQ(*found, protocol);
    EXPECT_EQ(detection.decided_since(), (PacketPosition{packet, 0}));
    return packet;
  }
  return 0;
}

TEST(StreamDetection, DetectsSegmentedMessages) {
  for (const std::size_t size : {1U, 2U, 3U, 4U, 7U, 20U, 56U, 200U}) {
    SCOPED_TRACE(size);
    const std::uint32_t variants = deciding_segment(move, size, StreamProtocol::variants);
    EXPECT_GT(variants, 0U);
    EXPECT_LE(variants, (move.size() + size - 1) / size);
    EXPECT_EQ(deciding_segment(debug_parts, size, StreamProtocol::debugger), (debug_parts.size() + size - 1) / size);
  }
}

// Each segment is one Variant. The second strong Variant decides.
TEST(StreamDetection, DetectsVariantsWithoutALength) {
  const std::string variant = move.substr(4);
  EXPECT_EQ(deciding_segment(variant + variant, variant.size(), StreamProtocol::variants), 2U);
  EXPECT_EQ(deciding_segment(variant, variant.size(), StreamProtocol::variants), 0U);
  EXPECT_EQ(deciding_segment(variant + variant, 2 * variant.size(), StreamProtocol::variants), 0U);
  StreamDetection detection(stream_options, std::pmr::get_default_resource());
  for (std::uint32_t i = 1; i <= 4; ++i) {
    const Bytes cut{bytes_of(variant).data, variant.size() - 4, variant.size()};
    EXPECT_FALSE(detection.add(0, {i, 0}, i * 1000, cut, {}, {})) << "the capture lacks its end";
  }
  EXPECT_FALSE(detection.has_no_length_prefix());
}

TEST(StreamDetection, OnlyEnabledCandidatesAreEvaluated) {
  EXPECT_GT(deciding_segment(debug_parts, 20, StreamProtocol::variants, {false, true}), 0U);
  EXPECT_EQ(deciding_segment(move, 20, StreamProtocol::variants, {true, false}), 0U);
}

TEST(StreamDetection, MessageNameOrArgumentsRuleOutTheDebugger) {
  const std::string stream = in_stream(string("mygame")) + in_stream(integer(1)) + move;
  EXPECT_GT(deciding_segment(stream, 20, StreamProtocol::variants), 0U);
  // Until the message is complete, the bytes may be a debugger message. Afterwards, the earlier bytes belong to the
  // other protocol.
  const std::string array =
      in_stream(u32(28) + u32(3) + string("output") + integer(1) + string("no list of arguments"));
  EXPECT_EQ(deciding_segment(array, 20, StreamProtocol::variants), (array.size() + 19) / 20);
}

TEST(StreamDetection, PendingBytesAreLimited) {
  std::pmr::monotonic_buffer_resource memory;
  PendingStream prefix(stream_options, &memory);
  const std::string long_packet = u32(1'000'000) + std::string(500'000, 'x');
  for (std::size_t at = 0; at < long_packet.size(); at += 1000) {
    prefix.add(static_cast<std::uint32_t>(at), bytes_of(long_packet).slice({at, 1000}));
    prefix.keep_undecided(false);
    EXPECT_LE(prefix.buffered_size(), PendingStream::max_size);
  }
  PendingStream others(stream_options, &memory);
  others.add(0, bytes_of("GET / HTTP/1.1\r\n\r\n"));
  others.keep_undecided(false);
  EXPECT_EQ(others.buffered_size(), 0U);
}

TEST(StreamDetection, BytesAreAppendedAfterEarlierOnesWereRemoved) {
  PendingStream prefix(stream_options, std::pmr::get_default_resource());
  const std::string bytes = u32(100) + std::string(56, 'x');
  for (const std::uint32_t at : {0U, 20U}) prefix.add(at, bytes_of(bytes).slice({at, 20}));
  prefix.drop_earlier_segments();
  prefix.add(40, bytes_of(bytes).slice({40, 20}));
  EXPECT_EQ(prefix.buffered_size(), 40U);
}

TEST(StreamDetection, EarlierBytesArePassedToTheReassembler) {
  StreamDetection detection(stream_options, std::pmr::get_default_resource());
  Reassembler join(std::pmr::get_default_resource());
  const std::string stream = in_stream("raw") + in_stream(integer(7)) + move;
  EXPECT_FALSE(detection.add(1, {1, 0}, 0, bytes_of(stream.substr(0, 10)), {}, {}));
  EXPECT_EQ(detection.add(1, {2, 0}, 10, bytes_of(stream.substr(10)), {}, {}), StreamProtocol::variants);
  detection.hand_over(join, 1, true);
  EXPECT_FALSE(join.is_open());
  EXPECT_EQ(text_of(join.find({2, 0}, 10, stream.size() - 10).head), stream.substr(7, 3));
  EXPECT_TRUE(join.find({1, 0}, 0, 10).is_covered);
}

class CountingReader final : public BytesDecoder {
 public:
  bool append_decoded(TextBuffer & /*text*/, Bytes /*bytes*/) const override { return false; }
  [[nodiscard]] Confidence confidence(Bytes bytes) const override {
    ++count;
    return bytes.captured == 7 ? Confidence::strong : Confidence::none;
  }

  mutable unsigned count = 0;
};

TEST(StreamDetection, ForeignStreamIsEvaluatedLessAndLessOften) {
  const CountingReader reader;
  ReadOptions read;
  read.decoder = &reader;
  StreamDetection detection(stream_options, std::pmr::get_default_resource());
  const std::string others = in_stream("other bytes");
  std::uint32_t seq = 0;
  const auto add = [&](const std::string &segment) {
    const auto protocol = detection.add(0, {seq + 1, 0}, seq, bytes_of(segment), {}, read);
    seq += static_cast<std::uint32_t>(segment.size());
    return protocol;
  };
  for (unsigned i = 0; i < 3; ++i) EXPECT_FALSE(add(others));
  EXPECT_EQ(reader.count, 3U);
  for (unsigned i = 3; i < 47; ++i) EXPECT_FALSE(add(others));
  EXPECT_EQ(reader.count, 10U) << "1, 2, 3, 4, 6, 8, 12, 16, 24, 32";
  EXPECT_EQ(add(in_stream("game's ")), StreamProtocol::variants) << "the 48th";
}

TEST(StreamDetection, CustomPayloadIsNotEvaluatedIfADissectorIsRegistered) {
  const CountingReader reader;
  ReadOptions read;
  read.decoder = &reader;
  StreamDetection detection(stream_options, std::pmr::get_default_resource());
  EXPECT_FALSE(detection.add(0, {1, 0}, 0, bytes_of(in_stream("game's ")), {}, read, weights::registered_dissector));
  EXPECT_EQ(reader.count, 0U);
}

TEST(StreamDetection, RegisteredDissectorOutweighsOnlyWeakPackets) {
  StreamDetection detection(stream_options, std::pmr::get_default_resource());
  const std::string small = in_stream(integer(7));
  const auto size = static_cast<std::uint32_t>(small.size());
  for (std::uint32_t i = 0; i < 50; ++i) {
    EXPECT_FALSE(detection.add(0, {i + 1, 0}, i * size, bytes_of(small), {}, {}, weights::registered_dissector));
  }
  EXPECT_TRUE(detection.has_pending_bytes(0));
  EXPECT_FALSE(detection.has_pending_bytes(1));
  EXPECT_EQ(detection.add(0, {51, 0}, 50 * size, bytes_of(move), {}, {}, weights::registered_dissector),
            StreamProtocol::variants);
}

// The dissector rejects a segment, so TCP offers it to the heuristic, too.
TEST(StreamDetection, SegmentOfferedTwiceCountsOnce) {
  StreamDetection detection(stream_options, std::pmr::get_default_resource());
  const std::string small = in_stream(integer(7));
  const auto size = static_cast<std::uint32_t>(small.size());
  EXPECT_FALSE(detection.add(0, {1, 0}, 0, bytes_of(small), {}, {}, weights::registered_dissector));
  EXPECT_FALSE(detection.add(0, {1, 0}, 0, bytes_of(small), {}, {}));
  EXPECT_FALSE(detection.add(0, {2, 0}, size, bytes_of(small), {}, {}, weights::registered_dissector));
  EXPECT_FALSE(detection.add(0, {2, 0}, size, bytes_of(small), {.variants = false}, {}));
  EXPECT_EQ(detection.add(0, {2, 0}, size, bytes_of(small), {}, {}), StreamProtocol::variants);
  EXPECT_EQ(detection.decided_since(), (PacketPosition{2, 0}));
}

// ---- ports of the debugger

TEST(DebugStreamKind, FirstMessageDecidesTheKindOfTheStream) {
  DebugStreamDetection game;
  game.update({3, 0}, bytes_of("\x11\x22\x33\x44\x55\x66"), false, stream_options[0]);
  EXPECT_EQ(game.latest(), DebugStreamKind::unknown);
  game.update({5, 1}, bytes_of(debug_parts), true, stream_options[0]);
  game.update({6, 0}, bytes_of("GET / HTTP/1.1"), true, stream_options[0]);
  EXPECT_EQ(game.at({5, 0}), DebugStreamKind::unknown);
  EXPECT_EQ(game.at({5, 1}), DebugStreamKind::debugger);
  EXPECT_EQ(game.at({9, 0}), DebugStreamKind::debugger);
  DebugStreamDetection other;
  other.update({1, 0}, bytes_of("l\0\x0b\0\0\0\0\0\0\0\0\0"s), true, stream_options[0]);
  EXPECT_EQ(other.at({1, 0}), DebugStreamKind::other);
}

}  // namespace
}  // namespace godot_codec::test
