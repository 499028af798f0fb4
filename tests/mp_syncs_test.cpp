// SPDX-License-Identifier: MIT
// One part of a connection by itself: synchronizers whose values reach other clients but not this one.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "events.h"
#include "godot-codec/multiplayer/session.h"
#include "mp_messages.h"

namespace godot_codec::test {
namespace {

constexpr MpIdScope to_client{mp_end(0), mp_end(1)};
constexpr std::uint32_t judged_every = 16;  // messages

// A server with two clients.
class MissingSynchronizer : public testing::Test {
 protected:
  // Spawns a node with these synchronizers for the first client.
  void spawn(const std::vector<std::uint32_t> &ids) {
    const ExactBytes bytes(test::spawn(5, ids, "Ogre"));
    node_.sender = to_client.sender;
    node_.synchronizers = static_cast<std::uint32_t>(ids.size());
    first_.record_spawn(packet_of(bytes.get()), read_mp_message(bytes.get(), 0, Generation::godot4), to_client, node_);
  }
  // Sends a client values of a synchronizer. @returns the position
  PacketPosition sync(MpSyncs &client, std::uint32_t id, std::uint16_t time = 1, const MpIdScope &scope = to_client) {
    const ExactBytes bytes(test::sync(time, {id}));
    const MpMessage message = read_mp_message(bytes.get(), 0, Generation::godot4);
    const MpObject object = read_mp_object(bytes.get(), message.objects.offset, message.command);
    const MpPacket packet = packet_of(bytes.get());
    client.record_values(packet, message, object.fields, scope);
    return packet.position;
  }
  void sync_often(MpSyncs &client, std::uint32_t id, unsigned count) {
    for (unsigned i = 0; i < count; ++i) sync(client, id);
  }
  // Sends the first client messages until the node is diagnosed. @returns the position
  PacketPosition judge() {
    for (std::uint32_t i = 0; i < judged_every; ++i) first_.find_unsynchronized(packet_of({}));
    return {number_, 0};
  }

  std::pmr::monotonic_buffer_resource memory_;
  MpServer server_{&memory_, &memory_};
  std::pmr::deque<MpConnection> connections_{&memory_};
  MpPeers peers_{&memory_, {&connections_, 0}, server_, true, true};
  MpSyncs first_{&memory_, peers_};
  MpSyncs second_{&memory_, peers_};
  MpSpawn node_;

 private:
  MpPacket packet_of(Bytes bytes) {
    MpPacket packet;
    packet.position = {++number_, 0};
    packet.bytes = bytes;
    return packet;
  }

  std::uint32_t number_ = 0;
};

TEST_F(MissingSynchronizer, ReceivedByOthersOnlyIsReported) {
  spawn({6, 7});
  sync_often(second_, 7, 10);
  const PacketPosition judged = judge();
  EXPECT_EQ(node_.unsynchronized, judged);
  EXPECT_EQ(node_.unsynchronized_index, 1U);
  judge();
  EXPECT_EQ(node_.unsynchronized, judged) << "the first time counts";
}

TEST_F(MissingSynchronizer, FewSyncsOrSyncsBeforeTheSpawnProveNothing) {
  sync_often(second_, 6, 100);
  spawn({6});
  sync_often(second_, 6, 9);
  judge();
  EXPECT_EQ(node_.unsynchronized, packet_position_zero);
  sync(second_, 6);
  EXPECT_EQ(judge(), node_.unsynchronized);
}

TEST_F(MissingSynchronizer, IdsOfTheClientAreOthers) {
  const MpIdScope to_server{mp_end(1), mp_end(0)};
  spawn({6});
  for (unsigned i = 0; i < 10; ++i) sync(second_, 6, 1, to_server);
  judge();
  EXPECT_EQ(node_.unsynchronized, packet_position_zero);
  sync_often(second_, 6, 10);
  sync(first_, 6, 1, to_server);
  EXPECT_EQ(judge(), node_.unsynchronized);
}

TEST_F(MissingSynchronizer, FirstSyncClearsIt) {
  spawn({6});
  sync_often(second_, 6, 10);
  judge();
  EXPECT_NE(node_.unsynchronized, packet_position_zero);
  sync(first_, 6);
  EXPECT_EQ(node_.unsynchronized, packet_position_zero);
  sync_often(second_, 6, 10);
  judge();
  EXPECT_EQ(node_.unsynchronized, packet_position_zero) << "it is not waited for any more";
}

TEST_F(MissingSynchronizer, DespawnedNodeIsIgnored) {
  spawn({6});
  node_.despawned = PacketPosition{1, 0};
  sync_often(second_, 6, 10);
  judge();
  EXPECT_EQ(node_.unsynchronized, packet_position_zero);
}

TEST_F(MissingSynchronizer, EndsHaveSeparateTimes) {
  sync(first_, 6, 9, {mp_end(1), mp_end(0)});
  const PacketPosition other = sync(first_, 6, 9);
  EXPECT_FALSE(first_.find(other, 0)->is_late);
  EXPECT_FALSE(first_.find(other, 0)->has_interval);
  const PacketPosition same = sync(first_, 6, 9, {mp_end(1), mp_end(0)});
  EXPECT_TRUE(first_.find(same, 0)->is_late);
  EXPECT_EQ(first_.find(same, 1), nullptr);
}

}  // namespace
}  // namespace godot_codec::test
