// SPDX-License-Identifier: GPL-2.0-or-later
// Messages are judged in the order in which their receivers get them: healthy games of Godot 4.6.3 over bad
// lines, and captures without some of the frames, accuse nobody.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "browser_told.h"
#include "pcapng.h"
#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

fs::path data(const std::string &name) { return fs::path(GODOT_TESTS_DIR) / "data" / (name + ".pcapng"); }

Texts problems(const fs::path &path) {
  Texts rows;
  for (const TableRow &row : read_table(path, "godot,problems", {"-2"})) rows.push_back(row.at("Problem"));
  return rows;
}

const Texts nothing = {"Nothing found: Godot's and ENet's frames look healthy"};

// The spawner's path was lost once; the spawns in frames 194 and 195 wait for it.
TEST(account_test, what_waits_for_a_lost_path_is_not_dropped) {
  EXPECT_EQ(problems(data("path_lost_once")), nothing);
  const std::vector<Texts> spawns = read_fields(data("path_lost_once"), {"-2", "-Y", "frame.number in {194, 195}"},
                                                {"godot_mp.path", "godot_mp.untold_path"});
  EXPECT_EQ(spawns, (std::vector<Texts>{{"Level/ShipSpawner", ""}, {"Level/ShipSpawner", ""}}));
}

TEST(account_test, tells_what_becomes_of_a_message) {
  using Found = std::vector<Texts>;
  EXPECT_EQ(read_fields(data("path_lost_once"), {"-2", "-Y", "frame.number in {191..194, 197}"}, {"godot_mp.delivery"}),
            (Found{{"delivered"}, {"unknown"}, {"delivered"}, {"late"}, {"unknown"}}));
  EXPECT_EQ(
      read_fields(data("late_level"), {"-2", "-Y", "frame.number == 4 && godot_mp.delivery"}, {"godot_mp.delivery"}),
      (Found{{"delivered"}}))
      << "it was told of a node that it lacks";
  EXPECT_EQ(read_fields(data("late_level"), {"-2", "-Y", "godot_mp.delivery contains \"lacks\""}, {"godot_mp.delivery"})
                .front(),
            (Texts{"dropped: the receiver lacks the node"}));
  EXPECT_TRUE(read_fields(data("path_lost_once"), {"-Y", "godot_mp.delivery"}, {"frame.number"}).empty())
      << "in one pass";
}

TEST(account_test, tells_what_is_sent_again) {
  const std::vector<Texts> rows =
      read_fields(data("path_lost_once"), {"-2", "-Y", "frame.number == 162"}, {"enet.resent", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(occurrences(rows[0][0]).front(), "RPC Level/Director.#6(165, \"next\")");
  EXPECT_EQ(rows[0][1],
            "RPC Level/Director.#6(165, \"next\") again [not lost: acknowledged late], "
            "RPC Level/Ships/1524871187.#0(1, \"rock\") again [not lost: acknowledged late]");
  EXPECT_TRUE(
      read_fields(data("path_lost_once"), {"-2", "-Y", "frame.number == 162 && godot_mp"}, {"frame.number"}).empty())
      << "nothing is counted twice";
}

// Jitter of 30 ms: a sync overtakes the spawn of its node, and Godot drops that one sync.
TEST(account_test, a_sync_that_overtakes_its_spawn_is_a_note_and_no_problem) {
  EXPECT_EQ(problems(data("sync_overtakes_spawn")), nothing);
  const std::vector<Texts> syncs =
      read_fields(data("sync_overtakes_spawn"), {"-2", "-Y", "godot_mp.unknown_node"}, {"frame.number"});
  EXPECT_EQ(syncs, (std::vector<Texts>{{"67"}, {"75"}}));
}

// Without each 50th frame.
TEST(account_test, frames_that_were_not_captured_accuse_nobody) {
  const fs::path rest = scratch_folder() / "rest.pcapng";
  for (const char *name : {"mp_spawn_godot4.6", "mp_many_godot4.6"}) {
    for (int first = 10; first <= 50; first += 10) {
      Texts arguments = {capture(name).string(), rest.string()};
      for (int frame = first; frame < 1000; frame += 50) arguments.push_back(std::to_string(frame));
      ASSERT_EQ(run(EDITCAP, arguments).status, 0);
      EXPECT_EQ(problems(rest), nothing) << name << " from " << first;
    }
  }
}

// Every 20th or 50th frame is not there: among them a spawn, right behind which unreliable values come of another
// stream; the confirmation of a path. SCTP's numbers of transmissions show it.
TEST(account_test, frames_of_webrtc_that_were_not_captured_accuse_nobody) {
  struct Lost {
    std::string capture;
    std::size_t first;
    std::size_t each;
  };
  for (const Lost &lost : {Lost{"web_turn_log", 3, 20}, {"web_nodes", 43, 50}, {"web_mesh", 12, 50}}) {
    Pcapng file = pcapng_of(web_data(lost.capture + ".pcapng"));
    std::size_t number = 0;
    std::erase_if(file.frames, [&](const PcapngFrame &) { return number++ % lost.each == lost.first - 1; });
    EXPECT_EQ(problems(file.save("rest.pcapng")), nothing) << lost.capture;
  }
}

}  // namespace
}  // namespace godot_codec::test
