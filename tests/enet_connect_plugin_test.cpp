// SPDX-License-Identifier: GPL-2.0-or-later
// Failed connection attempts in tshark.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "enet_exchange.h"
#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

// Returns a connect command with the same connect id and a new sent time.
std::string repeated_connect(std::uint16_t sent_time) {
  return datagram(command(wants_ack | connect_, 0xff, 1, handshake(0xff, connect_id) + be32(77)), sent_time, 0, 0xfff);
}

Texts connect_problems(const std::vector<Item> &frames) {
  Texts problems;
  for (const Item &frame : frames) {
    walk(frame, [&](const Item &item) {
      if (item.name == "_ws.expert" && item.child("enet.unanswered_connect") != nullptr) {
        problems.push_back(number_of(frame) + ": " + item.child_text("_ws.expert.message"));
      }
      return true;
    });
  }
  return problems;
}

// Capitalizes a text, because the table of connections shows it in lower case after other words.
std::string capitalized(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string end_column(const Exchange &exchange) {
  return read_table(exchange.save(), "enet,connections", ports).at(0).at("End");
}

TEST(EnetConnectProblems, UnansweredConnectsAreReported) {
  Exchange exchange(false);
  exchange.client(repeated_connect(100))
      .wait(500)
      .client(repeated_connect(600))
      .wait(1000)
      .client(repeated_connect(1600));
  const std::string cause =
      ": a program probably listens on the port, because no ICMP error reports that the port is closed";
  EXPECT_EQ(connect_problems(exchange.details()),
            (Texts{"2: The client got no answer to 2 connection attempts" + cause,
                   "3: The client got no answer to 3 connection attempts" + cause}));
  EXPECT_EQ(connect_problems(exchange.details({"-2"})),
            (Texts{"1: The client got no answer to 3 connection attempts" + cause,
                   "2: The client got no answer to 3 connection attempts" + cause,
                   "3: The client got no answer to 3 connection attempts" + cause}));
  EXPECT_EQ(end_column(exchange), "the client got no answer to 3 connection attempts" + cause);
}

TEST(EnetConnectProblems, IcmpErrorIsReported) {
  Exchange exchange(false);
  exchange.client(repeated_connect(100));
  exchange.pcap.frames.push_back(icmp_error(udp(to_server, repeated_connect(100))));
  exchange.wait(500).client(repeated_connect(600));
  const std::string trouble =
      "the client got no answer to 2 connection attempts: an ICMP error reports that the port is closed (frame 2)";
  EXPECT_EQ(connect_problems(exchange.details()).back(), "3: " + capitalized(trouble));
  EXPECT_EQ(connect_problems(exchange.details({"-2"})).front(), "1: " + capitalized(trouble));
  EXPECT_EQ(end_column(exchange), trouble);
}

TEST(EnetConnectProblems, DtlsServerIsReported) {
  Exchange exchange(false);
  const std::string record = std::string("\x16\xfe\xfd\0\0\0\0\0\0\0\0\0\4", 13) + "\1\2\3\4";
  exchange.client(repeated_connect(100)).server(record).wait(500).client(repeated_connect(600)).server(record);
  const std::string trouble =
      "the client got no answer to 2 connection attempts: the server uses DTLS (frame 2), but the client does not";
  EXPECT_EQ(connect_problems(exchange.details()), (Texts{"3: " + capitalized(trouble)}));
  EXPECT_EQ(connect_problems(exchange.details({"-2"})),
            (Texts{"1: " + capitalized(trouble), "3: " + capitalized(trouble)}));
  EXPECT_EQ(end_column(exchange), trouble);
}

TEST(EnetConnectProblems, AnswerOfAnotherProtocolIsReported) {
  Exchange exchange(false);
  const std::string malformed = be16(0xc000) + be16(1) + "\xff\xee\xdd\xcc\xbb";
  exchange.client(repeated_connect(100)).server(malformed).wait(500).client(repeated_connect(600)).server(malformed);
  EXPECT_EQ(
      connect_problems(exchange.details()).back(),
      "3: The client got no answer to 2 connection attempts: the answer uses an unknown compression (frame 2), so the client probably drops it");
}

TEST(EnetConnectProblems, BlockedAnswerIsReported) {
  Exchange exchange(false);
  const std::string answer = datagram(command(wants_ack | verify_connect, 0xff, 1, handshake(0, connect_id)), 200);
  exchange.client(repeated_connect(100)).server(answer);
  for (const std::uint16_t time : {600, 1600}) exchange.wait(500).client(repeated_connect(time)).server(answer);
  exchange.pcap.frames.push_back(icmp_error(udp(to_client, answer)));
  const std::string trouble = "3 connection attempts failed: the answer (frame 2) does not reach the client";
  EXPECT_EQ(connect_problems(exchange.details()), Texts{"5: " + trouble});
  EXPECT_EQ(connect_problems(exchange.details({"-2"})), (Texts{"1: " + trouble, "3: " + trouble, "5: " + trouble}));
  EXPECT_EQ(end_column(exchange), trouble);
}

TEST(EnetConnectProblems, IcmpErrorBeforeALaterAnswerIsIgnored) {
  Exchange exchange(false);
  exchange.client(repeated_connect(100));
  exchange.pcap.frames.push_back(icmp_error(udp(to_server, repeated_connect(100))));
  exchange.server(datagram(command(wants_ack | verify_connect, 0xff, 1, handshake(0, connect_id)), 200));
  EXPECT_EQ(connect_problems(exchange.details()), Texts{}) << "what is only quoted counts for nothing";
  EXPECT_EQ(connect_problems(exchange.details({"-2"})), Texts{});
}

TEST(EnetConnectProblems, RefusalIsReported) {
  Exchange exchange;
  exchange.server(datagram(command(wants_ack | disconnect_, 0xff, 2, be32(42)), 600));
  const Texts problems = connect_problems(exchange.details());
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems[0].ends_with(": The server refused the client: it answered with a disconnect (data 42)"))
      << problems[0];
  EXPECT_EQ(end_column(exchange), "refused by server, data 42");
}

