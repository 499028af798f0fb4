// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "events.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec::test {
namespace {

TEST(MpPacketReader, RelayAndRelayedCommandAreRead) {
  const ExactBytes plain(hex("0703 03000000 01"));
  const MpParsedPacket one = MpPacketReader({plain.get()}, {}).read(MpFraming::none);
  EXPECT_FALSE(one.has_prefix);
  ASSERT_EQ(one.commands.size(), 2U);
  EXPECT_EQ(one.commands[0].command, MpCommand::relay);
  EXPECT_EQ(one.commands[1].range.offset, 6U);
  EXPECT_EQ(one.commands[1].command, MpCommand::simplify_path);
}

TEST(MpPacketReader, RelaysNestedTooDeepAreNotRead) {
  const ExactBytes nested(hex("0703 03000000 0703 04000000 0703 05000000 0703 06000000 61"));
  const MpParsedPacket reading = MpPacketReader({nested.get()}, {}).read(MpFraming::none);
  ASSERT_EQ(reading.commands.size(), mp_max_relays + 1);
  EXPECT_EQ(reading.commands[2].fields.peer(MpField::peer), 5);
  EXPECT_EQ(reading.commands[2].relayed.offset, 18U);
}

TEST(MpPacketReader, PacketWithOnlyAPrefixIsRead) {
  const ExactBytes id(hex("2a000000"));
  const MpParsedPacket reading = MpPacketReader({id.get()}, {}).read(MpFraming::websocket_id);
  EXPECT_TRUE(reading.has_prefix);
  EXPECT_EQ(reading.commands.size(), 0U);
  EXPECT_EQ(reading.prefix.fields.peer(MpField::peer), 42);
}

}  // namespace
}  // namespace godot_codec::test
