// SPDX-License-Identifier: GPL-2.0-or-later
// The table of problems: text, count, frames and filter of each row agree with each other and with the marks in the
// packet list.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

using Rows = std::vector<Texts>;

const fs::path variants = fs::path(GODOT_TESTS_DIR) / "../scripts/variants";

fs::path data(const std::string &name) { return fs::path(GODOT_TESTS_DIR) / "data" / name; }

Texts with_project(const fs::path &folder) { return {"-o", "godot_mp.project:" + folder.string()}; }

// ---- a filter for the table

TEST(ProblemRows, FilterWithoutRowsIsNotCalledHealthy) {
  const std::vector<TableRow> rows = problems_of(data("waits.pcap"), {}, "frame.number == 1");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Problem"), "No problems match this filter");
  EXPECT_EQ(rows[0].at("What to do"), "Clear the filter to list all problems.");
  EXPECT_EQ(problems_of(data("waits.pcap"), {}, "enet.head_of_line_delay").at(0).at("Count"), "97");
  EXPECT_TRUE(problems_of(capture("game_godot4.6"), {}, "frame.number == 1")
                  .at(0)
                  .at("Problem")
                  .starts_with("No problems found"))
      << "nothing is wrong with any frame";
}

// The first pass may report something that later frames refute.
TEST(ProblemRows, EachPassDecidesForItself) {
  EXPECT_EQ(read_table(data("auth_client_lacks.pcapng"), "godot,problems,frame.number == 1").at(0).at("Problem"),
            "No problems match this filter");
  EXPECT_TRUE(problems_of(data("path_lost_once.pcapng"), {}, "frame.number == 1")
                  .at(0)
                  .at("Problem")
                  .starts_with("No problems found"));
}

// ---- fields of a problem

TEST(ProblemFields, NameTheRuleAndItsSeverity) {
  const Rows rows =
      read_fields(data("renamed_node.pcapng"), {"-2", "-Y", "godot.problem.rule == \"godot_mp.unconfirmed_path\""},
                  {"frame.number", "godot.problem", "godot.problem.rule", "godot.problem.severity"});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0], (Texts{"3", "1", "godot_mp.unconfirmed_path", "6291456"}));
  EXPECT_EQ(
      read_fields(data("renamed_node.pcapng"), {"-2", "-Y", "godot.problem.severity == \"Warning\""}, {"frame.number"}),
      read_fields(data("renamed_node.pcapng"), {"-2", "-Y", "godot.problem.rule"}, {"frame.number"}));
}

// The end of a connection is a finding, but not a problem of the game.
TEST(ProblemFields, DisconnectHasOnlyARule) {
  const Rows rows =
      read_fields(data("auth_client_lacks.pcapng"), {"-2", "-Y", "godot.problem.rule == \"enet.disconnected\""},
                  {"frame.number", "godot.problem", "godot.problem.severity"});
  EXPECT_EQ(rows, (Rows{{"63", "", "2097152"}}));
}

// ---- filters

// Two problems of the same connection, or of two connections: each row covers its part of the capture.
TEST(ProblemRows, RowsWithTheSameFilterAreDistinguished) {
  Texts filters;
  for (const TableRow &row : problems_of(data("root_renamed.pcapng"))) filters.push_back(row.at("Display filter"));
  EXPECT_EQ(filters, (Texts{"godot_mp.unconfirmed_path and frame.number in {3..6}",
                            "godot_mp.unconfirmed_path and frame.number in {7..13}"}));
}

// ---- the first call

// The server does not have Main/Wordl. Only the call that was sent with the path is certainly lost.
TEST(ProblemRows, CallSentWithAMissingPathIsLost) {
  const Rows calls = read_fields(data("renamed_node.pcapng"),
                                 {"-2", "-Y", "godot_mp.path == \"Main/Wordl\" and godot_mp.command == \"rpc\""},
                                 {"frame.number", "godot_mp.delivery", "_ws.col.Info"});
  ASSERT_EQ(calls.size(), 19U);
  EXPECT_EQ(calls[0],
            (Texts{"4", "dropped: the receiver has no such node",
                   "RPC Main/Wordl.#3(5, \"fall\") [Main/Wordl missing at the receiver] [Reliable ch 0 #2]"}));
  EXPECT_TRUE(std::all_of(calls.begin() + 1, calls.end(), [](const Texts &call) {
    return call[1] == "delivered" && call[2].find("missing") == std::string::npos;
  }));
  EXPECT_EQ(read_fields(data("renamed_node.pcapng"),
                        {"-2", "-Y", "godot_mp.unconfirmed_call and godot_mp.path == \"Main/Wordl\""}, {"frame.number"})
                .size(),
            14U)
      << "from a second after the path on";
}

