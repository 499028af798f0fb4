// SPDX-License-Identifier: GPL-2.0-or-later
// Problems that are common in games, as the table of problems reports them: games of scripts/variants, played by Godot
// 4.6.3 and Godot 3.6.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "pcapng.h"
#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

const fs::path variants = fs::path(GODOT_TESTS_DIR) / "../scripts/variants";

fs::path data(const std::string &name) { return fs::path(GODOT_TESTS_DIR) / "data" / (name + ".pcapng"); }

// Returns the first row of the table of problems. @param project a project folder; empty: none
std::string first_problem(const std::string &name, const fs::path &project = {}) {
  Texts options = {"-2"};
  if (!project.empty()) options = options + Texts{"-o", "godot_mp.project:" + project.string()};
  const std::vector<TableRow> rows = read_table(data(name), "godot,problems", options);
  return rows.empty() ? "" : rows[0].at("Count") + "x: " + rows[0].at("Problem");
}

// Returns the Godot 3 game with a text replaced in one file.
fs::path game3_with(const std::string &file, const std::string &before, const std::string &after) {
  const fs::path game = copy_of(variants / "game3", "game3_of_" + file);
  std::string text = read_file(game / file);
  const std::size_t place = text.find(before);
  EXPECT_NE(place, std::string::npos);
  if (place != std::string::npos) text.replace(place, before.size(), after);
  std::ofstream(game / file) << text;
  return game;
}

TEST(CommonProblems, RenamedSceneRootIsReported) {
  EXPECT_EQ(
      first_problem("root_renamed"),
      "4x: The receiver had no nodes Game/World and Game/Chat when their paths arrived: what was sent with the paths is lost (the server calls it Main/World (frame 12): the two paths begin at different nodes. Is SceneMultiplayer.root_path, or the parent scene, the same on both sides? The node may have been added since: then later calls arrive)");
}

TEST(CommonProblems, NodeMovedOutOfTheSpawnPathIsReported) {
  EXPECT_EQ(
      first_problem("reparented"),
      "3x: The receiver had no nodes Main/World/476661372/Sync and Main/World/476661372 when their paths arrived: what was sent with the paths is lost (476661372 was despawned in frame 273: was it freed, or moved out of the spawner's spawn_path (reparent()), which frees it there? A synchronizer sends no values before its path is confirmed)");
}

// The server calls set_timeout(0, 400, 400), and the client stalls for 2 s.
TEST(CommonProblems, ShortServerTimeoutIsReported) {
  EXPECT_EQ(
      first_problem("short_timeout"),
      "1x: The server timed out the client (peer_disconnected), which stalled for 2.0 s, from 1.97 s to 4.01 s of the capture. The server was last active at 2.57 s and has dropped everything from the client since then");
}

TEST(CommonProblems, AuthoritySetOnTheServerOnlyIsReported) {
  EXPECT_EQ(
      first_problem("own_nobody", variants / "game"),
      "3x: No peer sends the values of 995341481, although its scene has a MultiplayerSynchronizer: the server, which spawned it for peer 995341481, is not its authority, and no other peer considers itself the authority (and 2 more of this kind)");
  EXPECT_TRUE(first_problem("own_nobody").starts_with("0x: No problems found")) << "the scene is not known";
}

TEST(CommonProblems, LostLargePacketsAreReported) {
  EXPECT_EQ(
      first_problem("small_mtu"),
      "24x: None of 24 large fragments of the client was acknowledged in spite of retransmissions, but small datagrams were: the network drops datagrams of this size (a VPN or a router with a smaller MTU)");
}

TEST(CommonProblems, PlayerAddedAndSpawnedIsReported) {
  EXPECT_EQ(
      first_problem("spawned_twice"),
      "1x: The receiver had no node Main/Players/1290380380/Sync when its path arrived: what was sent with the path is lost (1290380380 already existed when it was spawned for peer 1290380380 (frame 147): a spawn fails if a node of that name exists. Only the spawner should add it; a synchronizer sends no values before its path is confirmed)");
}

