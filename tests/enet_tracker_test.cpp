// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <vector>

#include "godot-codec/enet/ack_tracker.h"

namespace godot_codec::test {
namespace {

constexpr std::int64_t millisecond = nanoseconds_per_second / 1000;
constexpr unsigned client = 0;
constexpr unsigned server = 1;

/// A connection in which each command and each acknowledgement has a separate datagram. The channel is 0 unless a test
/// sets another.
struct Connection {
  AckTracker tracker;
  std::uint32_t connection = tracker.begin_connection(false);
  std::uint32_t frame = 0;
  std::int64_t now = 1'700'000'000 * nanoseconds_per_second;
  std::uint8_t channel = 0;

  void wait(std::int64_t time) { now += time; }
  void reconnect() { connection = tracker.begin_connection(true); }

  const Transmission &send(unsigned side, std::uint16_t seq, std::uint16_t sent_time,
                           FragmentRole part = FragmentRole::whole) {
    tracker.on_datagram(connection, side, now);
    return tracker.on_reliable({connection, side, channel, seq, sent_time, {++frame}, now, part});
  }
  AckMatch acknowledge(unsigned side, std::uint16_t seq, std::uint16_t sent_time) {
    tracker.on_datagram(connection, side, now);
    return tracker.on_acknowledge({connection, side, channel, seq, sent_time, {++frame}, now});
  }
  /// Sends a command, which the other side acknowledges.
  const Transmission &send_acked(unsigned side, std::uint16_t seq, std::uint16_t sent_time,
                                 FragmentRole part = FragmentRole::whole) {
    const Transmission &sent = send(side, seq, sent_time, part);
    acknowledge(1 - side, seq, sent_time);
    return sent;
  }
  AckMatch verify_connect(unsigned side) {
    tracker.on_datagram(connection, side, now);
    return tracker.on_verify_connect(connection, side, {++frame}, now);
  }
  void receive_datagram(unsigned side) { tracker.on_datagram(connection, side, now); }
};

// --- Acknowledgements ------------------------------------------------------------------------------------------

TEST(AckTracker, AcknowledgementIsMatchedWithItsCommand) {
  Connection connection;
  const Transmission &sent = connection.send(client, 1, 100);
  EXPECT_FALSE(sent.is_retransmission());
  EXPECT_EQ(sent.original, &sent);
  EXPECT_EQ(sent.acked_in, 0U);

  connection.wait(20 * millisecond);
  const AckMatch match = connection.acknowledge(server, 1, 100);
  EXPECT_EQ(match.transmission, &sent);
  EXPECT_EQ(match.round_trip_time, 20 * millisecond);
  EXPECT_TRUE(match.is_sent_time_known);
  EXPECT_EQ(sent.acked_in, 2U);
  EXPECT_EQ(sent.position.packet, 1U);
}

TEST(AckTracker, SidesAndChannelsHaveSeparateSequenceNumbers) {
  Connection connection;
  const Transmission &from_client = connection.send(client, 1, 100);
  const Transmission &from_server = connection.send(server, 1, 100);
  const Transmission &next = connection.send(client, 2, 100);
  connection.channel = 3;
  const Transmission &elsewhere = connection.send(client, 1, 100);
  connection.channel = 0xff;
  const Transmission &control = connection.send(client, 1, 100);
  for (const Transmission *sent : {&from_client, &from_server, &next, &elsewhere, &control}) {
    EXPECT_FALSE(sent->is_retransmission());
  }
  EXPECT_EQ(connection.acknowledge(server, 1, 100).transmission, &control);
  connection.channel = 3;
  EXPECT_EQ(connection.acknowledge(server, 1, 100).transmission, &elsewhere);
  EXPECT_EQ(connection.acknowledge(client, 1, 100).transmission, nullptr);
  connection.channel = 0;
  EXPECT_EQ(connection.acknowledge(client, 1, 100).transmission, &from_server);
  EXPECT_EQ(connection.acknowledge(server, 2, 100).transmission, &next);
  EXPECT_EQ(connection.acknowledge(server, 1, 100).transmission, &from_client);
}

TEST(AckTracker, All256ChannelsHaveSeparateSequenceNumbers) {
  Connection connection;
  std::vector<const Transmission *> sent;
  for (int channel = 0; channel < 256; ++channel) {
    connection.channel = static_cast<std::uint8_t>(channel);
    sent.push_back(&connection.send(client, 1, 100));
    EXPECT_FALSE(sent.back()->is_retransmission()) << channel;
  }
  for (int channel = 255; channel >= 0; --channel) {
    connection.channel = static_cast<std::uint8_t>(channel);
    EXPECT_EQ(connection.acknowledge(server, 1, 100).transmission, sent[static_cast<std::size_t>(channel)]);
  }
}

TEST(AckTracker, AcknowledgementWithoutACommandMatchesNothing) {
  Connection connection;
  EXPECT_EQ(connection.acknowledge(server, 1, 100).transmission, nullptr) << "before the command";
  const Transmission &sent = connection.send(client, 1, 100);
  EXPECT_EQ(sent.acked_in, 0U);
  EXPECT_EQ(connection.acknowledge(client, 1, 100).transmission, nullptr) << "by the sender itself";
  EXPECT_EQ(connection.acknowledge(server, 2, 100).transmission, nullptr) << "of a number not sent";
  EXPECT_EQ(sent.acked_in, 0U);
}

TEST(AckTracker, VerifyConnectAcknowledgesTheConnect) {
  Connection connection;
  connection.channel = 0xff;
  EXPECT_EQ(connection.verify_connect(server).transmission, nullptr);
  const Transmission &connect = connection.send(client, 1, 100);
  connection.wait(millisecond);
  const AckMatch match = connection.verify_connect(server);
  EXPECT_EQ(match.transmission, &connect);
  EXPECT_EQ(match.round_trip_time, millisecond);
  EXPECT_EQ(connect.acked_in, 3U);
}

TEST(AckTracker, CommandLinksToItsAcknowledgement) {
  Connection connection;
  const Transmission &first = connection.send(client, 1, 100);
  connection.wait(300 * millisecond);
  const Transmission &again = connection.send(client, 1, 400);
  const Transmission &second = connection.send(client, 2, 400);
  const AckTracker &tracker = connection.tracker;
  EXPECT_EQ(tracker.find_acknowledgement(first), nullptr);
  EXPECT_FALSE(tracker.is_packet_acknowledged(first.position.packet));
  connection.wait(20 * millisecond);
  connection.acknowledge(server, 1, 400);
  EXPECT_EQ(tracker.find_acknowledgement(first), nullptr) << "this sending is not what is acknowledged";
  ASSERT_NE(tracker.find_acknowledgement(again), nullptr);
  EXPECT_EQ(tracker.find_acknowledgement(again)->round_trip_time, 20 * millisecond);
  EXPECT_TRUE(tracker.is_packet_acknowledged(first.position.packet)) << "its command is";
  EXPECT_TRUE(tracker.is_packet_acknowledged(again.position.packet));
  EXPECT_EQ(tracker.find_acknowledgement(second), nullptr);
  EXPECT_FALSE(tracker.is_packet_acknowledged(second.position.packet));
  EXPECT_TRUE(tracker.is_packet_acknowledged(99)) << "where nothing is to be acknowledged";
}

// --- Head-of-line blocking -------------------------------------------------------------------------------------

TEST(AckTracker, LostMessageDelaysLaterOnes) {
  Connection connection;
  connection.reconnect();
  const Transmission &lost = connection.send(client, 1, 0);
  connection.wait(10 * millisecond);
  const Transmission &second = connection.send(client, 2, 10);
  connection.wait(20 * millisecond);
  const Transmission &third = connection.send_acked(client, 3, 30);
  connection.acknowledge(server, 2, 10);
  EXPECT_EQ(connection.tracker.head_of_line_delay(second), 0) << "not known yet";
  connection.wait(470 * millisecond);
  const Transmission &again = connection.send(client, 1, 500);
  connection.wait(5 * millisecond);
  const Transmission &fourth = connection.send(client, 4, 505);
  connection.acknowledge(server, 1, 500);
  connection.acknowledge(server, 4, 505);
  EXPECT_EQ(connection.tracker.head_of_line_delay(second), 490 * millisecond);
  EXPECT_EQ(connection.tracker.head_of_line_delay(third), 470 * millisecond);
  for (const Transmission *sent : {&lost, &again, &fourth}) EXPECT_EQ(connection.tracker.head_of_line_delay(*sent), 0);
}

TEST(AckTracker, UncapturedLostMessageDelaysLaterOnes) {
  Connection connection;
  connection.reconnect();
  const Transmission &second = connection.send_acked(client, 2, 10);
  connection.wait(300 * millisecond);
  connection.send_acked(client, 1, 310);
  EXPECT_EQ(connection.tracker.head_of_line_delay(second), 300 * millisecond);
}

// The message was acknowledged, so no message waits for it. Messages that wait for other messages are still found.
TEST(AckTracker, UncapturedAcknowledgedMessageDelaysNothing) {
  Connection connection;
  connection.reconnect();
  connection.send_acked(client, 1, 0);
  connection.acknowledge(server, 4, 0);
  connection.acknowledge(server, 2, 0);
  const Transmission &third = connection.send_acked(client, 3, 0);
  const Transmission &behind = connection.send_acked(client, 5, 0);
  const Transmission &seventh = connection.send_acked(client, 7, 0);
  connection.wait(300 * millisecond);
  connection.send_acked(client, 6, 300);
  EXPECT_EQ(connection.tracker.head_of_line_delay(third), 0);
  EXPECT_EQ(connection.tracker.head_of_line_delay(behind), 0);
  EXPECT_EQ(connection.tracker.head_of_line_delay(seventh), 300 * millisecond);
}

TEST(AckTracker, MessagesInOrderOrOnOtherChannelsAreNotDelayed) {
  Connection connection;
  connection.reconnect();
  connection.send(client, 1, 0);
  std::vector<const Transmission *> sent;
  for (const std::uint8_t channel : {1, 2, 128, 0xff}) {
    connection.channel = channel;
    sent.push_back(&connection.send(client, 1, 0));
    connection.acknowledge(server, 1, 0);
  }
  connection.channel = 0xff;  // a channel without an order
  sent.push_back(&connection.send(client, 3, 0));
  connection.acknowledge(server, 3, 0);
  connection.channel = 0;
  sent.push_back(&connection.send(server, 1, 0));
  connection.acknowledge(client, 1, 0);
  connection.wait(400 * millisecond);
  connection.send_acked(client, 1, 400);
  connection.channel = 0xff;
  connection.send_acked(client, 2, 400);
  for (const Transmission *each : sent) EXPECT_EQ(connection.tracker.head_of_line_delay(*each), 0);
}

TEST(AckTracker, DelayIsComputedPerChannel) {
  Connection connection;
  connection.reconnect();
  for (const std::uint16_t seq : {1, 2}) connection.send_acked(client, seq, 0);
  connection.channel = 2;
  connection.send(client, 1, 0);  // lost
  const Transmission &second = connection.send_acked(client, 2, 0);
  connection.wait(300 * millisecond);
  connection.send_acked(client, 1, 300);
  EXPECT_EQ(connection.tracker.head_of_line_delay(second), 300 * millisecond);
}

TEST(AckTracker, FragmentsAreDelayedByEarlierMessagesOnly) {
  Connection connection;
  connection.reconnect();
  connection.send(client, 1, 0);  // lost
  const Transmission &first = connection.send_acked(client, 2, 0, FragmentRole::first);
  connection.send(client, 3, 0, FragmentRole::middle);  // lost
  const Transmission &last = connection.send_acked(client, 4, 0, FragmentRole::last);
  const Transmission &behind = connection.send_acked(client, 5, 0);
  connection.wait(200 * millisecond);
  const Transmission &completing = connection.send_acked(client, 3, 200, FragmentRole::middle);
  connection.wait(100 * millisecond);
  connection.send_acked(client, 1, 300);
  EXPECT_EQ(connection.tracker.head_of_line_delay(completing), 100 * millisecond);
  EXPECT_EQ(connection.tracker.head_of_line_delay(first), 0);
  EXPECT_EQ(connection.tracker.head_of_line_delay(last), 0);
  EXPECT_EQ(connection.tracker.head_of_line_delay(behind), 300 * millisecond);
}

TEST(AckTracker, DelaysAreFoundAcrossTheSequenceWrap) {
  Connection connection;  // the capture begins within the connection
  connection.send_acked(client, 65534, 0);
  const Transmission &early = connection.send_acked(client, 0, 0);
  connection.wait(100 * millisecond);
  connection.send_acked(client, 65535, 100);
  EXPECT_EQ(connection.tracker.head_of_line_delay(early), 100 * millisecond);
}

// Sends three commands: the third arrives immediately, the fourth is lost and retransmitted after some milliseconds.
// @returns the fifth, which waits for the fourth
const Transmission &lose_fourth_command(Connection &connection, std::uint16_t sent_time, std::uint16_t wait) {
  connection.send_acked(client, 3, sent_time);
  connection.send(client, 4, sent_time);
  const Transmission &fifth = connection.send_acked(client, 5, sent_time);
  connection.wait(wait * millisecond);
  const auto again = static_cast<std::uint16_t>(sent_time + wait);
  connection.send_acked(client, 4, again);
  return fifth;
}

TEST(AckTracker, UncapturedAcknowledgementDelaysNothingAfterTheTimeout) {
  Connection connection;
  connection.reconnect();
  const Transmission &second = connection.send(client, 2, 0);  // the first command was not captured either
  connection.acknowledge(server, 2, 0);
  connection.wait(max_wait + millisecond);
  const Transmission &fifth = lose_fourth_command(connection, 0, 50);
  EXPECT_EQ(connection.tracker.head_of_line_delay(second), 0);
  EXPECT_EQ(connection.tracker.head_of_line_delay(fifth), 50 * millisecond);
}

TEST(AckTracker, UnacknowledgedCommandWithoutRetransmissionCountsAsArrived) {
  Connection connection;
  connection.reconnect();
  connection.send(client, 1, 0);  // its acknowledgement was not captured
  const Transmission &second = connection.send_acked(client, 2, 0);
  connection.wait(2001 * millisecond);
  const Transmission &fifth = lose_fourth_command(connection, 2001, 60);
  EXPECT_EQ(connection.tracker.head_of_line_delay(second), 0);
  EXPECT_EQ(connection.tracker.head_of_line_delay(fifth), 60 * millisecond);
}

TEST(AckTracker, CommandIsPendingWhileItMayBeRetransmitted) {
  Connection connection;
  connection.reconnect();
  connection.send(client, 1, 0);
  const Transmission &second = connection.send_acked(client, 2, 0);
  connection.wait(1000 * millisecond);
  connection.send(client, 1, 1000);
  connection.wait(2900 * millisecond);
  connection.send_acked(client, 3, 3900);
  connection.wait(100 * millisecond);
  connection.send_acked(client, 1, 4000);
  EXPECT_EQ(connection.tracker.head_of_line_delay(second), 4000 * millisecond);
}

// According to the sent time, the acknowledged transmission was not captured.
TEST(AckTracker, CommandDeliveredByAnUncapturedRetransmissionDelaysNothing) {
  Connection connection;
  connection.reconnect();
  const Transmission &third = connection.send(client, 3, 20);
  connection.wait(500 * millisecond);
  connection.send(client, 2, 520);
  for (const std::uint16_t number : {1, 2, 3}) {
    if (number == 1) connection.send(client, 1, 520);
    connection.acknowledge(server, number, static_cast<std::uint16_t>(10 * (number - 1)));
  }
  EXPECT_EQ(connection.tracker.head_of_line_delay(third), 0);
  connection.send_acked(client, 5, 530);
  EXPECT_EQ(connection.tracker.delay_statistics(connection.connection, client).messages, 1U)
      << "the fourth is waited for";
}

// --- Retransmissions -------------------------------------------------------------------------------------------

TEST(AckTracker, RepeatedCommandIsARetransmission) {
  Connection connection;
  const Transmission &first = connection.send(client, 7, 100);
  connection.wait(50 * millisecond);
  const Transmission &second = connection.send(client, 7, 150);
  connection.wait(100 * millisecond);
  const Transmission &third = connection.send(client, 7, 250);
  EXPECT_TRUE(second.is_retransmission());
  EXPECT_EQ(second.previous, &first);
  EXPECT_EQ(second.original, &first);
  EXPECT_EQ(third.previous, &second);
  EXPECT_EQ(third.original, &first);
}

TEST(AckTracker, SentTimeIdentifiesTheAcknowledgedTransmission) {
  Connection connection;
  const Transmission &first = connection.send(client, 7, 100);
  connection.wait(50 * millisecond);
  const Transmission &second = connection.send(client, 7, 150);
  connection.wait(10 * millisecond);
  const Transmission &third = connection.send(client, 7, 160);

  AckMatch match = connection.acknowledge(server, 7, 150);
  EXPECT_EQ(match.transmission, &second);
  EXPECT_EQ(match.round_trip_time, 10 * millisecond);
  EXPECT_EQ(second.acked_in, 4U);
  EXPECT_EQ(first.acked_in, 0U);
  EXPECT_EQ(third.acked_in, 0U);
  EXPECT_TRUE(first.is_command_acked);

  match = connection.acknowledge(server, 7, 9999);  // acknowledges an uncaptured transmission
  EXPECT_EQ(match.transmission, &third);
  EXPECT_FALSE(match.is_sent_time_known);
  EXPECT_EQ(third.acked_in, 5U);
  EXPECT_EQ(connection.acknowledge(server, 7, 100).transmission, &first);
  EXPECT_EQ(first.acked_in, 6U);
}

TEST(AckTracker, LostAcknowledgementCausesARetransmission) {
  Connection connection;
  const Transmission &first = connection.send_acked(client, 7, 100);  // captured, but never arrives at the client
  connection.wait(50 * millisecond);
  const Transmission &second = connection.send(client, 7, 150);
  EXPECT_EQ(second.previous, &first);
  connection.wait(5 * millisecond);
  EXPECT_EQ(connection.acknowledge(server, 7, 150).transmission, &second);
  EXPECT_EQ(first.acked_in, 2U);
  EXPECT_EQ(second.acked_in, 4U);
}

TEST(AckTracker, FirstOfTwoAcknowledgementsCounts) {
  Connection connection;
  const Transmission &sent = connection.send_acked(client, 7, 100);
  connection.wait(millisecond);
  const AckMatch again = connection.acknowledge(server, 7, 100);
  EXPECT_EQ(again.transmission, &sent);
  EXPECT_EQ(again.round_trip_time, millisecond);
  EXPECT_EQ(sent.acked_in, 2U);
}

TEST(AckTracker, OutOfOrderCommandIsNoRetransmission) {
  Connection connection;
  connection.send(client, 9, 100);
  const Transmission &late = connection.send(client, 8, 100);
  EXPECT_FALSE(late.is_retransmission());
  EXPECT_TRUE(connection.send(client, 8, 150).is_retransmission());
}

// --- Reused sequence numbers -----------------------------------------------------------------------------------

TEST(AckTracker, CommandsAreMatchedAcrossTheSequenceWrap) {
  Connection connection;
  const Transmission &last = connection.send(client, 65535, 100);
  const Transmission &first = connection.send(client, 0, 100);
  EXPECT_FALSE(first.is_retransmission());
  EXPECT_EQ(connection.send(client, 65535, 150).previous, &last) << "the other side of the wrap";
  EXPECT_EQ(connection.send(client, 0, 150).previous, &first);
  EXPECT_EQ(connection.acknowledge(server, 65535, 100).transmission, &last);
  EXPECT_EQ(connection.acknowledge(server, 0, 100).transmission, &first);
}

TEST(AckTracker, SequenceNumberReusedAfterAWrapIsAnotherCommand) {
  // The sequence numbers wrap around three times in 20 seconds, so time alone does not distinguish the commands.
  Connection connection;
  std::vector<const Transmission *> all;
  for (std::uint32_t i = 0; i < 3 * 65536; ++i) {
    const auto seq = static_cast<std::uint16_t>(i);
    const auto sent_time = static_cast<std::uint16_t>(i / 10);
    connection.wait(millisecond / 10);
    const Transmission &sent = connection.send(client, seq, sent_time);
    ASSERT_FALSE(sent.is_retransmission()) << i;
    all.push_back(&sent);
    if (i % 3 == 0) continue;  // its acknowledgement is lost
    ASSERT_EQ(connection.acknowledge(server, seq, sent_time).transmission, &sent) << i;
  }
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i]->seq, static_cast<std::uint16_t>(i));
    ASSERT_EQ(all[i]->acked_in == 0, i % 3 == 0) << i;
  }
  // Since the last wrap-around, no command with this sequence number has been sent.
  EXPECT_EQ(connection.acknowledge(server, 0, 0).transmission, nullptr);
  EXPECT_EQ(connection.acknowledge(server, 65535, 19660).transmission, all.back());
}

