// SPDX-License-Identifier: GPL-2.0-or-later
// Problems that the table of problems and the Info column report: games of scripts/variants, broken on purpose, played
// by Godot 4.6.3.
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

fs::path variant(const std::string &name) { return fs::path(GODOT_TESTS_DIR) / "data" / (name + ".pcapng"); }

Texts with_folder() {
  return {"-2", "-o", "godot_mp.project:" + (fs::path(GODOT_TESTS_DIR) / "../scripts/variants/game").string()};
}

// Describes each row: "3x, frames 1 to 9: …".
Texts problems(const std::string &name, const Texts &options = {"-2"}) {
  Texts rows;
  for (const TableRow &row : read_table(variant(name), "godot,problems", options)) {
    rows.push_back(row.at("Count") + "x, frames " + row.at("First frame") + " to " + row.at("Last frame") + ": " +
                   row.at("Problem"));
  }
  return rows;
}

// The server calls OS.delay_msec(700) in one frame.
TEST(Diagnosis, ServerStallIsReported) {
  EXPECT_EQ(problems("server_hitch"),
            Texts{"1x, frames 132 to 132: The server stalled for 0.7 s, until 1.93 s of the capture"});
  const Rows rows = read_fields(variant("server_hitch"), {"-Y", "enet.stalled"},
                                {"frame.number", "enet.stall", "enet.stall.since", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], "132");
  EXPECT_EQ(rows[0][1].substr(0, 4), "0.70") << rows[0][1];
  EXPECT_EQ(rows[0][2], "120");
  EXPECT_NE(rows[0][3].find(" [The server stalled for 0.7 s]"), std::string::npos) << rows[0][3];
}

// The server has Engine.max_fps = 5, and the client 60. The client acts five times per second.
TEST(Diagnosis, SlowServerFramesAreReported) {
  EXPECT_EQ(
      problems("server_slow"),
      Texts{"1x, frames 97 to 97: The server runs at 5.0 frames per second: it answers and sends only every 200 ms"});
  for (const Texts &row :
       read_fields(variant("server_slow"), {"-Y", "enet.frame_time"}, {"udp.srcport", "enet.frame_time"})) {
    EXPECT_EQ(row[0], "7000") << "the client says too little in three seconds";
    EXPECT_NEAR(std::stod(row[1]), 0.2, 0.001);
  }
  const std::vector<TableRow> connections = read_table(variant("server_hitch"), "enet,connections");
  ASSERT_EQ(connections.size(), 2U);
  EXPECT_NEAR(std::stod(connections[1].at("Frame (ms)")), 16.6, 0.3) << "60 frames a second";
  EXPECT_EQ(std::stod(connections[0].at("Frame (ms)")), 0) << "the client says too little";
}

// The synchronizer sends in each of the server's 60 frames per second. The stall of 0.7 s is one long interval, not a
// loss.
TEST(Diagnosis, StallIsOneLongSyncIntervalAndNoLoss) {
  bool has_clock = false;
  for (const TableRow &row : read_table(variant("server_hitch"), "godot_mp,syncs")) {
    if (row.at("Synchronizer") != "Main/Clock/Sync") continue;
    has_clock = true;
    EXPECT_EQ(row.at("From"), "server");
    EXPECT_EQ(row.at("Lost"), "0");
    EXPECT_EQ(row.at("Late"), "0");
    EXPECT_EQ(row.at("Sender interval (ms)").substr(0, 2), "16");
    EXPECT_EQ(row.at("max (ms)").substr(0, 1), "7");
    EXPECT_FALSE(read_fields(variant("server_hitch"), {"-Y", row.at("Display filter")}, {"frame.number"}).empty());
  }
  EXPECT_TRUE(has_clock);
}

TEST(Diagnosis, AuthenticationThatNeverEndsIsReported) {
  EXPECT_EQ(problems("auth_never"),
            Texts{"1x, frames 3 to 3: The authentication is never completed: neither side calls complete_auth()"});
  const Texts rows = problems("auth_client_lacks");
  ASSERT_EQ(rows.size(), 3U);
  const std::string words =
      "The server requires authentication, but peer 651837855 does not take part: it needs an auth_callback";
  EXPECT_EQ(rows[0], "1x, frames 7 to 7: " + words);
  EXPECT_EQ(rows[1], "26x, frames 10 to 61: " + words);
  EXPECT_EQ(rows[2], "1x, frames 63 to 63: The server disconnected after 3.0 s");
}

