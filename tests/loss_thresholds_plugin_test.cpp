// SPDX-License-Identifier: GPL-2.0-or-later
// Thresholds at which the table of problems reports losses and delays: handmade ENet datagrams on both sides of each
// threshold.
#include <gtest/gtest.h>

#include <string>

#include "enet_exchange.h"
#include "tables.h"

namespace godot_codec::test {
namespace {

std::string first_problem(const Exchange &exchange) {
  const std::vector<TableRow> rows = read_table(exchange.save(), "godot,problems", Texts{"-2"} + ports);
  return rows.empty() ? "" : rows[0].at("Count") + "x: " + rows[0].at("Problem");
}

std::string nothing_in(int messages) {
  return "0x: No problems found in " + std::to_string(messages) + (messages == 1 ? " message" : " messages");
}
const std::string data(20, 'x');

// Returns the problem of a server with reliable commands, some of them lost once, and a hundred unreliable messages.
std::string problems_with(int resent, int missing_unreliable) {
  Exchange exchange;
  int number = 1;
  for (int i = 0; i < 100; ++i) {
    if (i < missing_unreliable) ++number;
    exchange.server(datagram(unreliable(0, 0, number++, data), 300 + i));
  }
  for (int i = 1; i <= resent; ++i) {
    exchange.wait(10).server(datagram(reliable(0, i, data), 1000 * i));
    exchange.wait(200).server(datagram(reliable(0, i, data), 1000 * i + 200));
    exchange.wait(2).client(datagram(ack(0, i, 1000 * i + 200), 1000 * i + 202));
  }
  return first_problem(exchange);
}

TEST(LossThresholds, FiveRetransmissionsAreReported) {
  EXPECT_EQ(problems_with(4, 0), nothing_in(104));
  EXPECT_EQ(problems_with(5, 0).substr(0, 35), "5x: Packets were lost and retransmi");
}

// Unreliable messages are lost, too, which proves that the link loses packets.
TEST(LossThresholds, ThreeSufficeIfUnreliableMessagesAreLostToo) {
  EXPECT_EQ(problems_with(2, 10), nothing_in(102));
  EXPECT_EQ(problems_with(3, 10).substr(0, 35), "3x: Packets were lost and retransmi");
  EXPECT_EQ(problems_with(3, 9), nothing_in(103)) << "too few to tell";
  EXPECT_EQ(problems_with(3, 100).substr(0, 35), "3x: Packets were lost and retransmi") << "a half";
}

// One command arrives late, and later commands that arrived before it wait for it; then others arrive in time.
std::string waited_of(int waiting, std::uint32_t milliseconds, int in_time) {
  Exchange exchange;
  int time = 1000;
  const auto arrive = [&](int seq) {
    exchange.server(datagram(reliable(0, seq, data), time)).client(datagram(ack(0, seq, time), time + 1));
    ++time;
  };
  for (int i = 0; i < waiting; ++i) arrive(2 + i);
  exchange.wait(milliseconds);
  arrive(1);
  for (int i = 0; i < in_time; ++i) arrive(2 + waiting + i);
  return first_problem(exchange);
}

TEST(LossThresholds, TwentyLongDelaysAreReported) {
  EXPECT_EQ(waited_of(19, 600, 0), nothing_in(20));
  EXPECT_EQ(
      waited_of(20, 600, 0),
      "20x: Head-of-line blocking: 20 of 21 reliable messages of the server were late by 50 ms to 0.64 s, because an earlier message was lost");
  EXPECT_EQ(waited_of(20, 400, 0), nothing_in(21)) << "half a second at most";
  EXPECT_EQ(waited_of(20, 600, 85), nothing_in(106)) << "less than a fifth of them";
}

TEST(LossThresholds, EightyDelayedMessagesAreReported) {
  EXPECT_EQ(waited_of(79, 100, 0), nothing_in(80));
  EXPECT_EQ(waited_of(80, 300, 0).substr(0, 55), "80x: Head-of-line blocking: 80 of 81 reliable messages ");
}

// Fragments that fill a datagram never arrive at the capture point; the last, smaller fragment waits for them.
std::string stuck_of(std::uint32_t milliseconds, bool acknowledges_unseen) {
  Exchange exchange;
  const std::vector<Fragment> fragments = fragments_of(std::string(3000, 'y'), 0, 1, 1372);
  exchange.server(datagram(fragments[2].bytes(), 1000)).client(datagram(ack(0, 3, 1000), 1001));
  if (acknowledges_unseen) exchange.client(datagram(ack(0, 1, 1000), 1002));
  exchange.wait(milliseconds).server(datagram(reliable(0, 4, data), 5000)).client(datagram(ack(0, 4, 5000), 5001));
  return first_problem(exchange);
}

TEST(LossThresholds, LargeFragmentsMissingForTwoSecondsAreReported) {
  EXPECT_EQ(stuck_of(1900, false), nothing_in(1));
  EXPECT_EQ(stuck_of(2100, false).substr(0, 63), "1x: No large fragment of the server arrives, but small datagram");
  EXPECT_EQ(stuck_of(2100, true), nothing_in(1)) << "the capture lacks them";
}

}  // namespace
}  // namespace godot_codec::test