TEST(AckTracker, SequenceNumberReusedMuchLaterIsAnotherCommand) {
  Connection connection;
  const Transmission &first = connection.send(client, 5, 100);
  connection.wait(max_wait);
  const Transmission &second = connection.send(client, 5, 150);
  EXPECT_EQ(second.previous, &first);
  connection.wait(max_wait + 1);
  EXPECT_EQ(connection.acknowledge(server, 5, 150).transmission, nullptr);
  EXPECT_FALSE(connection.send(client, 5, 200).is_retransmission());
}

TEST(AckTracker, CommandOfAnEarlierConnectionIsNoRetransmission) {
  Connection connection;
  connection.reconnect();
  const Transmission &before = connection.send(client, 1, 100);
  connection.reconnect();
  EXPECT_EQ(connection.acknowledge(server, 1, 100).transmission, nullptr);
  const Transmission &after = connection.send(client, 1, 100);
  EXPECT_FALSE(after.is_retransmission());
  EXPECT_EQ(connection.acknowledge(server, 1, 100).transmission, &after);
  EXPECT_EQ(before.acked_in, 0U);
  EXPECT_EQ(before.seq, 1U);

  connection.reconnect();
  connection.send(client, 2, 100);
  EXPECT_FALSE(connection.send(client, 1, 100).is_retransmission()) << "late, but of this connection";
}