const char *const farewell =
    "The server disconnected after 1.5 s, and its last message (frame 151) was never acknowledged: it was lost with the connection";
const char *const advice_of_farewell =
    "Wait a few frames before disconnect_peer() or close(), so that the message arrives.";

// The game makes a call and calls disconnect_peer(id, true) in the same frame.
TEST(CommonProblems, CallLostAtADisconnectIsReported) {
  const std::vector<TableRow> rows = problems_of(data("farewell"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Problem"), farewell);
  EXPECT_EQ(rows[0].at("What to do"), advice_of_farewell);
}

// One client is disconnected with a last message, and another one without.
TEST(LostMessage, AtADisconnectHasItsOwnRow) {
  Pcapng both = pcapng_of(data("farewell"));
  std::vector<PcapngFrame> without = both.frames;
  without.erase(without.begin() + 150);
  for (PcapngFrame &frame : without) {
    const std::size_t port = frame.bytes.find(big_endian(std::uint16_t{50724}), 34);
    ASSERT_LE(port, 36U);
    frame.bytes.replace(port, 2, big_endian(std::uint16_t{50725}));
  }
  both.frames.insert(both.frames.end(), without.begin(), without.end());
  Rows rows;
  for (const TableRow &row : problems_of(both.save("two_disconnects.pcapng"))) {
    rows.push_back({row.at("Problem"), row.at("What to do"), row.at("Count"), row.at("First frame")});
  }
  EXPECT_EQ(
      rows,
      (Rows{
          {farewell, advice_of_farewell, "1", "152"},
          {"The server disconnected after 1.5 s",
           "Nothing if intended. Otherwise look for close() and disconnect_peer() on the server. To deliver a last message, wait a few frames before disconnecting.",
           "1", "304"}}));
}

// Godot 4.6.3 on loopback: the client calls an unreliable method 60 times per second, and the server's frames get
// longer. With throttle_configure(5000, 32, 0), all 720 calls arrive.
TEST(Throttle, DropsMessagesAtTheSender) {
  const std::vector<TableRow> rows = problems_of(data("throttled"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(
      rows[0].at("Problem"),
      "ENet's throttle dropped 94 of 720 unreliable messages of peer 747433451 before they were sent (13 %), including calls of Main: the round-trip time rose to 101 ms (0.0 ms at best), and the reliable messages arrived");
  EXPECT_EQ(
      rows[0].at("What to do"),
      "Find out why the receiver answers late (slow frames, a busy machine). throttle_configure(5000, 32, 0) of the ENetPacketPeer (multiplayer_peer.get_peer(id)) turns the throttle off. Use \"reliable\" for calls that must arrive.");
}

// One of eight calls has five fragments and lost the fourth.
TEST(LostFragments, CountAsMissingMessages) {
  std::map<std::string, std::string> missing;
  for (const TableRow &row : read_table(data("fragments_lost"), "enet,connections")) {
    missing[row.at("From")] = row.at("Missing");
  }
  EXPECT_EQ(missing, (std::map<std::string, std::string>{{"127.0.0.1:17537", "1"}, {"127.0.0.1:38784", "0"}}));
}

constexpr const char *flood = "Peer 1479551657 calls the same method of Main up to 600 times per second";

// 1,350 calls per second, each of which is acknowledged within 13 ms.
TEST(CallFlood, IsNoOverloadIfAnswersAreFast) {
  EXPECT_EQ(first_problem("calls_acknowledged"),
            "600x: "s + flood + ". Do two methods call each other, or is it called several times per frame?");
}

// The same capture, with a delay of 150 ms added to the server's datagrams in the second half.
TEST(CallFlood, IsAnOverloadIfAnswersGetSlow) {
  Pcapng late = pcapng_of(data("calls_acknowledged"));
  constexpr std::size_t server_port_low = 14 + 20 + 1;
  constexpr std::uint64_t delay = 150'000'000;
  for (std::size_t i = late.frames.size() / 2; i < late.frames.size(); ++i) {
    PcapngFrame &frame = late.frames[i];
    if (frame.bytes.substr(server_port_low - 1, 2) != big_endian(std::uint16_t{17348})) continue;
    const std::uint64_t time = std::uint64_t{read_u32(frame.time, 0)} << 32 | read_u32(frame.time, 4);
    frame.time = little_endian(static_cast<std::uint32_t>((time + delay) >> 32)) +
                 little_endian(static_cast<std::uint32_t>(time + delay));
  }
  EXPECT_EQ(
      problems_of(late.save("calls_late.pcapng")).at(0).at("Problem"),
      flood +
          ". That is more than the server can process: answers take up to 159 ms instead of 0.4 ms. Do two methods call each "s +
          "other, or is it called several times per frame?");
}

// Client and server have different property lists, and the project folder is the client's.
TEST(CommonProblems, OtherPropertyListInTheFolderIsReported) {
  const fs::path game = copy_of(variants / "game", "game_of_other_properties");
  const std::string player = read_file(game / "player.tscn");
  std::ofstream(game / "player.tscn") << std::regex_replace(player, std::regex("\\.:hp"), ".:rotation");
  EXPECT_EQ(
      first_problem("others_folder", game),
      "1x: The synchronized values of 711029744 do not match the project folder: one side has another version of the scene and assigns them to the wrong properties, or drops them");
  EXPECT_TRUE(first_problem("others_folder", variants / "game").starts_with("0x: No problems found"));
}

TEST(CommonProblems, TextOnTheMultiplayerPeerIsReported) {
  EXPECT_EQ(
      first_problem("put_packet"),
      "3x: Text in place of a multiplayer message: other code calls multiplayer_peer.put_packet(), and the MultiplayerAPI of the other side decodes the text as a call or a path");
}

// The game calls MultiplayerSpawner.spawn({"name": …, "by": self}).
TEST(CommonProblems, NodeInSpawnDataIsReported) {
  EXPECT_EQ(
      first_problem("spawn_object"),
      "1x: Calls or spawns of Main/Spawner have an object as an argument: the receiver gets only its ID (EncodedObjectAsID)");
}

TEST(CommonProblems, OtherOrderOfTheSpawnListIsReported) {
  EXPECT_EQ(
      first_problem("other_order"),
      "6x: The RPC methods of Main/Players/201675158 differ between the two sides: both need the same scripts (spawned in frame 5 as scene number 0 of Main/Spawner: does the Auto Spawn List have the same scenes in the same order there?)");
}

// The server is stopped by SIGSTOP before another client connects.
TEST(CommonProblems, HangingServerIsReported) {
  EXPECT_EQ(
      first_problem("silent_server"),
      "5x: No answer to 5 connection attempts: the server has not answered any client since frame 104: it hangs (an endless loop, a breakpoint), does not poll its peer, has quit, or is disconnected");
}

// With multiplayer_poll = false, calls are still sent.
TEST(CommonProblems, ClientThatDoesNotPollIsReported) {
  EXPECT_EQ(
      first_problem("no_poll"),
      "1x: The client still sends, but has acknowledged nothing since frame 184, for 7.0 s: does it not poll its peer (SceneTree.multiplayer_poll), or does no packet reach it any more?");
  EXPECT_EQ(
      first_problem("no_poll_silent"),
      "1x: The client stalled for 7.0 s and then disconnected: it answered no packet in that time. Did it not poll its peer (SceneTree.multiplayer_poll, an endless loop), or did no packet reach it?");
}

// The first two of three fragments are larger than 600 bytes.
TEST(CommonProblems, LargeFragmentsLostBeforeTheCaptureAreReported) {
  EXPECT_EQ(
      first_problem("small_mtu_down"),
      "1x: No large fragment of the server arrives, but small datagrams do: the message of frame 14 has been incomplete for 4.5 s and blocks all later \"reliable\" calls of its channel. The network drops datagrams of this size (a VPN or a router with a smaller MTU)");
}

TEST(CommonProblems, ManyLostValuesAreReported) {
  const fs::path capture = fs::path(GODOT_TESTS_DIR) / "data/values_lost.pcapng";
  const std::vector<TableRow> rows = read_table(capture, "godot,problems", {"-2"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(
      rows[1].at("Problem"),
      "140 of 414 unreliable messages of the server did not arrive (34 %), including synchronizer values, so nodes jump. Reliable messages were retransmitted, too: the network loses packets, or you send more than it can carry");
}

TEST(CommonProblems, RequiredSubprotocolIsReported) {
  EXPECT_EQ(
      first_problem("ws_protocol"),
      "1x: The server closed the connection without an answer (TCP FIN): the server requires a subprotocol (supported_protocols), uses TLS (wss://), or is not a WebSocket server");
}

// ---- Godot 3

TEST(CommonProblems, MissingFunctionIsReported) {
  EXPECT_EQ(
      first_problem("g3_no_function", variants / "game3"),
      "19x: take_damages() of Main/World is called by other peers, but no script of the project folder has a function of that name: Godot rejects it. Is the name spelled differently, or is the folder of another version?");
  EXPECT_TRUE(first_problem("g3_no_function", game3_with("world.gd", "take_damage(", "take_damages("))
                  .starts_with("0x: No problems found"));
}

// After `node.set_network_master(id)`, the server still calls a method that is reserved for the node's master.
TEST(CommonProblems, TwoCallersOfAMasterMethodAreReported) {
  const fs::path game = game3_with("main.gd", "$Players.add_child(node)\n\n",
                                   "node.set_network_master(id)\n\t$Players.add_child(node)\n\n");
  const std::string player = read_file(game / "player.gd");
  EXPECT_TRUE(first_problem("g3_master", game).starts_with("0x: No problems found")) << "all may call it";
  std::ofstream(game / "player.gd") << std::regex_replace(player, std::regex("remote func"), "puppet func");
  EXPECT_EQ(
      first_problem("g3_master", game),
      "19x: heal() of Main/Players/1291189934 in res://player.gd:7 is a puppet func, which only the network master of the node may call. Two peers call such methods of the node, and by its name the master is not the server: Godot rejects the calls of that peer. Write \"remote func heal\" or \"master func heal\"");
}

TEST(CommonProblems, VariableWithoutARemoteKeywordIsReported) {
  EXPECT_EQ(
      first_problem("g3_rset", game3_with("player.gd", "puppet var hp", "var hp")),
      "7x: hp of Main/Players/2030279802 in res://player.gd:4 is set by other peers, but no script of the project folder allows this: Godot rejects it. Write \"remote var hp\" (or puppet, master, remotesync)");
  EXPECT_EQ(problems_of(fs::path(GODOT_TESTS_DIR) / "data" / "g3_rset.pcapng",
                        {"-o", "godot_mp.project:" + game3_with("player.gd", "puppet var hp", "var hp").string()})[0]
                .at("What to do"),
            "Write \"remote\", \"master\" or \"puppet\" before the var, or call rset_config(), on the receiver.");
  EXPECT_TRUE(first_problem("g3_rset", variants / "game3").starts_with("0x: No problems found"));
}

TEST(CommonProblems, ArgumentOfAnotherTypeIsReported) {
  EXPECT_EQ(
      first_problem("g3_type", game3_with("world.gd", "(_amount,", "(_amount: int,")),
      "8x: take_damage(\"five\", \"fall\"): arguments do not match the signature of the method (Main/World): Godot does not "
      "call it (take_damage() in "
      "res://world.gd:7: Cannot convert argument 1 from String to int)");
  EXPECT_TRUE(first_problem("g3_type", variants / "game3").starts_with("0x: No problems found"));
}

TEST(CommonProblems, WebSocketWithoutMultiplayerIsReported) {
  EXPECT_TRUE(first_problem("g3_ws_plain")
                  .starts_with("1x: Peer 887841710 is connected but never sends a multiplayer message, not even path "
                               "confirmations (frame 18)"))
      << first_problem("g3_ws_plain");
}

}  // namespace
}  // namespace godot_codec::test
