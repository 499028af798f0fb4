// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of the table of problems that depend on the project folder: they state nothing that the folder cannot show.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "enet_exchange.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

// A connection with acknowledgements.
class Game {
 public:
  /// @param begins_in_capture false if the capture begins after the handshake
  explicit Game(bool begins_in_capture = true) : exchange_(begins_in_capture) {}
  void server(const std::string &message, std::uint32_t pause = 100) {
    ++time_;
    exchange_.wait(pause).server(datagram(reliable(0, ++server_seq_, message), time_));
    exchange_.client(datagram(ack(0, server_seq_, time_), time_));
  }
  void client(const std::string &message) {
    ++time_;
    exchange_.wait(100).client(datagram(reliable(0, ++client_seq_, message), time_));
    exchange_.server(datagram(ack(0, client_seq_, time_), time_));
  }
  // The server acknowledges a client message that the capture lacks.
  void acknowledge_uncaptured_message() { exchange_.wait(100).server(datagram(ack(0, ++client_seq_, time_), time_)); }
  [[nodiscard]] std::vector<TableRow> problems(const fs::path &project) const {
    return problems_of(exchange_.save(), project.empty() ? ports : ports + with_project(project));
  }
  [[nodiscard]] Rows fields(const std::string &filter, const std::string &field) const {
    return read_fields(exchange_.save(), ports + Texts{"-2", "-Y", filter}, {field});
  }

 private:
  Exchange exchange_;
  int time_ = 1000;
  int server_seq_ = 0;
  int client_seq_ = 0;
};

// ---- auto-generated names

// Returns the problems of a call that contains the node's whole path and no arguments. The receiver never confirms the
// path.
std::vector<TableRow> problems_of_missing(const std::string &path) {
  Game game;
  const std::string calls = hex("20") + u32(0x80000007) + hex("00 00") + zero_terminated(path);
  game.server(simplify_path(1, "Main/Spawner"));
  game.client(hex("02 01") + u32(1));
  game.server(simplify_path(3, path));
  for (int i = 0; i < 10; ++i) game.server(calls);
  return game.problems(projects / "arena");
}

TEST(GeneratedNames, AreNotSearchedInTheProject) {
  const std::vector<TableRow> named = problems_of_missing("Main/Players/P77/Gun");
  ASSERT_EQ(named.size(), 1U);
  EXPECT_EQ(
      named[0].at("What to do"),
      "Add the node on the receiver before the first message, with the same name and parent. The project folder has the node in res://players/player.tscn:18.");
  const std::vector<TableRow> rows = problems_of_missing("Main/Players/@Node2D@2/Gun");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].at("Problem").starts_with(
      "Peer 77 did not have the node Main/Players/@Node2D@2/Gun when the first message for it"));
  EXPECT_EQ(rows[0].at("What to do").find("The project folder has"), std::string::npos) << rows[0].at("What to do");
}

// ---- methods without a body

// Returns the problems if client 77 calls die() of its player. Only the authority may call die(), which has the given
// body. No script changes the authority.
std::vector<TableRow> problems_of_call(const std::string &body) {
  const fs::path project = copy_of(projects / "arena", "arena_of_the_caller");
  for (const fs::directory_entry &each : fs::recursive_directory_iterator(project)) {
    if (each.path().extension() != ".gd") continue;
    const std::string text = read_file(each.path());
    std::ofstream(each.path()) << std::regex_replace(
        std::regex_replace(text, std::regex("set_multiplayer_authority"), "print"), std::regex("queue_free\\(\\)"),
        body);
  }
  Game game;
  game.client(simplify_path(1, "Main/Players/P77", "07bf07eedf89f0016f198c64ab6b6ba0"));
  game.server(hex("02 01") + u32(1));
  game.client(hex("80 01 00"));
  return game.problems(project);
}

TEST(EmptyMethods, EmptyMethodAtTheReceiverCausesNoAuthorityProblem) {
  const std::vector<TableRow> rows = problems_of_call("queue_free()");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].at("Problem").starts_with("Peer 77 called Main/Players/P77.die() (res://players/player.gd:"))
      << rows[0].at("Problem");
  for (const char *body : {"pass", "return", "pass  # on the server", "\"\"\"The server has it.\"\"\""}) {
    const std::vector<TableRow> none = problems_of_call(body);
    ASSERT_EQ(none.size(), 1U);
    EXPECT_TRUE(none[0].at("Problem").starts_with("No problems found in 3 messages. ")) << body;
  }
}

// ---- a game that differs from the one that was recorded