TEST(AckTracker, ReconnectRestartsTheCounters) {
  AckTracker tracker;
  const std::uint32_t before = tracker.begin_connection(false);
  tracker.on_unreliable(before, client, 2, 7, 1);
  tracker.on_unreliable(before, client, 2, 7, 5);
  EXPECT_EQ(tracker.sequenced_counts(before, client).missing, 3U);
  const std::uint32_t after = tracker.begin_connection(true);
  EXPECT_EQ(after, before + 1);
  EXPECT_EQ(tracker.sequenced_counts(after, client).missing, 0U);
  EXPECT_EQ(tracker.on_unreliable(after, client, 2, 0, 2), 1U);
  EXPECT_EQ(tracker.sequenced_counts(before, client).missing, 3U);
}

TEST(AckTracker, CaptureGapIsNoRetransmission) {
  Connection connection;
  connection.send(client, 10, 100);
  connection.wait(1000 * nanoseconds_per_second);
  for (std::uint32_t seq = 40000; seq < 2 * 65536; seq += 7) {  // skips more than half of the numbers
    const auto number = static_cast<std::uint16_t>(seq);
    const Transmission &sent = connection.send(client, number, 1);
    ASSERT_FALSE(sent.is_retransmission()) << seq;
    ASSERT_EQ(connection.acknowledge(server, number, 1).transmission, &sent) << seq;
    ASSERT_EQ(connection.send(client, number, 2).previous, &sent) << seq;
  }
}

