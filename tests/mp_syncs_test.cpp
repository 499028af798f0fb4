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

constexpr MpIdScope to_client{mp_side(0), mp_side(1)};
constexpr std::uint32_t messages_per_check = 16;  // messages

// A server with two clients.
class MissingSynchronizer : public testing::Test {
 protected:
  // Spawns a node with these synchronizers for the first client.
  void spawn(const std::vector<std::uint32_t> &ids) {
    const ExactBytes bytes(test::spawn(5, ids, "Ogre"));
    node_.sender = to_client.sender;
    node_.synchronizers = static_cast<std::uint32_t>(ids.size());
    const MpMessage message = read_mp_message(bytes.get(), 0, Generation::godot4);
    first_.record_spawn({packet_of(bytes.get()), message, to_client, message}, node_);
  }
  // Sends a client values of a synchronizer. @returns the position
  PacketPosition sync(MpSyncTracker &client, std::uint32_t id, std::uint16_t time = 1,
                      const MpIdScope &scope = to_client) {
    const ExactBytes bytes(test::sync(time, {id}));
    const MpMessage message = read_mp_message(bytes.get(), 0, Generation::godot4);
    const MpItem object = read_mp_object(bytes.get(), message.objects.offset, message.command);
    const MpPacket packet = packet_of(bytes.get());
    client.record_values({packet, message, scope, object});
    return packet.position;
  }
  void send_syncs(MpSyncTracker &client, std::uint32_t id, unsigned count) {
    for (unsigned i = 0; i < count; ++i) sync(client, id);
  }
  // Sends the first client messages until the node is diagnosed. @returns the position
  PacketPosition unsynced_node() {
    for (std::uint32_t i = 0; i < messages_per_check; ++i) first_.find_silent_synchronizers(packet_of({}));
    return {number_, 0};
  }

  std::pmr::monotonic_buffer_resource memory_;
  MpServerState server_{&memory_, &memory_};
  std::pmr::deque<MpConnection> connections_{&memory_};
  MpPeerTracker peers_{&memory_, {&connections_, 0}, server_, true, true};
  MpSyncTracker first_{&memory_, peers_};
  MpSyncTracker second_{&memory_, peers_};
  MpSpawnedNode node_;

 private:
  MpPacket packet_of(Bytes bytes) {
    MpPacket packet;
    packet.position = {++number_, 0};
    packet.bytes = bytes;
    return packet;
  }

  std::uint32_t number_ = 0;
};

TEST_F(MissingSynchronizer, SyncsThatOnlyOtherPeersReceiveAreReported) {
  spawn({6, 7});
  send_syncs(second_, 7, 10);
  const PacketPosition judged = unsynced_node();
  EXPECT_EQ(node_.unsynchronized_at, judged);
  EXPECT_EQ(node_.silent_synchronizer_index, 1U);
  unsynced_node();
  EXPECT_EQ(node_.unsynchronized_at, judged) << "the first time counts";
}

TEST_F(MissingSynchronizer, FewSyncsOrSyncsBeforeTheSpawnAreNotReported) {
  send_syncs(second_, 6, 100);
  spawn({6});
  send_syncs(second_, 6, 9);
  unsynced_node();
  EXPECT_EQ(node_.unsynchronized_at, packet_position_zero);
  sync(second_, 6);
  EXPECT_EQ(unsynced_node(), node_.unsynchronized_at);
}

TEST_F(MissingSynchronizer, IdsOfTheClientAreDistinctFromTheServers) {
  const MpIdScope to_server{mp_side(1), mp_side(0)};
  spawn({6});
  for (unsigned i = 0; i < 10; ++i) sync(second_, 6, 1, to_server);
  unsynced_node();
  EXPECT_EQ(node_.unsynchronized_at, packet_position_zero);
  send_syncs(second_, 6, 10);
  sync(first_, 6, 1, to_server);
  EXPECT_EQ(unsynced_node(), node_.unsynchronized_at);
}

TEST_F(MissingSynchronizer, FirstReceivedSyncClearsTheProblem) {
  spawn({6});
  send_syncs(second_, 6, 10);
  unsynced_node();
  EXPECT_NE(node_.unsynchronized_at, packet_position_zero);
  sync(first_, 6);
  EXPECT_EQ(node_.unsynchronized_at, packet_position_zero);
  send_syncs(second_, 6, 10);
  unsynced_node();
  EXPECT_EQ(node_.unsynchronized_at, packet_position_zero) << "it is not waited for any more";
}

TEST_F(MissingSynchronizer, DespawnedNodeIsIgnored) {
  spawn({6});
  node_.despawned_at = PacketPosition{1, 0};
  send_syncs(second_, 6, 10);
  unsynced_node();
  EXPECT_EQ(node_.unsynchronized_at, packet_position_zero);
}

TEST_F(MissingSynchronizer, ConnectionEndsHaveSeparateSyncTimes) {
  sync(first_, 6, 9, {mp_side(1), mp_side(0)});
  const PacketPosition other = sync(first_, 6, 9);
  EXPECT_FALSE(first_.find(other, 0)->is_late);
  EXPECT_FALSE(first_.find(other, 0)->has_interval);
  const PacketPosition same = sync(first_, 6, 9, {mp_side(1), mp_side(0)});
  EXPECT_TRUE(first_.find(same, 0)->is_late);
  EXPECT_EQ(first_.find(same, 1), nullptr);
}

}  // namespace
}  // namespace godot_codec::test