// The client's node has a different name from the one in the scene.
TEST(Diagnosis, PathThatNoSceneHasIsReported) {
  EXPECT_EQ(
      problems("renamed_node", with_folder()),
      (Texts{
          "2x, frames 3 to 4: The receiver had no node Main/Wordl when its path arrived: what was sent with the path is lost (no scene of the project has it. Did you mean Main/World? The node may have been added since: then later calls arrive)",
          "2x, frames 12 to 13: The receiver had no node Main/World when its path arrived: what was sent with the path is lost (the project folder has Main/World in res://main.tscn:17; the node may have been added since: then later calls arrive)"}));
}

TEST(Diagnosis, SceneMissingFromTheSpawnListIsReported) {
  const Texts rows = problems("unlisted_scene", with_folder());
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(
      rows[0],
      "1x, frames 9 to 9: Main/Spawner spawns a scene that is not in its Auto Spawn List in the project folder: peers with that list cannot spawn it (number 2, of 2 in res://main.tscn:31)");
}

// Without the project folder: the node was spawned, but its calls are never confirmed.
TEST(Diagnosis, SpawnedNodeMissingAtTheReceiverIsReported) {
  const Texts rows = problems("spawned_and_called");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NE(
      rows[0].find(
          " when its path arrived: what was sent with the path is lost (spawned in frame 5, but does not exist there: is its scene, number 0, in the Auto Spawn List there, and does the spawn_path lead to a node there? The node may have been added since: then later calls arrive)"),
      std::string::npos)
      << rows[0];
}

// The client lacks several nodes and never sends a message.
TEST(Diagnosis, ClientWithAnotherSceneIsReported) {
  const Texts rows = problems("late_level");
  EXPECT_EQ(
      rows,
      Texts{
          "7x, frames 4 to 17: The receiver had no nodes Level/ShipSpawner, Level/Weather/Sync and 2 more when their paths arrived: what was sent with the paths is lost (peer 1314507255 acknowledges everything (ENet), but never sends a multiplayer message: is it in another scene, or was multiplayer.multiplayer_peer never set there? A path is announced only once, so each of its spawns is lost)"});
}

TEST(Diagnosis, SpawnFunctionThatReturnsNullIsReported) {
  EXPECT_EQ(
      problems("bad_spawn_function"),
      Texts{
          "2x, frames 34 to 35: The receiver had no node Level/Ships/2135144582 when its path arrived: what was sent with the path is lost (spawned in frame 5, but does not exist there: does the spawn_function of the spawner return a node there? The node may have been added since: then later calls arrive)"});
}

TEST(Diagnosis, SpawnerWithoutASpawnPathIsReported) {
  const fs::path game = copy_of(fs::path(GODOT_TESTS_DIR) / "../scripts/variants/game", "game_without_spawn_path");
  const std::string scene = read_file(game / "main.tscn");
  std::ofstream(game / "main.tscn") << std::regex_replace(scene, std::regex("spawn_path = NodePath.*"), "");
  const Texts rows = problems("spawned_and_called", {"-2", "-o", "godot_mp.project:" + game.string()});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].ends_with(
      "(spawned in frame 5, but does not exist there: does the spawn_path of the spawner lead to a node there? The node may have been added since: then later calls arrive)"))
      << rows[0];
}

// Without the project folder, and without further messages about the node: the client confirms no path of a node that
// it did not spawn.
TEST(Diagnosis, NeverConfirmedPathIsReported) {
  const Texts rows = problems("path_never_confirmed");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(
      rows[0],
      "1x, frames 4 to 4: The receiver had no node Main/Players/1772106145/Sync when its path arrived: what was sent with the path is lost (1772106145 was never spawned there: is its scene in the Auto Spawn List of a MultiplayerSpawner, and is it added below the spawn_path of that spawner? Without a spawner, each side must add it; a synchronizer sends no values before its path is confirmed)");
  EXPECT_EQ(
      read_fields(variant("path_never_confirmed"), {"-2", "-Y", "godot_mp.unconfirmed_path"},
                  {"frame.number", "_ws.col.Info"}),
      (Rows{
          {"4",
           "Ack #2 (18.3 ms), Path 1 is Main/Players/1772106145/Sync [missing at the receiver] [Reliable ch 0 #1]"}}));
}