// Sequence number 3 is the last fragment of a message that begins with sequence number 2.
TEST(AckTracker, MissingFragmentDelaysTheMessage) {
  Connection connection;
  connection.reconnect();
  const auto arrive = [&](std::uint16_t seq, FragmentRole part) -> const Transmission & {
    const Transmission &sent = connection.send(server, seq, seq, part);
    connection.acknowledge(client, seq, seq);
    return sent;
  };
  const auto blockage = [&](unsigned side) { return connection.tracker.find_blockage(connection.connection, side); };
  arrive(1, FragmentRole::whole);
  EXPECT_EQ(blockage(server).fragment, nullptr);
  connection.wait(10 * millisecond);
  const Transmission &last = arrive(3, FragmentRole::last);
  connection.wait(700 * millisecond);
  arrive(4, FragmentRole::whole);
  EXPECT_EQ(blockage(server).fragment, &last);
  EXPECT_EQ(blockage(server).waiting_time, 700 * millisecond);
  EXPECT_EQ(blockage(client).fragment, nullptr);
  arrive(2, FragmentRole::first);
  EXPECT_EQ(blockage(server).fragment, nullptr);
  // The missing sequence number may be a whole message that was not captured.
  arrive(6, FragmentRole::whole);
  connection.wait(700 * millisecond);
  arrive(7, FragmentRole::whole);
  EXPECT_EQ(blockage(server).fragment, nullptr);
}