// A regular expression in a file of a game, and the text that replaces its match. Without an expression: a new file.
struct FileChange {
  std::string file;
  std::string before;
  std::string after;
};

fs::path modified_game(const std::string &game, const std::vector<FileChange> &changes) {
  const fs::path copy = copy_of(variants / game, "changed_" + game);
  for (const FileChange &change : changes) {
    const std::string text = change.before.empty() ? "" : read_file(copy / change.file);
    const std::string changed =
        change.before.empty() ? change.after : std::regex_replace(text, std::regex(change.before), change.after);
    EXPECT_NE(changed, text) << change.file;
    std::ofstream(copy / change.file) << changed;
  }
  return copy;
}

// The first row: "4x: problem | advice".
std::string first_problem(const std::string &capture, const fs::path &project) {
  const TableRow row = problems_of(data(capture), with_project(project)).at(0);
  return row.at("Count") + "x: " + row.at("Problem") + " | " + row.at("What to do");
}

TEST(ProjectOfAnotherVersion, MismatchWithTheCaptureIsReported) {
  const FileChange master = {"main.gd", "\\$Players.add_child\\(node\\)\n\n",
                             "node.set_network_master(id)\n\t$$Players.add_child(node)\n\n"};
  const std::string nothing = "0x: No problems found";
  const struct {
    std::string capture;
    std::string game;
    std::vector<FileChange> changes;
    std::string problem;  // a part of it
  } rows[] = {
      {"spawned_and_called",
       "game",
       {{"main.tscn", "spawn_path = NodePath.*", ""}},
       "The spawn of the node (frame 5) failed. The spawn_path of the spawner must lead to a node on the receiver."},
      {"others_folder",
       "game",
       {{"player.tscn", "\\.:hp", ".:rotation"}},
       "1x: The values that 711029744 synchronizes have other types than the properties of its replication config in the project folder"},
      {"g3_no_function", "game3", {{"world.gd", "take_damage\\(", "take_damages("}}, nothing},
      {"g3_master", "game3", {master}, nothing},
      {"g3_master",
       "game3",
       {master, {"player.gd", "remote func", "puppet func"}},
       "19x: The server calls Main/Players/1291189934.heal() (res://player.gd:7), a puppet func, but the node is named after another peer, which is probably its network master, so Godot rejects the call"},
      {"g3_rset",
       "game3",
       {{"player.gd", "puppet var hp", "var hp"}},
       "7x: The server sets Main/Players/2030279802.hp (res://player.gd:4), but no script declares this var \"remote\", so Godot rejects it"},
      {"g3_type",
       "game3",
       {{"world.gd", "\\(_amount,", "(_amount: int,"}},
       "8x: Main/World.take_damage(\"five\", \"fall\") fails on the server: \"Cannot convert argument 1 from String to int\" (res://world.gd:7)"},
  };
  for (const auto &row : rows) {
    const std::string problem = first_problem(row.capture, modified_game(row.game, row.changes));
    EXPECT_NE(problem.find(row.problem), std::string::npos) << row.capture << ": " << problem;
  }
}

TEST(ProjectOfAnotherVersion, AdviceForAnRsetNamesTheVariable) {
  const fs::path project = modified_game("game3", {{"player.gd", "puppet var hp", "var hp"}});
  EXPECT_EQ(problems_of(data("g3_rset"), with_project(project)).at(0).at("What to do"),
            "Write \"remote\", \"master\" or \"puppet\" before the var, or call rset_config(), on the receiver.");
}

// ---- scripts that change what a synchronizer sends

// A project folder with an additional script. It lists rotation instead of hp.
fs::path game_with_script(const std::string &script) {
  return modified_game("game", {{"player.tscn", "\\.:hp", ".:rotation"}, {"helper.gd", "", script}});
}

TEST(PropertyMismatch, IsNoProblemIfAScriptMayChangeTheConfig) {
  const std::string mismatch = "1x: The values that 711029744 synchronizes have other types than";
  for (const char *script : {"extends Node\n", "# replication_config\nextends Node\n"})
    EXPECT_TRUE(first_problem("others_folder", game_with_script(script)).starts_with(mismatch)) << script;
  const std::string helper = "extends Node\nstatic func extend(config):\n\tconfig.add_property(\":hp\")\n";
  EXPECT_TRUE(first_problem("others_folder", game_with_script(helper)).starts_with("0x: No problems found in "));
}

