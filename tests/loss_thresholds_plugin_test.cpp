// SPDX-License-Identifier: GPL-2.0-or-later
// Thresholds at which the table of problems reports losses and delays: handmade ENet datagrams on both sides of each
// threshold.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "enet_exchange.h"
#include "tables.h"

namespace godot_codec::test {
namespace {

std::string first_problem(const Exchange &exchange) {
  const std::vector<TableRow> rows = read_table(exchange.save(), "godot,problems", Texts{"-2"} + ports);
  return rows.empty() ? "" : rows[0].at("Count") + "x: " + rows[0].at("Problem");
}

std::string no_problems_in(int messages) {
  return "0x: No problems found in " + std::to_string(messages) + (messages == 1 ? " message" : " messages");
}
const std::string data(20, 'x');

// Returns the problem of a server with reliable commands, some of them lost once, and a hundred unreliable messages.
std::string loss_problem(int resent, int missing_unreliable) {
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
  EXPECT_EQ(loss_problem(4, 0), no_problems_in(104));
  EXPECT_EQ(loss_problem(5, 0).substr(0, 35), "5x: Packets were lost and retransmi");
}

// Unreliable messages are lost, too, which proves that the link loses packets.
TEST(LossThresholds, ThreeRetransmissionsPlusLostUnreliableMessagesAreReported) {
  EXPECT_EQ(loss_problem(2, 10), no_problems_in(102));
  EXPECT_EQ(loss_problem(3, 10).substr(0, 35), "3x: Packets were lost and retransmi");
  EXPECT_EQ(loss_problem(3, 9), no_problems_in(103)) << "too few to tell";
  EXPECT_EQ(loss_problem(3, 100).substr(0, 35), "3x: Packets were lost and retransmi") << "a half";
}

// One command arrives late, and later commands that arrived before it wait for it; then others arrive in time.
std::string head_of_line_problem(int waiting, std::uint32_t milliseconds, int in_time) {
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

TEST(LossThresholds, TwentyMessagesWithLongDelaysAreReported) {
  EXPECT_EQ(head_of_line_problem(19, 600, 0), no_problems_in(20));
  EXPECT_EQ(
      head_of_line_problem(20, 600, 0),
      "20x: Head-of-line blocking: 20 of 21 reliable messages of the server waited 50 ms to 639 ms for an earlier lost message");
  EXPECT_EQ(head_of_line_problem(20, 400, 0), no_problems_in(21)) << "half a second at most";
  EXPECT_EQ(head_of_line_problem(20, 600, 85), no_problems_in(106)) << "less than a fifth of them";
}

TEST(LossThresholds, EightyDelayedMessagesAreReported) {
  EXPECT_EQ(head_of_line_problem(79, 100, 0), no_problems_in(80));
  EXPECT_EQ(head_of_line_problem(80, 300, 0).substr(0, 55), "80x: Head-of-line blocking: 80 of 81 reliable messages ");
  EXPECT_EQ(head_of_line_problem(80, 100, 1700), "0x: No problems found in 1,781 messages")
      << "less than a twentieth of them";
}

// Fragments that fill a datagram never arrive at the capture point; the last, smaller fragment waits for them.
std::string missing_fragments_problem(std::uint32_t milliseconds, bool acknowledges_unseen, bool has_large = false) {
  Exchange exchange;
  if (has_large) exchange.server(datagram(fragments_of(std::string(2000, 'z'), 1, 1, 1372)[0].bytes(), 900));
  const std::vector<Fragment> fragments = fragments_of(std::string(3000, 'y'), 0, 1, 1372);
  exchange.server(datagram(fragments[2].bytes(), 1000)).client(datagram(ack(0, 3, 1000), 1001));
  if (acknowledges_unseen) exchange.client(datagram(ack(0, 1, 1000), 1002));
  exchange.wait(milliseconds).server(datagram(reliable(0, 4, data), 5000)).client(datagram(ack(0, 4, 5000), 5001));
  return first_problem(exchange);
}

TEST(LossThresholds, LargeFragmentsMissingForTwoSecondsAreReported) {
  EXPECT_EQ(missing_fragments_problem(1900, false), no_problems_in(1));
  EXPECT_EQ(missing_fragments_problem(2100, false).substr(0, 70),
            "1x: Large datagrams of the server never arrive, but small ones do. The");
  EXPECT_EQ(missing_fragments_problem(2100, true), no_problems_in(1)) << "the capture lacks them";
  EXPECT_EQ(missing_fragments_problem(2100, false, true), no_problems_in(1)) << "a large one has arrived";
}

// Returns the problem of a reliable message in fragments that takes a time to arrive.
std::string slow_message_problem(std::size_t size, std::uint32_t milliseconds) {
  Exchange exchange;
  const std::vector<Fragment> fragments = fragments_of(std::string(size, 'y'), 0, 1, 1000);
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    if (i + 1 == fragments.size()) exchange.wait(milliseconds);
    const int time = 1000 + static_cast<int>(i);
    exchange.server(datagram(fragments[i].bytes(), time)).client(datagram(ack(0, 1 + static_cast<int>(i), time), time));
  }
  return first_problem(exchange);
}

TEST(LossThresholds, LargeMessagesThatTakeASecondAreReported) {
  EXPECT_EQ(slow_message_problem(20'000, 1000).substr(0, 67),
            "1x: A reliable message of 20000 bytes from the server took 1.0 s, a");
  EXPECT_EQ(slow_message_problem(20'000, 900), no_problems_in(1));
  EXPECT_EQ(slow_message_problem(19'999, 1000), no_problems_in(1));
}

// Returns the problem of unreliable messages in two fragments, some of which lack one of them.
std::string incomplete_messages_problem(int begun, int lost, int reliable_missing) {
  Exchange exchange;
  for (int i = 1; i <= begun; ++i) {
    const std::vector<Fragment> fragments = fragments_of(std::string(30, 'y'), 0, i, 20, true);
    exchange.server(datagram(fragments[0].bytes(), 1000 + i));
    if (i > lost) exchange.server(datagram(fragments[1].bytes(), 1000 + i));
  }
  for (int seq = 1 + reliable_missing; seq <= 30; ++seq) {
    exchange.server(datagram(reliable(1, seq, data), 2000 + seq)).client(datagram(ack(1, seq, 2000 + seq), 2000 + seq));
  }
  return first_problem(exchange);
}

TEST(LossThresholds, FiveIncompleteMessagesAreReported) {
  EXPECT_EQ(incomplete_messages_problem(10, 5, 0).substr(0, 63),
            "5x: 5 of 10 large unreliable messages of the server were lost, ");
  EXPECT_EQ(incomplete_messages_problem(10, 4, 0), no_problems_in(36));
  EXPECT_EQ(incomplete_messages_problem(30, 5, 0), no_problems_in(55)) << "less than a fifth";
  EXPECT_EQ(incomplete_messages_problem(10, 5, 4), no_problems_in(31)) << "the capture lacks other packets, too";
}

// The problems of a client that acknowledges nothing, although the server repeats its commands.
std::string unacknowledged_problem(std::uint32_t milliseconds, int count, std::uint32_t pause) {
  Exchange exchange;
  for (int i = 0; i < count; ++i) {
    exchange.wait(i == 1 ? pause : milliseconds).client(datagram(unsequenced(0, 1 + i, data), 300 + i));
    exchange.server(datagram(reliable(0, 1 + i % 6, data), 1000 + i));
  }
  std::string problems;
  for (const TableRow &row : problems_of(exchange.save(), ports)) problems += row.at("Problem") + "\n";
  return problems;
}

TEST(LossThresholds, ThreeSecondsWithoutAcknowledgementsAreReported) {
  const std::string found = "The client still sends, but has acknowledged nothing since frame 3 (for 3.";
  EXPECT_NE(unacknowledged_problem(250, 14, 250).find(found), std::string::npos);
  EXPECT_EQ(unacknowledged_problem(250, 10, 250).find(found), std::string::npos);
  EXPECT_EQ(unacknowledged_problem(250, 11, 250).find(found), std::string::npos);
  EXPECT_EQ(unacknowledged_problem(250, 12, 1100).find(found), std::string::npos) << "it stalled";
}

TEST(LossThresholds, MessageSentWithTheDisconnectIsReportedAsLost) {
  const std::map<std::uint32_t, std::string> problems = {
      {1,
       ". The last message (frame 6) was sent just before the disconnect and never acknowledged, so ENet has dropped this message"},
      {10, ""}};
  for (const auto &[pause, problem] : problems) {
    Exchange exchange;
    exchange.client(datagram(reliable(0, 1, data), 500)).server(datagram(ack(0, 1, 500), 600));
    exchange.wait(3000).server(datagram(reliable(0, 1, data), 3000));
    exchange.wait(pause).server(datagram(command(wants_ack | disconnect_, 0xff, 2, be32(0)), 3000));
    EXPECT_EQ(first_problem(exchange), "1x: The server disconnected after 3.0 s" + problem);
  }
}

}  // namespace
}  // namespace godot_codec::test