TEST(AckTracker, TimeDifferencesSaturate) {
  struct Row {
    std::int64_t sent;
    std::int64_t acknowledged;
    bool is_again;
    bool is_answered;
    std::int64_t round_trip_time;
  };
  const Row rows[] = {
      {INT64_MAX, -INT64_MAX / 2, false, true, INT64_MIN},
      {INT64_MIN, INT64_MAX / 2, true, false, 0},  // sent before the command above; acknowledged too late
      {0, 0, false, true, 0},                      // too late to be the same command
      {INT64_MAX, -INT64_MAX / 2, false, true, INT64_MIN},
  };
  AckTracker tracker;
  const std::uint32_t one = tracker.begin_connection(false);
  for (const Row &row : rows) {
    tracker.on_datagram(one, server, row.sent);
    const Transmission &sent = tracker.on_reliable({one, client, 0, 1, 1, {1}, row.sent});
    EXPECT_EQ(sent.is_retransmission(), row.is_again) << row.sent;
    const AckMatch match = tracker.on_acknowledge({one, server, 0, 1, 1, {2}, row.acknowledged});
    EXPECT_EQ(match.transmission, row.is_answered ? &sent : nullptr) << row.sent;
    EXPECT_EQ(match.round_trip_time, row.round_trip_time) << row.sent;
    EXPECT_FALSE(tracker.is_unacknowledged(sent)) << row.sent;
  }
  for (const bool is_heard_later : {true, false}) {
    const std::uint32_t other = tracker.begin_connection(false);
    const std::int64_t first = is_heard_later ? INT64_MIN : INT64_MAX - 3;
    tracker.on_datagram(other, client, first);
    tracker.on_reliable({other, client, 0, 1, 1, {3}, first});
    tracker.on_reliable({other, client, 0, 1, 1, {4}, first + 1});
    const Transmission &third = tracker.on_reliable({other, client, 0, 1, 1, {5}, first + 2});
    tracker.on_datagram(other, server, is_heard_later ? INT64_MAX : INT64_MIN);
    EXPECT_EQ(tracker.is_unacknowledged(third), is_heard_later);
  }
}

