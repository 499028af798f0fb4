// SPDX-License-Identifier: GPL-2.0-or-later
// Problems that the engine does not report, or only on the other side: captures of Godot 4.6 made by scripts/variants,
// and handmade ones for problems that no engine can produce.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "enet_exchange.h"
#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

std::filesystem::path variant(const std::string &name) {
  return std::filesystem::path(GODOT_TESTS_DIR) / "data" / (name + ".pcapng");
}

// Each player has two synchronizers; one of them is hidden from the second client.
TEST(SilentProblems, SynchronizerNeverReceivedIsReported) {
  const std::vector<TableRow> rows = problems_of(variant("half_hidden"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(
      rows[0].at("Problem"),
      "Synchronizer 2 of 2 of 1245405261 sends to other peers, but never to this one, which has the node: is it hidden there (public_visibility, set_visibility_for())? (and 1 more of this kind)");
  EXPECT_EQ(rows[0].at("From"), "the server");
  EXPECT_EQ(rows[0].at("To"), "peer 218534994");
  EXPECT_EQ(rows[0].at("First frame"), "126");
  EXPECT_EQ(rows[0].at("Display filter"), "godot_mp.unsynchronized");
  EXPECT_EQ(rows[0].at("Last frame"), "128");
  const Rows found =
      read_fields(variant("half_hidden"), {"-2", "-Y", rows[0].at("Display filter")}, {"frame.number", "_ws.col.Info"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (Texts{"126",
                             "To 218534994: Spawn node 1245405261 by Main/Spawner (66, 0) 100 0.0 "
                             "[Synchronizer 2 of 2 never sends to this peer] [Reliable ch 0 #3]"}));
}

// The synchronizers of one player are hidden and shown again on purpose.
TEST(SilentProblems, LateOrHiddenSynchronizerIsNoProblem) {
  EXPECT_TRUE(
      read_fields(capture("mp_spawn_godot4.6"), {"-2", "-Y", "godot_mp.unsynchronized"}, {"frame.number"}).empty());
}

// A client calls another client that has left, because it does not know yet. This is no problem. Captured at the
// server.
TEST(SilentProblems, CallToADepartedPeerIsNoProblem) {
  const std::vector<TableRow> rows = problems_of(variant("relayed_late"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Count"), "0") << "nobody lacks a node";
  const Rows found = read_fields(variant("relayed_late"), {"-Y", "godot_mp.absent_peer"},
                                 {"frame.number", "_ws.col.Info", "godot_mp.receiver"});
  ASSERT_EQ(found.size(), 12U) << "in one pass, too";
  EXPECT_EQ(found[0],
            (Texts{"280", "To 1960474556: RPC Main/World.#3(5, \"friend\") [that peer has left] [Reliable ch 0 #14]",
                   "1960474556"}));
  EXPECT_EQ(read_fields(variant("relayed_late"), {"-2", "-Y", "godot.problem"}, {"frame.number"}), Rows{});
}

// The peer confirms a path, and is disconnected before the server has relayed the confirmation.
TEST(SilentProblems, ConfirmationBeforeADisconnectIsNoProblem) {
  const std::vector<TableRow> rows = problems_of(variant("peer_has_left"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Problem"), "The server disconnected 2 clients");
  EXPECT_EQ(rows[0].at("Count"), "2");
  EXPECT_EQ(rows[0].at("Display filter"), "enet.disconnected and enet.to_server == 0");
}

TEST(SilentProblems, NoRouteToTheAddressIsReported) {
  const std::vector<TableRow> rows = problems_of(variant("no_route"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(
      rows[0].at("Problem"),
      "No answer to 4 connection attempts: an ICMP error reports no route to that address (frame 2): is the address right?");
}

// The link lost 79 of the server's datagrams with syncs, by its own count.
TEST(SilentProblems, LostSyncsAreCounted) {
  const std::vector<TableRow> rows = read_table(variant("lossy_syncs"), "godot_mp,syncs");
  ASSERT_EQ(rows.size(), 2U);
  for (const TableRow &row : rows) {
    EXPECT_EQ(row.at("Lost"), "79") << row.at("Synchronizer");
    EXPECT_EQ(row.at("Sender interval (ms)"), "16.7");
  }
}

// Engines refuse to send this, on either side.
TEST(SilentProblems, MissingChannelIsReported) {
  Exchange exchange;
  exchange.client(datagram(reliable(3, 1, "last")));
  exchange.client(datagram(reliable(4, 1, "none")));
  const std::vector<TableRow> rows = problems_of(exchange.save(), ports);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(
      rows[0].at("Problem"),
      "Channel 4 does not exist, the connection has 4: the receiver drops the command and the rest of the datagram");
  EXPECT_EQ(rows[0].at("First frame"), "5");
  EXPECT_EQ(rows[0].at("Display filter"), "enet.no_channel and enet.stream == 0");
  const Rows found = read_fields(exchange.save(), ports + Texts{"-Y", "enet.no_channel"}, {"_ws.col.Info"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0][0].find("[channel 4 of 4]"), std::string::npos) << found[0][0];
}

}  // namespace
}  // namespace godot_codec::test