// Without the spawner nothing is spawned, and values of missing nodes are dropped.
TEST(ProblemRows, SpawnsOfAMissingSpawnerAreDropped) {
  const Rows found = read_fields(data("late_level.pcapng"), {"-2", "-Y", "godot_mp.delivery contains \"spawner\""},
                                 {"godot_mp.command", "godot_mp.delivery", "_ws.col.Info"});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0][0], "spawn");
  EXPECT_NE(found[0][2].find(" [Level/ShipSpawner missing at the receiver]"), std::string::npos) << found[0][2];
}

// ---- a refused password

TEST(ProblemRows, RefusedPasswordIsOneRow) {
  const std::vector<TableRow> rows = problems_of(data("auth_refused.pcap"));
  ASSERT_EQ(rows.size(), 1U) << "the disconnect follows from it";
  EXPECT_EQ(
      rows[0].at("Problem"),
      "The server rejected peer 209931566 during authentication: it called disconnect_peer() (frame 5) after the data that the client sent in frame 3 (7 bytes, \"letmein\"). Is that what its auth_callback expects?");
  EXPECT_EQ(rows[0].at("What to do"),
            "Send the data from the client that the auth_callback of the server expects (a password, a version).");
  EXPECT_EQ(read_fields(data("auth_refused.pcap"), {"-2", "-Y", "godot_mp"}, {"_ws.col.Info"}),
            (Rows{{"Ack #1 (2.3 ms), Authentication, 7 bytes [refused] [Reliable ch 0 #1]"},
                  {"Ack #1 (14.5 ms), Authentication, 7 bytes [Reliable ch 0 #1]"}}));
}

// ---- messages that wait