// --- Capture gaps ----------------------------------------------------------------------------------------------

TEST(AckTracker, MissingReliableNumbersCountAsUncaptured) {
  Connection connection;
  connection.reconnect();
  connection.send(client, 1, 100);
  connection.send(client, 4, 100);
  EXPECT_EQ(connection.tracker.reliable_counts(connection.connection).missing, 2U);
  EXPECT_EQ(connection.tracker.reliable_counts(connection.connection).total, 4U);
  connection.send(client, 2, 200);  // was lost and retransmitted
  connection.send(server, 2, 200);
  EXPECT_EQ(connection.tracker.reliable_counts(connection.connection).missing, 2U);
  EXPECT_EQ(connection.tracker.reliable_counts(connection.connection).total, 6U);
}

TEST(AckTracker, AcknowledgementOfAnUncapturedCommandIsFoundByTime) {
  Connection connection;
  connection.send_acked(client, 1, 100);
  const auto has = [&](unsigned side, std::int64_t after, std::int64_t until) {
    return connection.tracker.has_acknowledged_uncaptured(connection.connection, side, after, until);
  };
  connection.wait(millisecond);
  EXPECT_FALSE(has(server, 0, INT64_MAX));
  connection.acknowledge(server, 2, 100);
  EXPECT_TRUE(has(server, connection.now, connection.now));
  EXPECT_FALSE(has(server, connection.now + 1, INT64_MAX));
  EXPECT_FALSE(has(server, 0, connection.now - 1));
  EXPECT_FALSE(has(client, 0, INT64_MAX));
}