// Without a problem row, the packet tree still explains why property names are missing, and shows the script.
TEST(PropertyMismatch, ExpertItemNamesTheScriptThatChangesTheConfig) {
  const fs::path project = game_with_script("extends Node\nfunc f(sync):\n\tsync.set(\"replication_config\", null)\n");
  const Rows found =
      read_fields(data("others_folder"), with_project(project) + Texts{"-Y", "godot_mp.property_mismatch"},
                  {"_ws.expert.message", "godot.problem"});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(
      found[0],
      (Texts{
          "The values that 711029744 synchronizes have other types than the properties of its replication config in the project folder, but res://helper.gd may have changed the replication config",
          ""}));
}

// ---- a side that seems silent

// The server announces two paths and calls one of the nodes. The client acknowledges, but never sends a message.
std::vector<TableRow> problems_of_silent_client(Game game) {
  const std::string calls = hex("20") + u32(0x80000007) + hex("00 00") + zero_terminated("Main/World");
  game.server(simplify_path(1, "Main/World"));
  game.server(simplify_path(2, "Main/Chat"));
  for (int i = 0; i < 10; ++i) game.server(calls);
  return game.problems({});
}

TEST(UnresponsivePeer, IsReportedOnlyIfTheBeginningIsCaptured) {
  const auto is_accused = [](const std::vector<TableRow> &rows) {
    return std::ranges::any_of(rows, [](const TableRow &row) {
      return (row.at("Problem") + row.at("What to do")).find("has never sent a multiplayer message") !=
             std::string::npos;
    });
  };
  EXPECT_TRUE(is_accused(problems_of_silent_client(Game())));
  EXPECT_FALSE(is_accused(problems_of_silent_client(Game(false)))) << "the recording starts later";
  // The server acknowledges a client message that the capture lacks.
  Game incomplete;
  incomplete.acknowledge_uncaptured_message();
  EXPECT_FALSE(is_accused(problems_of_silent_client(incomplete)));
}

// ---- counts of compared messages

TEST(CheckedMessageCounts, CoverTheWholeCapture) {
  const fs::path capture = data("others_folder");
  const Texts options = with_project(variants / "game");
  const TableRow row = problems_of(capture, options).at(0);
  const auto count = [&](const std::string &command) {
    return std::to_string(
        read_fields(capture, {"-Y", "godot_mp.command == \"" + command + "\""}, {"frame.number"}).size());
  };
  EXPECT_EQ(row.at("Problem"), "No problems found in 308 messages. " + count("rpc") + " calls, 480 values and " +
                                   count("spawn") + " spawn were checked against the project folder");
  EXPECT_EQ(read_table(capture, "godot,problems", options).at(0), row) << "one pass counts the same";
}

// The path was announced before the capture began.
TEST(CheckedMessageCounts, ReferencesToNodesWithoutAPathAreCounted) {
  Game game(false);
  for (int i = 0; i < 3; ++i) game.client(hex("80 01 00"));
  game.server(hex("06") + u16(1) + u32(0x80000002) + u32(2) + hex("0263"));
  const std::vector<TableRow> rows = game.problems(projects / "arena");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Problem"),
            "No problems found in 4 messages. 0 calls, 0 values and 0 spawns were checked against the project folder");
  EXPECT_TRUE(
      rows[0]
          .at("What to do")
          .starts_with(
              "In 4 references to nodes, a number (such as #1) replaces the path, because Godot sent the paths before the recording began. Start recording before the game connects. If the game still fails, read "))
      << rows[0].at("What to do");
}

// Values arrive before the spawn of their node.
TEST(CheckedMessageCounts, CompleteCaptureHasNoReferencesWithoutAPath) {
  Game game;
  game.server(hex("06") + u16(1) + u32(7) + u32(2) + hex("0263"));
  const std::vector<TableRow> rows = game.problems(projects / "arena");
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0].at("What to do").find("references to nodes"), std::string::npos) << rows[0].at("What to do");
}

// ---- advice

TEST(ProblemAdvice, NamesThePeerThatShouldAddTheNodes) {
  Game game;
  const std::string spawn = hex("04 00") + u32(1) + u32(5) + u32(0) + u32(3);
  game.server(simplify_path(1, "Main/Spawner"));
  game.client(hex("02 01") + u32(1));
  game.client(simplify_path(1, "Main/Spawner"));
  game.server(hex("02 01") + u32(1));
  for (int i = 0; i < 4; ++i) {
    game.server(spawn + zero_terminated("A" + std::to_string(i)));
    game.client(spawn + zero_terminated("B" + std::to_string(i)));
  }
  const Rows found = game.fields("godot_mp.authority_conflict", "_ws.expert.message");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(
      found[0][0],
      "The server and peer 77 both spawn nodes with Main/Spawner, so Godot drops the spawns of the peer that is not its authority");
}

}  // namespace
}  // namespace godot_codec::test