// The server disconnects a client that was killed five seconds earlier.
TEST(Diagnosis, SideThatDiedWithoutADisconnectIsReported) {
  EXPECT_EQ(
      problems("client_killed"),
      Texts{
          "1x, frames 250 to 250: The client vanished at frame 233 without a disconnect: ICMP errors report that the port is closed (frame 233)"});
}

TEST(Diagnosis, EchoedDatagramsAreNoServer) {
  EXPECT_EQ(
      problems("echoed_connect"),
      Texts{
          "4x, frames 1 to 7: No answer to 4 connection attempts: the datagrams come back unchanged: that port runs an echo service, not a game server"});
}

// ---- games written without knowledge of the rules; Godot 4.6.3 unless another version is given

// The server sets an auth_callback and waits for auth_timeout; the client does not use authentication.
TEST(Diagnosis, OneSidedAuthenticationIsReported) {
  EXPECT_EQ(
      problems("auth_one_side"),
      (Texts{
          "8x, frames 3 to 23: The server sent nothing and disconnected after 3.1 s (frame 59), the default auth_timeout: does it have an auth_callback, but peer 1225754523 does not? (and 1 more of this kind)"}));
}

// Two players call hit.rpc(self) for two peers each: one problem, one row.
TEST(Diagnosis, NodeAsAnArgumentIsReported) {
  const std::vector<TableRow> rows = read_table(variant("node_argument"), "godot,problems", {"-2"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(
      rows[0].at("Problem"),
      "Calls or spawns of Arena/Players/1280910157 and Arena/Players/1058862118 have an object as an argument: the receiver gets only its ID (EncodedObjectAsID)");
  EXPECT_EQ(rows[0].at("Count"), "4");
  EXPECT_EQ(rows[0].at("From"), "the server");
  EXPECT_EQ(rows[0].at("To"), "peer 1058862118 and 1 more");
  EXPECT_EQ(rows[0].at("Display filter"), "godot_mp.object_id_argument");
  EXPECT_EQ(read_fields(variant("node_argument"), {"-2", "-Y", "godot_mp.object_id_argument"}, {"frame.number"}),
            (Rows{{"330"}, {"331"}, {"336"}, {"337"}}));
}

// Two nodes have the same auto-generated name. Their methods differ, although the scripts are the same.
TEST(Diagnosis, AutoGeneratedNameOfAnotherNodeIsReported) {
  EXPECT_EQ(
      problems("made_up_checksum"),
      Texts{
          "2x, frames 488 to 498: Arena/@Node@2 contains an auto-generated name, which differs on every peer: the receiver does not find the node, or finds another one"});
}

// Only one client calls change_scene_to_file(), and still accepts what the server sends.
TEST(Diagnosis, ClientThatChangesTheSceneAloneIsReported) {
  EXPECT_EQ(
      problems("scene_left_alone"),
      Texts{
          "1x, frames 1146 to 1146: Peer 688449371 has sent no values for Arena/Players/688449371/InputSync since frame 760, but the server still has the node. Was it freed on one side only, or another scene loaded?"});
}

// The server sends the values of a node until all sides have given it to a client, and relays the client's values from
// then on.
TEST(Diagnosis, AuthorityGivenOnAllSidesIsNoProblem) {
  EXPECT_EQ(
      problems("authority_from_server"),
      Texts{"0x, frames 0 to 0: No problems found in 796 messages (without the project folder: arguments and names "
            "of calls are not checked)"});
}

// Godot 3.6 compresses by default.
TEST(Diagnosis, Godot3ClientOfAGodot4ServerIsReported) {
  EXPECT_EQ(
      problems("godot3_client"),
      Texts{
          "4x, frames 1 to 4: No answer to 4 connection attempts: they are compressed (range coder): a server with another compression, or none, drops them. This is the default of Godot 3: is the server a Godot 4 server?"});
}

// The only call of set_multiplayer_authority() in the project is for a node of the player, so the chat belongs to the
// server.
TEST(Diagnosis, CallReservedForTheAuthorityIsReported) {
  const Texts with_chat = {"-2", "-o", "godot_mp.project:" + (fs::path(GODOT_TESTS_DIR) / "projects/chat").string()};
  EXPECT_EQ(
      problems("authority_chat", with_chat),
      Texts{
          "4x, frames 12 to 60: Only the authority may call these methods of Lobby/Chat: Godot rejects the calls (say() in res://chat.gd:5 is called by peer 651829753, but its authority is the server according to the scripts of the project folder; @rpc(\"any_peer\") allows all peers)"});
}

}  // namespace
}  // namespace godot_codec::test
