// SPDX-License-Identifier: GPL-2.0-or-later
// A stream whose first packet is long, so that its protocol is unknown while the first segments arrive.
#include <gtest/gtest.h>

#include <string>

#include "pcap.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

constexpr std::uint16_t unclaimed_port = 50100;
constexpr std::size_t tile_count = 80'000;

// Returns map tiles. With other bytes, a segment might look like the beginning of a packet of another protocol, whose
// dissector would then wait for more data.
std::string tiles() {
  std::string bytes;
  for (std::size_t i = 0; i < tile_count; ++i) bytes += static_cast<char>(1 + i / 97 % 7);
  return bytes;
}

// Returns the world that a server sends to a new client: {"name": "map", "tiles": PackedByteArray[80000 bytes]}.
std::string world_packet() {
  constexpr std::uint32_t packed_byte_array = 29;
  return dictionary(
      {{string("name"), string("map")}, {string("tiles"), u32(packed_byte_array) + u32_size(tile_count) + tiles()}});
}

std::size_t segments_of(const std::string &bytes, std::size_t size) { return (bytes.size() + size - 1) / size; }

// Returns the frame in which each packet ends, its length, and its row in the packet list.
Rows packet_rows(const Pcap &pcap, const Texts &options) {
  return read_fields(saved(pcap), Texts{"-Y", "godot.length"} + options,
                     {"frame.number", "godot.length", "_ws.col.Info"});
}

const Texts passes[] = {{}, {"-2"}};

class FirstStreamPacket : public testing::TestWithParam<std::size_t> {};

TEST_P(FirstStreamPacket, IsShownInTheSegmentThatCompletesIt) {
  TcpConversation conversation({50001, unclaimed_port});
  conversation.shake_hands();
  const std::string packet = in_stream(world_packet());
  conversation.send(packet, GetParam());
  conversation.send(in_stream(integer(7)));
  const auto last = 3 + segments_of(packet, GetParam());
  const std::string length = std::to_string(packet.size() - 4);
  for (const Texts &options : passes) {
    EXPECT_EQ(
        packet_rows(conversation.pcap(), options),
        (Rows{{std::to_string(last), length, "Dictionary(2) {name: \"map\", tiles: PackedByteArray[80000 bytes]}"},
              {std::to_string(last + 1), "8", "int 7"}}));
  }
}

TEST_P(FirstStreamPacket, IsShownIfAnotherConnectionSendsMeanwhile) {
  TcpConversation first({50001, unclaimed_port});
  TcpConversation second({50002, unclaimed_port});
  for (TcpConversation *each : {&first, &second}) {
    each->shake_hands();
    each->send(in_stream(world_packet()), GetParam());
  }
  Pcap both;
  for (std::size_t i = 0; i < first.pcap().frames.size(); ++i) {
    both.frames.push_back(first.pcap().frames[i]);
    both.frames.push_back(second.pcap().frames[i]);
  }
  const std::size_t last = both.frames.size();
  for (const Texts &options : passes) {
    const Rows rows = packet_rows(both, options);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0][0], std::to_string(last - 1));
    EXPECT_EQ(rows[1][0], std::to_string(last));
    EXPECT_EQ(rows[0][2], rows[1][2]);
  }
}

// The length is lost; the later packets identify the stream.
TEST_P(FirstStreamPacket, IsSkippedWithoutItsFirstSegment) {
  TcpConversation conversation({50001, unclaimed_port});
  conversation.shake_hands();
  const std::string packet = in_stream(world_packet());
  conversation.lose(GetParam());
  conversation.send(packet.substr(GetParam()), GetParam());
  const std::string scored = dictionary({{string("player"), string("ada")}, {string("score"), integer(7)}});
  for (int i = 0; i < 2; ++i) conversation.send(in_stream(scored));
  const std::size_t rest = 3 + segments_of(packet, GetParam()) - 1;
  const std::string length = std::to_string(scored.size());
  for (const Texts &options : passes) {
    EXPECT_EQ(packet_rows(conversation.pcap(), options),
              (Rows{{std::to_string(rest + 1), length, "Dictionary(2) {player: \"ada\", score: 7}"},
                    {std::to_string(rest + 2), length, "Dictionary(2) {player: \"ada\", score: 7}"}}));
  }
}

INSTANTIATE_TEST_SUITE_P(segments, FirstStreamPacket, testing::Values(1460, 32'000, 65'483));

}  // namespace
}  // namespace godot_codec::test