TEST(AckTracker, LateAcknowledgementMakesTheRetransmissionSpurious) {
  Connection connection;
  connection.send(client, 1, 100);
  connection.send(client, 1, 200);
  EXPECT_TRUE(connection.acknowledge(server, 1, 100).shows_spurious);
  EXPECT_FALSE(connection.acknowledge(server, 1, 200).shows_spurious);
}

// --- Never acknowledged ----------------------------------------------------------------------------------------

TEST(AckTracker, CommandIsUnacknowledgedOnlyIfTheReceiverStillSends) {
  Connection connection;
  connection.receive_datagram(server);
  const Transmission &answered = connection.send(client, 1, 100);
  const Transmission &first = connection.send(client, 2, 100);
  connection.acknowledge(server, 1, 100);
  connection.wait(nanoseconds_per_second);
  connection.send(client, 2, 100);
  connection.wait(2 * nanoseconds_per_second);
  const Transmission &sent = connection.send(client, 2, 100);
  const auto is_unacknowledged = [&](const Transmission &transmission) {
    return connection.tracker.is_unacknowledged(transmission);
  };
  EXPECT_FALSE(is_unacknowledged(sent)) << "not yet";
  connection.wait(4250 * millisecond);
  connection.receive_datagram(client);
  connection.wait(unacknowledged_after - 4250 * millisecond - 1);
  connection.receive_datagram(server);
  EXPECT_FALSE(is_unacknowledged(sent));
  connection.wait(1);
  connection.receive_datagram(server);
  EXPECT_TRUE(is_unacknowledged(sent));
  EXPECT_FALSE(is_unacknowledged(first)) << "it was sent again once, perhaps: the capture lacks the acknowledgement";
  EXPECT_FALSE(is_unacknowledged(answered));
  connection.receive_datagram(client);
  EXPECT_FALSE(is_unacknowledged(sent)) << "its sender would have repeated it by now";

  const Transmission &again = connection.send(client, 2, 200);
  EXPECT_FALSE(is_unacknowledged(again)) << "too young itself";
  connection.acknowledge(server, 2, 200);
  EXPECT_FALSE(is_unacknowledged(sent)) << "another transmission was acknowledged";
}

TEST(AckTracker, CommandToAVanishedPeerIsNotReportedUnacknowledged) {
  Connection connection;
  const Transmission &sent = connection.send(client, 1, 100);
  connection.wait(2 * unacknowledged_after);
  connection.receive_datagram(client);
  EXPECT_FALSE(connection.tracker.is_unacknowledged(sent));
  connection.reconnect();  // a new connection receives from now on
  connection.receive_datagram(server);
  EXPECT_FALSE(connection.tracker.is_unacknowledged(sent));
}

// --- Gaps ------------------------------------------------------------------------------------------------------

TEST(GapCounter, CountsSkippedNumbers) {
  GapCounter counter;
  EXPECT_FALSE(counter.has_begun());
  EXPECT_EQ(counter.add(10), 0U) << "the first one may be any";
  EXPECT_TRUE(counter.has_begun());
  EXPECT_EQ(counter.add(11), 0U);
  EXPECT_EQ(counter.add(14), 2U);
  EXPECT_EQ(counter.missing(), 2U);
  EXPECT_EQ(counter.add(14), 0U);
  EXPECT_EQ(counter.missing(), 2U) << "twice is once";
  EXPECT_EQ(counter.add(13), 0U);
  EXPECT_EQ(counter.missing(), 1U) << "late is not lost";
  counter.add(13);
  counter.add(9);
  counter.add(10);
  EXPECT_EQ(counter.missing(), 1U);
}

TEST(GapCounter, GapAcrossTheNumberWrapIsCounted) {
  GapCounter counter;
  counter.start_after(65533);
  EXPECT_EQ(counter.add(65534), 0U);
  EXPECT_EQ(counter.add(1), 2U);
  counter.add(65535);
  EXPECT_EQ(counter.missing(), 1U);
  counter.add(0);
  EXPECT_EQ(counter.missing(), 0U);
}

TEST(GapCounter, NumbersThatAreTooLateStayMissing) {
  GapCounter counter;
  counter.start_after(0);
  EXPECT_EQ(counter.add(101), 100U);
  counter.add(101 - 64);
  EXPECT_EQ(counter.missing(), 100U);
  counter.add(101 - 63);
  EXPECT_EQ(counter.missing(), 99U);
  EXPECT_EQ(counter.add(101 + 32767), 32766U);
  counter.add(101);
  EXPECT_EQ(counter.missing(), 99U + 32766U);
  counter.add(static_cast<std::uint16_t>(101 + 32767 + 32768));
  EXPECT_EQ(counter.missing(), 99U + 32766U);
}

