// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "events.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec::test {
namespace {

TEST(MpPackets, PacketIsReadWithAllItsRelays) {
  const ExactBytes plain(hex("0703 03000000 01"));
  const MpReading one = MpReader({plain.get()}, {}).read(MpFraming::none, Generation::godot4);
  EXPECT_FALSE(one.has_prefix);
  ASSERT_EQ(one.count, 2U);
  EXPECT_EQ(one.commands[0].command, MpCommand::relay);
  EXPECT_EQ(one.commands[1].range.offset, 6U);
  EXPECT_EQ(one.commands[1].command, MpCommand::simplify_path);
}

TEST(MpPackets, NestedRelaysAreLimited) {
  const ExactBytes nested(hex("0703 03000000 0703 04000000 0703 05000000 0703 06000000 61"));
  const MpReading reading = MpReader({nested.get()}, {}).read(MpFraming::none, Generation::godot4);
  ASSERT_EQ(reading.count, mp_max_relays + 1);
  EXPECT_EQ(reading.commands[2].fields.peer(MpField::peer), 5);
  EXPECT_EQ(reading.commands[2].inner.offset, 18U);
}

TEST(MpPackets, PacketMayBeAPrefixOnly) {
  const ExactBytes id(hex("2a000000"));
  const MpReading reading = MpReader({id.get()}, {}).read(MpFraming::websocket_id, Generation::godot4);
  EXPECT_TRUE(reading.has_prefix);
  EXPECT_EQ(reading.count, 0U);
  EXPECT_EQ(reading.prefix.fields.peer(MpField::peer), 42);
}

}  // namespace
}  // namespace godot_codec::test