TEST(EnetConnectProblems, HealthyConnectionReportsNothing) {
  Exchange exchange;
  exchange.client(datagram(reliable(1, 1, "\x98 hello"), 500));
  exchange.server(datagram(command(wants_ack | disconnect_, 0xff, 2, be32(42)), 600));
  EXPECT_TRUE(connect_problems(exchange.details({"-2"})).empty());
  EXPECT_EQ(end_column(exchange), "disconnected by server, data 42");
  Exchange late(false);
  late.client(repeated_connect(100)).wait(500).client(repeated_connect(600));
  EXPECT_EQ(connect_problems(late.details()).size(), 1U);
}

// Malformed datagrams, or another protocol on ENet's port.
TEST(EnetConnectProblems, TwoConnectsInADatagramAreOneAttempt) {
  const std::string answer = datagram(command(wants_ack | verify_connect, 0xff, 1, handshake(0, connect_id)), 200);
  const std::string connect = command(wants_ack | connect_, 0xff, 1, handshake(0xff, connect_id) + be32(77));
  Exchange exchange(false);
  exchange.client(datagram(connect + connect, 100, 0, 0xfff)).server(answer);
  EXPECT_EQ(connect_problems(exchange.details()), Texts{});
  EXPECT_EQ(connect_problems(exchange.details({"-2"})), Texts{});
}

TEST(EnetConnectProblems, DisconnectBeforeTheAnswerShowsNoDuration) {
  Exchange exchange(false);
  exchange.client(repeated_connect(100)).client(datagram(command(wants_ack | disconnect_, 0xff, 2, be32(0)), 200));
  exchange.wait(100).server(datagram(command(wants_ack | verify_connect, 0xff, 1, handshake(0, connect_id)), 200));
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    EXPECT_EQ(find_all(exchange.details(passes).at(1), "_ws.expert.message"), Texts{"The client disconnected"});
  }
}

TEST(EnetConnectProblems, EndOfAnOpenConnectionNamesTheSilentSide) {
  Exchange exchange;
  exchange.client(datagram(reliable(1, 1, "\x98 hello"), 500));
  exchange.wait(7000).server(datagram(unsequenced(0, 1, "\x98"), 7000));
  EXPECT_EQ(end_column(exchange), "open, client silent for the last 7.0 s");
  exchange.wait(12'000).client(datagram(unsequenced(0, 1, "\x98"), 19'000));
  EXPECT_EQ(end_column(exchange), "open, server silent for the last 12.0 s");
  exchange.wait(4900).server(datagram(unsequenced(0, 2, "\x98"), 24'000));
  EXPECT_EQ(end_column(exchange), "open");
}

}  // namespace
}  // namespace godot_codec::test
