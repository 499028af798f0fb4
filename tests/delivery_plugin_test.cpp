// SPDX-License-Identifier: GPL-2.0-or-later
// Messages are diagnosed in the order in which their receivers get them. Healthy games of Godot 4.6.3 over lossy links,
// and captures with missing frames, have no problems.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>

#include "browser_log.h"
#include "pcapng.h"
#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

Texts problem_rows(const fs::path &path) {
  Texts rows;
  const std::regex count("in [0-9,]+ messages?");
  for (const TableRow &row : read_table(path, "godot,problems", {"-2"})) {
    rows.push_back(std::regex_replace(row.at("Problem"), count, "in N messages"));
  }
  return rows;
}

const Texts no_problems = {"No problems found in N messages. Method names and arguments were not checked"};

// The spawner's path was lost once. The spawns in frames 194 and 195 wait for its retransmission.
TEST(MessageDelivery, MessagesThatWaitForALostPathAreNotDropped) {
  EXPECT_EQ(problem_rows(data("path_lost_once")), no_problems);
  const std::vector<Texts> spawns = read_fields(data("path_lost_once"), {"-2", "-Y", "frame.number in {194, 195}"},
                                                {"godot_mp.path", "godot_mp.unannounced_path"});
  EXPECT_EQ(spawns, (std::vector<Texts>{{"Level/ShipSpawner", ""}, {"Level/ShipSpawner", ""}}));
}

TEST(MessageDelivery, DeliveryFieldShowsTheStateOfEachMessage) {
  using Found = std::vector<Texts>;
  EXPECT_EQ(read_fields(data("path_lost_once"), {"-2", "-Y", "frame.number in {191..194, 197}"}, {"godot_mp.delivery"}),
            (Found{{"delivered"}, {"unknown"}, {"delivered"}, {"late"}, {"unknown"}}));
  EXPECT_EQ(
      read_fields(data("late_level"), {"-2", "-Y", "frame.number == 4 && godot_mp.delivery"}, {"godot_mp.delivery"}),
      (Found{{"delivered"}}))
      << "it was told of a node that it lacks";
  const std::vector<Texts> lacks =
      read_fields(data("late_level"), {"-2", "-Y", "godot_mp.delivery contains \"no such\""},
                  {"godot_mp.delivery", "_ws.col.Info"});
  ASSERT_GT(lacks.size(), 2U);
  EXPECT_EQ(lacks.front()[0], "dropped: the receiver has no such spawner");
  EXPECT_TRUE(
      std::ranges::any_of(lacks, [](const Texts &row) { return row[0] == "dropped: the receiver has no such node"; }));
  EXPECT_TRUE(read_fields(data("path_lost_once"), {"-Y", "godot_mp.delivery"}, {"frame.number"}).empty())
      << "in one pass";
}

