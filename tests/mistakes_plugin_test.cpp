// SPDX-License-Identifier: GPL-2.0-or-later
// Mistakes that games are full of, as the table of problems names them: games of scripts/variants, played by
// Godot 4.6.3 and Godot 3.6.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path variants = fs::path(GODOT_TESTS_DIR) / "../scripts/variants";

// The first row. @param project a folder; empty: none
std::string first_problem(const std::string &name, const fs::path &project = {}) {
  Texts options = {"-2"};
  if (!project.empty()) options += Texts{"-o", "godot_mp.project:" + project.string()};
  const fs::path capture = fs::path(GODOT_TESTS_DIR) / "data" / (name + ".pcapng");
  const std::vector<TableRow> rows = read_table(capture, "godot,problems", options);
  return rows.empty() ? "" : rows[0].at("Count") + "x: " + rows[0].at("Problem");
}

// The game of Godot 3 with another text in a file.
fs::path game3_with(const std::string &file, const std::string &before, const std::string &after) {
  const fs::path game = copy_of(variants / "game3", "game3_of_" + file);
  std::string text = read_file(game / file);
  const std::size_t place = text.find(before);
  EXPECT_NE(place, std::string::npos);
  if (place != std::string::npos) text.replace(place, before.size(), after);
  std::ofstream(game / file) << text;
  return game;
}

TEST(mistakes_test, the_scenes_root_has_another_name) {
  EXPECT_EQ(
      first_problem("root_renamed"),
      "30x: Game/World and Game/Chat are missing at the receiver: what is sent to them gets lost there (the server "
      "calls it Main/World (frame 12): the two paths begin at different nodes. Is SceneMultiplayer.root_path, or "
      "the scene around it, the same on both sides?)");
}

TEST(mistakes_test, a_spawned_node_is_moved_out_of_the_spawn_path) {
  EXPECT_EQ(first_problem("reparented"),
            "14x: Main/World/476661372/Sync and Main/World/476661372 are missing at the receiver: what is sent to them "
            "gets lost there (476661372 was despawned in frame 273: was it freed, or moved out of the spawner's "
            "spawn_path (reparent()), which frees it there?)");
}

// set_timeout(0, 400, 400), and 2 s without a frame.
TEST(mistakes_test, the_server_waits_for_too_short) {
  EXPECT_EQ(first_problem("short_timeout"),
            "1x: The server has given up the client, which stood still for 2.0 s. From frame 229 on it drops all that "
            "the client sends");
}

TEST(mistakes_test, the_server_alone_gives_authority) {
  EXPECT_EQ(
      first_problem("own_nobody", variants / "game"),
      "1x: Nobody sends the values of 995341481, whose scene has a MultiplayerSynchronizer: the server, which has "
      "spawned it for peer 995341481, is not its authority, and no other peer takes itself for it");
  EXPECT_TRUE(first_problem("own_nobody").starts_with("0x: Nothing found")) << "the scene is not known";
}

TEST(mistakes_test, what_is_large_does_not_get_through) {
  EXPECT_EQ(first_problem("small_mtu"),
            "24x: None of 24 large fragments of the client is acknowledged, though each is sent again and again, and "
            "small datagrams are: what is as large does not get through (a VPN or a router with a smaller MTU)");
}

TEST(mistakes_test, a_client_adds_its_player_and_is_spawned_it) {
  EXPECT_EQ(
      first_problem("spawned_twice"),
      "1x: Main/Players/1290380380/Sync is missing at the receiver: what is sent to it gets lost there (1290380380 "
      "was there already when it was spawned for peer 1290380380 (frame 147): a spawn fails where a node of that "
      "name is. Let the spawner alone add it)");
}

// A call and disconnect_peer(id, true) in one frame.
TEST(mistakes_test, a_farewell_goes_with_the_connection) {
  EXPECT_EQ(
      first_problem("farewell"),
      "1x: The server disconnects after 1.5 s, and what it sent right before (frame 151) is never acknowledged: it "
      "got lost with the connection");
}

// The client has another list of properties than the server, and the folder is the client's.
TEST(mistakes_test, the_folder_lists_other_properties) {
  const fs::path game = copy_of(variants / "game", "game_of_other_properties");
  const std::string player = read_file(game / "player.tscn");
  std::ofstream(game / "player.tscn") << std::regex_replace(player, std::regex("\\.:hp"), ".:rotation");
  EXPECT_EQ(first_problem("others_folder", game),
            "1x: The values of 2037391862 are not those that the game's folder lists: one side has another version of "
            "its scene, and takes them for other properties, or drops them");
  EXPECT_TRUE(first_problem("others_folder", variants / "game").starts_with("0x: Nothing found"));
}

TEST(mistakes_test, text_is_put_onto_the_multiplayers_peer) {
  EXPECT_EQ(first_problem("put_packet"),
            "3x: Text stands where a message of the multiplayer should be: something puts it onto the peer itself "
            "(multiplayer_peer.put_packet()), and the other side's MultiplayerAPI takes it for a call or a path");
}

// ---- Godot 3

TEST(mistakes_test, a_variable_that_is_set_has_no_word_of_remote_ones) {
  EXPECT_EQ(
      first_problem("g3_rset", game3_with("player.gd", "puppet var hp", "var hp")),
      "18x: hp of Main/Players/1145216137 in res://player.gd:4 is set by other peers, and no script of the folder "
      "lets them: Godot refuses it. Write \"remote var hp\" (or puppet, master, remotesync)");
  EXPECT_TRUE(first_problem("g3_rset", variants / "game3").starts_with("0x: Nothing found"));
}

TEST(mistakes_test, an_argument_of_another_type) {
  EXPECT_EQ(first_problem("g3_type", game3_with("world.gd", "(_amount,", "(_amount: int,")),
            "1x: Calls of Main/World do not fit what the method takes: Godot does not call it (take_damage() in "
            "res://world.gd:7: Cannot convert argument 1 from String to int)");
  EXPECT_TRUE(first_problem("g3_type", variants / "game3").starts_with("0x: Nothing found"));
}

TEST(mistakes_test, a_web_socket_without_the_multiplayer) {
  EXPECT_TRUE(first_problem("g3_ws_plain")
                  .starts_with("1x: Peer 887841710 is connected and answers nothing of the "
                               "multiplayer, not even paths (frame 18)"))
      << first_problem("g3_ws_plain");
}

}  // namespace
}  // namespace godot_codec::test