TEST(ProblemRows, EachDelayedMessageIsMarked) {
  const std::vector<TableRow> rows = problems_of(data("waits.pcap"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(
      rows[0].at("Problem"),
      "Head-of-line blocking: 97 of 283 reliable messages of the server were late by 50 ms to 0.22 s, because an earlier message was lost (all of them: RPC Level/Ships/1206881209.#1)");
  EXPECT_EQ(rows[0].at("Count"), "97");
  EXPECT_EQ(rows[0].at("First frame"), "124");
  EXPECT_EQ(rows[0].at("Last frame"), "560");
  EXPECT_EQ(rows[0].at("Display filter"),
            "enet.head_of_line_delay > 0.05 and enet.stream == 0 and enet.to_server == 0");
  const Rows found = read_fields(data("waits.pcap"), {"-2", "-Y", "enet.head_of_line_blocking"}, {"_ws.col.Info"});
  ASSERT_EQ(found.size(), 97U);
  EXPECT_EQ(found[0][0], "RPC Level/Ships/1206881209.#1((130, 1)) [Reliable ch 0 #60] [head-of-line blocking 216 ms]");
  EXPECT_TRUE(std::ranges::all_of(
      found, [](const Texts &row) { return row[0].find(" [head-of-line blocking ") != std::string::npos; }));
}

// The capture was taken at the client, which acknowledged the command at once (frame 116).
TEST(ProblemRows, LostAcknowledgementIsReported) {
  const std::string text =
      "Spurious retransmission: the command had arrived, but its acknowledgement (frame 116) was lost or late";
  const Rows found =
      read_fields(data("waits.pcap"), {"-2", "-Y", "frame.number == 170"}, {"_ws.expert.message", "_ws.col.Info"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0][0].substr(0, text.size()), text);
  EXPECT_TRUE(found[0][1].starts_with(
      "RPC Level/Ships/1206881209.#1((127, 1)) again [not lost: its acknowledgement was lost or late]"))
      << found[0][1];
}

// The client disconnected in frame 49 and then closed its port: this is no problem.
TEST(ProblemRows, HealthyEndIsNoProblem) {
  const Rows quotes =
      read_fields(data("quoted_after_disconnect.pcap"), {"-2", "-Y", "icmp"}, {"enet.after_disconnect"});
  EXPECT_EQ(quotes, Rows(33, Texts{"49"}));
  const std::string trouble = "godot.problem or ((icmp.type == 3 or icmpv6.type == 1) and not enet.after_disconnect)";
  EXPECT_EQ(read_fields(data("quoted_after_disconnect.pcap"), {"-2", "-Y", trouble}, {"frame.number"}), Rows{});
  EXPECT_NE(read_file(fs::path(GODOT_TESTS_DIR) / "../profile/Godot/dfilter_buttons").find("\"" + trouble + "\""),
            std::string::npos);
}

// ---- a stall and its consequences

TEST(ProblemRows, TimeoutOfAStalledPeerIsOneRow) {
  const std::vector<TableRow> rows = problems_of(data("short_timeout.pcapng"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Display filter"), "enet.peer_timeout and enet.stream == 0");
  const Rows found = read_fields(data("short_timeout.pcapng"), {"-2", "-Y", "enet.stall"},
                                 {"frame.number", "godot.problem", "_ws.col.Info"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(is_true(found[0][1]));
  EXPECT_NE(found[0][2].find("[The client stalled for 2.0 s]"), std::string::npos) << found[0][2];
}

// ---- two peers with authority over the same node

TEST(ProblemRows, EachMessageOfAnAuthorityConflictIsMarked) {
  const std::vector<TableRow> rows = problems_of(data("everybody_owns.pcap"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(
      rows[0].at("Problem"),
      "Two peers both act as the authority of Level/Ships/1957368360/Sync: Godot ignores the updates of one of them (Level/Ships/1957368360/Sync: peer 1957368360 and the server both send its values; by its name its authority should be peer 1957368360)");
  EXPECT_EQ(rows[0].at("Count"), "132");
  EXPECT_EQ(rows[0].at("First frame"), "18");
  const Rows found = read_fields(data("everybody_owns.pcap"), {"-2", "-Y", "godot_mp.authority_conflict"},
                                 {"frame.number", "_ws.col.Info"});
  ASSERT_EQ(found.size(), 132U);
  EXPECT_EQ(found.back()[0], rows[0].at("Last frame"));
  EXPECT_EQ(found[0][1],
            "Sync t=3 Level/Ships/1957368360/Sync (2, 1) [two peers send its values] [Unsequenced ch 1 #1]");
  EXPECT_EQ(read_table(data("everybody_owns.pcap"), "godot,problems").at(0).at("Count"), "0")
      << "how it goes on is known on the second pass";
}

// ---- What to do

TEST(ProblemRows, DifferentSceneIsTheFirstAdvice) {
  const std::vector<TableRow> rows = problems_of(data("late_level.pcapng"));
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(
      rows[0].at("What to do"),
      "Load the same scene on that side (change_scene_to_file() before it connects), and set multiplayer.multiplayer_peer there.");
}

TEST(ProblemRows, AdviceListsTheComparedItems) {
  const TableRow row = problems_of(data("others_folder.pcapng"), with_project(variants / "game")).at(0);
  EXPECT_EQ(row.at("Problem"), "No problems found in 308 messages");
  EXPECT_TRUE(row.at("What to do")
                  .starts_with("57 calls, 480 values and 1 spawn were compared with the project folder. If the game "
                               "does not work: doc/recipes.md, What a capture cannot show. Project folder: /"))
      << row.at("What to do");
  EXPECT_TRUE(row.at("What to do").ends_with("/game: 5 scripts, 3 scenes, 9 methods")) << row.at("What to do");
  EXPECT_EQ(
      problems_of(data("others_folder.pcapng")).at(0).at("Problem"),
      "No problems found in 308 messages (without the project folder: arguments and names of calls are not checked)");
}

TEST(ProblemRows, RowBeginsWithTheCall) {
  const fs::path projects = fs::path(GODOT_TESTS_DIR) / "projects";
  const TableRow row = problems_of(projects / "damage.pcapng", with_project(projects / "damage")).at(0);
  EXPECT_EQ(row.at("Problem"),
            "take_damage(5): arguments do not match the signature of the method (Main/Hero): Godot does not call it "
            "(take_damage(amount: int, by: String, critical = …) in res://fighter.gd:6: Method expected 2 argument(s), "
            "but called with 1)");
  EXPECT_EQ(row.at("What to do"),
            "Pass the arguments that the script of the receiver declares. Do both sides have the same script?");
}

TEST(ProblemRows, ArgumentTypeAndCountAreDistinguished) {
  const Texts options = with_project(variants / "game");
  const TableRow row = problems_of(data("wrong_type.pcapng"), options).at(0);
  EXPECT_EQ(
      row.at("Problem"),
      "take_damage(\"five\", \"fall\"): arguments do not match the signature of the method (Main/World): Godot does not call "
      "it (take_damage(_amount: int, _by: String = …) in res://world.gd:6: Cannot convert argument 1 from String to "
      "int)");
  EXPECT_EQ(row.at("What to do"),
            "Pass a value of the declared type in the call (int(x), str(x)), or change the type of the parameter.");
  EXPECT_EQ(
      read_fields(data("wrong_type.pcapng"), Texts{"-2", "-Y", "godot_mp.signature_mismatch"} + options,
                  {"_ws.expert.message"})
          .at(0)
          .at(0),
      "take_damage(_amount: int, _by: String = …) is called with an argument of another type: the receiver does not call it, and reports \"Cannot convert argument 1 from String to int\"");
}

// Advice must be visible in a narrow column.
TEST(ProblemRows, AdviceIsBeforeTheFilter) {
  Texts titles;
  for (const std::string &line : lines_of(tshark(data("waits.pcap"), {"-2", "-q", "-z", "godot,problems"}))) {
    if (line.find("Rank |") == std::string::npos) continue;
    for (const std::string &cell : split(line, '|')) titles.push_back(trimmed(cell));
  }
  EXPECT_EQ(titles, (Texts{"Rank", "Count", "First frame", "Problem", "What to do", "Display filter", "From", "To",
                           "Last frame", ""}));
}

}  // namespace
}  // namespace godot_codec::test