TEST(MessageDelivery, RetransmissionShowsTheSummaryOfItsMessage) {
  const std::vector<Texts> rows = read_fields(data("path_lost_once"), {"-2", "-Y", "frame.number == 162"},
                                              {"enet.retransmission.summary", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(occurrences(rows[0][0]).front(), "RPC Level/Director.#6(165, \"next\")");
  EXPECT_EQ(
      rows[0][1],
      "RPC Level/Director.#6(165, \"next\") again [not lost: its acknowledgement was lost or late], RPC Level/Ships/1524871187.#0(1, \"rock\") again [not lost: its acknowledgement was lost or late]");
  EXPECT_TRUE(
      read_fields(data("path_lost_once"), {"-2", "-Y", "frame.number == 162 && godot_mp"}, {"frame.number"}).empty())
      << "nothing is counted twice";
}

// Godot 3: a client makes calls with an id that the other client gets only in frame 122. The engine refused both calls.
TEST(MessageDelivery, CallsThatArriveBeforeTheirPathAreMarkedInBothPasses) {
  const std::vector<Texts> dropped = {
      {"103",
       "To 1237886010: Peer 1522623307 connected [Reliable ch 0 #1], RPC Main/World.aim((0.7500093, 0.66142726)) [path 1 was not announced there] [Unsequenced ch 2 #1]"},
      {"112",
       "To 1237886010: RPC Main/World.aim((0.74218225, 0.6701981)) [path 1 was not announced there] [Unsequenced ch 2 #2]"}};
  const fs::path path = data("g3_path_after_call");
  for (const Texts &pass : {Texts{}, Texts{"-2"}}) {
    Texts options = pass;
    options.insert(options.end(), {"-Y", "godot_mp.unannounced_path"});
    EXPECT_EQ(read_fields(path, options, {"frame.number", "_ws.col.Info"}), dropped);
  }
  const std::vector<Texts> texts =
      read_fields(path, {"-2", "-Y", "frame.number == 112"}, {"_ws.expert.message", "godot_mp.delivery"});
  EXPECT_EQ(texts, (std::vector<Texts>{
                       {"Peer 1237886010 gets path 1 (Main/World) only later (frame 122), so Godot drops the message",
                        "dropped: the receiver has not got the path of this number"}}));
  EXPECT_EQ(problem_rows(path), no_problems) << "two calls that are lost while a peer joins are no problem";
}

// Two clients shoot at nodes while the server, 60 ms away, frees them. This causes no problem.
TEST(MessageDelivery, CallsSentWhileTheNodeDespawnsAreNoProblem) {
  const fs::path path = data("calls_cross_despawn");
  EXPECT_EQ(problem_rows(path), no_problems);
  const std::vector<Texts> messages = read_fields(path, {"-2", "-Y", "frame.number in {103, 104}"},
                                                  {"_ws.col.Info", "_ws.expert.message", "godot_mp.delivery"});
  const std::string text =
      "Main/Players/Mob4 was despawned (frame 115) while this message was on its way, so Godot drops it";
  const std::string dropped = "dropped: the node does not exist there";
  EXPECT_EQ(messages, (std::vector<Texts>{{"Path 4 is Main/Players/Mob4 [Reliable ch 0 #11]", text, dropped},
                                          {"RPC Main/Players/Mob4.#0(9) [Reliable ch 0 #12]", text, dropped}}));
}

// A player's calls reach another player, who adds the node a second later. The engine lost some of the calls, and no
// message shows how many. Each message is captured twice: to the server, and from the server.
TEST(MessageDelivery, OnlyTheCallSentWithAnUnconfirmedPathIsLost) {
  const fs::path path = data("late_player");
  const std::vector<TableRow> rows = problems_of(path);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(
      rows[0].at("Problem"),
      "Peer 944234464 did not have the node TEMP_World/213963108 when the first message for it arrived. That message was lost, but later calls arrive if the node has been added since");
  EXPECT_EQ(rows[0].at("Count"), "4");
  const std::vector<Texts> lost = {{"219"}, {"223"}, {"227"}, {"231"}};
  EXPECT_EQ(read_fields(path, {"-2", "-Y", "godot_mp.summary contains \"missing at the receiver\""}, {"frame.number"}),
            lost);
  EXPECT_EQ(read_fields(path, {"-2", "-Y", "godot_mp.unconfirmed_path"}, {"frame.number"}), lost);
  for (const Texts &pass : {Texts{}, Texts{"-2"}}) {
    Texts options = pass;
    options.insert(options.end(), {"-Y", "godot_mp.unconfirmed_call"});
    EXPECT_EQ(read_fields(path, options, {"frame.number"}),
              (std::vector<Texts>{{"492"}, {"511"}, {"514"}, {"516"}, {"548"}, {"558"}}))
        << "calls that arrive only if the node has been added";
  }
}

// Removes every n-th frame from a capture, beginning with the given frame.
fs::path without_frames(const fs::path &capture, std::size_t first, std::size_t each) {
  const fs::path rest = scratch_folder() / "rest.pcapng";
  Texts arguments = {capture.string(), rest.string()};
  for (std::size_t frame = first; frame < 1000; frame += each) arguments.push_back(std::to_string(frame));
  EXPECT_EQ(run(EDITCAP, arguments).status, 0);
  return rest;
}

TEST(MessageDelivery, MissingFramesCauseNoFalseProblem) {
  for (const char *name : {"mp_spawn_godot4.6", "mp_many_godot4.6"}) {
    for (std::size_t first = 10; first <= 50; first += 10) {
      EXPECT_EQ(problem_rows(without_frames(capture(name), first, 50)), no_problems) << name << " from " << first;
    }
  }
}

// Unreliable values have no order, so they may follow an uncaptured spawn before any sequence number shows the gap.
TEST(MessageDelivery, ValuesRightAfterAnUncapturedSpawnAreNoProblem) {
  for (const std::size_t first : {3U, 4U, 11U, 34U, 35U, 36U}) {
    EXPECT_EQ(problem_rows(without_frames(capture("mp_spawn_godot4.6"), first, 50)), no_problems) << first;
  }
  for (const std::size_t first : {6U, 11U, 12U}) {
    EXPECT_EQ(problem_rows(without_frames(capture("mp_spawn_godot4.6"), first, 20)), no_problems) << first;
  }
}

// At each offset, a part of an authentication is missing. One authentication is rejected, which must still be reported.
TEST(MessageDelivery, PartlyCapturedAuthenticationCausesNoFalseProblem) {
  for (const std::size_t first : {17U, 19U, 28U, 38U, 40U}) {
    for (const std::string &row : problem_rows(without_frames(capture("mp_auth_godot4.6"), first, 50))) {
      const bool is_reported = row.find("uthenticat") != std::string::npos;
      EXPECT_TRUE(!is_reported || row.starts_with("The server rejected the authentication data of peer 592812872 "))
          << first << ": " << row;
    }
  }
}

// Every 20th or 50th frame is missing, including the confirmation of a path, and a spawn before unreliable values in
// another stream. SCTP's TSNs reveal the gaps.
TEST(MessageDelivery, MissingWebRtcFramesCauseNoFalseProblem) {
  struct Lost {
    std::string capture;
    std::size_t first;
    std::size_t each;
  };
  // In one direction, TLS to the relay is not decrypted from some frame on. The other side's acknowledgements show what
  // was sent in this direction.
  for (const Lost &lost : {Lost{"web_turn_log", 3, 20},
                           {"web_nodes", 43, 50},
                           {"web_mesh", 12, 50},
                           {"web_turns", 9, 50},
                           {"web_turns", 11, 50},
                           {"web_turns", 38, 50}}) {
    Pcapng file = pcapng_of(web_data(lost.capture + ".pcapng"));
    std::size_t number = 0;
    std::erase_if(file.frames, [&](const PcapngFrame &) { return number++ % lost.each == lost.first - 1; });
    EXPECT_EQ(problem_rows(file.save("rest.pcapng")), no_problems) << lost.capture;
  }
}

}  // namespace
}  // namespace godot_codec::test