TEST(GapCounter, RestartKeepsTheTotals) {
  GapCounter counter;
  counter.start_after(0);
  counter.add(3);
  counter.start_after(0);
  EXPECT_EQ(counter.add(2), 1U);
  EXPECT_EQ(counter.missing(), 3U);
}

TEST(AckTracker, UnreliableNumbersRestartAfterEachReliableCommand) {
  AckTracker tracker;
  const std::uint32_t one = tracker.begin_connection(true);
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 0, 1), 0U);
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 0, 2), 0U);
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 1, 1), 0U) << "a run of its own";
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 1, 4), 2U);
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 5, 3), 2U);
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 1, 2), 0U) << "of a run that is over";
  EXPECT_EQ(tracker.sequenced_counts(one, client).missing, 4U);
  EXPECT_EQ(tracker.sequenced_counts(one, server).missing, 0U);

  EXPECT_EQ(tracker.on_unreliable(one, client, 3, 0, 2), 1U) << "the channel's first was lost";
  EXPECT_EQ(tracker.on_unreliable(one, server, 2, 9, 1), 0U);
  EXPECT_EQ(tracker.sequenced_counts(one, client).missing, 5U);
  EXPECT_EQ(tracker.sequenced_counts(one, server).missing, 0U);
}

TEST(AckTracker, LateOrderedMessagesAreDroppedByTheReceiver) {
  AckTracker tracker;
  const std::uint32_t one = tracker.begin_connection(true);
  for (const std::uint16_t number : {1, 4, 2, 2, 7}) tracker.on_unreliable(one, client, 1, 0, number);
  EXPECT_EQ(tracker.sequenced_counts(one, client).late, 1U) << "the other one is a second fragment, or a copy";
  EXPECT_EQ(tracker.sequenced_counts(one, client).arrived, 4U);
  EXPECT_EQ(tracker.sequenced_counts(one, client).missing, 3U);
  EXPECT_EQ(tracker.sequenced_counts(one, server).arrived, 0U);
}

TEST(AckTracker, UnreliableGapsAreFoundAcrossTheReliableWrap) {
  AckTracker tracker;
  const std::uint32_t one = tracker.begin_connection(false);
  tracker.on_unreliable(one, client, 2, 65535, 8);
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 0, 2), 1U);
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 65535, 9), 0U);
  EXPECT_EQ(tracker.sequenced_counts(one, client).missing, 1U);
}

// The skipped sequence number may be in a captured datagram that could not be decoded.
TEST(AckTracker, UnreadableCommandsAreNotMissing) {
  AckTracker tracker;
  const std::uint32_t one = tracker.begin_connection(true);
  tracker.on_unreliable(one, client, 1, 0, 1);
  tracker.on_unreliable(one, client, 2, 0, 1);
  tracker.on_unsequenced(one, client, 1);
  tracker.on_unreadable(one, client);
  EXPECT_EQ(tracker.on_unreliable(one, client, 1, 0, 4), 0U);
  EXPECT_EQ(tracker.on_unreliable(one, client, 1, 0, 6), 1U) << "behind that, nothing was left unread";
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 7, 3), 0U) << "nor at the beginning of another run";
  EXPECT_EQ(tracker.on_unsequenced(one, client, 4), 0U);
  tracker.on_unreadable(one, server);
  EXPECT_EQ(tracker.on_unsequenced(one, client, 6), 1U);
  EXPECT_EQ(tracker.sequenced_counts(one, client).missing, 1U);
  EXPECT_EQ(tracker.missing_unsequenced(one, client), 1U);
}

TEST(AckTracker, CaptureOfARunningConnectionHasNoGapAtItsStart) {
  AckTracker tracker;
  const std::uint32_t one = tracker.begin_connection(false);
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 70, 20), 0U);
  EXPECT_EQ(tracker.on_unreliable(one, client, 2, 71, 2), 1U) << "but this run is whole";
  EXPECT_EQ(tracker.on_unsequenced(one, client, 500), 0U);
  EXPECT_EQ(tracker.on_unsequenced(one, client, 502), 1U);
  EXPECT_EQ(tracker.missing_unsequenced(one, client), 1U);
}

TEST(AckTracker, UnsequencedGroupsAreCountedPerDirection) {
  AckTracker tracker;
  std::uint32_t one = tracker.begin_connection(true);
  EXPECT_EQ(tracker.on_unsequenced(one, client, 2), 1U) << "groups begin at 1";
  EXPECT_EQ(tracker.on_unsequenced(one, server, 1), 0U);
  EXPECT_EQ(tracker.on_unsequenced(one, client, 5), 2U);
  EXPECT_EQ(tracker.missing_unsequenced(one, client), 3U);
  EXPECT_EQ(tracker.missing_unsequenced(one, server), 0U);
  one = tracker.begin_connection(true);
  EXPECT_EQ(tracker.missing_unsequenced(one, client), 0U);
  EXPECT_EQ(tracker.on_unsequenced(one, client, 1), 0U);
}

}  // namespace
}  // namespace godot_codec::test
