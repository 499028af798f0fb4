// SPDX-License-Identifier: GPL-2.0-or-later
// Statistics > Flow Graph in tshark: an arrow for each call, spawn and connection. Outside Wireshark's tree, the plugin
// declares epan's structures itself, so a release with another layout would print other lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

Texts flow_of(const std::string &name, const Texts &more = {}, const std::string &option = "flow,godot,standard") {
  Texts lines;
  for (const std::string &line : lines_of(tshark(capture(name), more + Texts{"-q", "-z", option}))) {
    const std::size_t end = line.find_last_not_of(' ');
    lines.push_back(end == std::string::npos ? "" : line.substr(0, end + 1));
  }
  return lines;
}

// Returns the complete comment of each arrow, at the end of the line with the time.
Texts comments_of(const Texts &lines) {
  Texts comments;
  for (std::size_t i = 2; i < lines.size(); i += 2) comments.push_back(lines[i].substr(lines[i].rfind(" |") + 2));
  return comments;
}

std::ptrdiff_t count_comments(const Texts &comments, const std::string &text) {
  return std::ranges::count_if(comments,
                               [&](const std::string &comment) { return comment.find(text) != std::string::npos; });
}

TEST(FlowGraph, DrawsCallsSpawnsAndConnections) {
  const Texts lines = flow_of("mp_spawn_godot4.6");
  ASSERT_GT(lines.size(), 14U);
  EXPECT_EQ(Texts(lines.begin(), lines.begin() + 14),
            lines_of(R"(|Time     | 127.0.0.1:50001                       | 127.0.0.1:50002                       |
|         |                   | 127.0.0.1:5033    |
|0.000000 |         Connect   |                   |                   |Connect [ENet]
|         |(50001)  ------------------>  (5033)   |                   |
|0.001155 |         Verify connect (1.2           |                   |Verify connect (1.2 ms) [ENet]
|         |(50001)  <------------------  (5033)   |                   |
|0.025462 |         Spawn node 840567798          |                   |server to 840567798: Spawn node 840567798 by Main/PlayerSpawner "Ada" (8, 4) 100 "fists" 0.5 [Reliable ch 0 #4]
|         |(50001)  <------------------  (5033)   |                   |
|0.181140 |                   |         Connect   |                   |Connect [ENet]
|         |                   |(5033)   <------------------  (50002)  |
|0.187558 |                   |         Verify connect (6.4           |Verify connect (6.4 ms) [ENet]
|         |                   |(5033)   ------------------>  (50002)  |
|0.201370 |         Peer 208133179 conne          |                   |server to 840567798: Peer 208133179 connected [Reliable ch 0 #7]
|         |(50001)  <------------------  (5033)   |                   |
)"));
}

// Each call and spawn has an arrow; synchronized values have none, because there are too many.
TEST(FlowGraph, ShowsEachCallAndSpawnOnce) {
  for (const char *name : {"mp_spawn_godot4.6", "mp_rpc_godot4.6", "mp_rpc_godot3.6", "mp_ws_godot4.6",
                           "mp_ws_godot3.6", "mp_auth_godot4.6", "trouble_godot4.6"}) {
    SCOPED_TRACE(name);
    std::map<std::string, std::ptrdiff_t> expected;
    for (const Texts &row : read_fields(capture(name), {"-Y", "!enet.duplicate_of"}, {"godot_mp.command"})) {
      for (const std::string &command : occurrences(row[0])) ++expected[command];
    }
    const Texts comments = comments_of(flow_of(name));
    EXPECT_EQ(count_comments(comments, "RPC "), expected["rpc"]);
    EXPECT_EQ(count_comments(comments, ": Spawn "), expected["spawn"]);
    EXPECT_EQ(count_comments(comments, ": Despawn "), expected["despawn"]);
    EXPECT_EQ(count_comments(comments, " connected"), expected["add_peer"]);
    EXPECT_EQ(count_comments(comments, "Sync "), 0);
    EXPECT_EQ(count_comments(comments, "Path "), 0);
    EXPECT_GT(comments.size(), 5U);
  }
}

TEST(FlowGraph, TwoPassesShowTheProblems) {
  const Texts comments = comments_of(flow_of("trouble_godot4.6", {"-2"}));
  EXPECT_EQ(
      count_comments(comments, "server to 773484497: RPC Main/Lobby.#1(\"Round\", 1.0, false) [Reliable ch 0 #4]"), 1);
  const Texts connects = comments_of(flow_of("connect_godot4.6_godot3.6", {"-2"}));
  EXPECT_EQ(
      count_comments(
          connects,
          "Connect: The client got no answer to 4 connection attempts: an ICMP error reports that the port is closed"),
      1);
}

TEST(FlowGraph, DrawsWebSockets) {
  EXPECT_EQ(
      comments_of(flow_of("connect_ws_godot4.6", {}, "flow,godot,standard,tcp.stream < 2")),
      (Texts{
          "WebSocket /lobby?room=7", "HTTP 101 Switching Protocols",
          "WebSocket close: The server closed the WebSocket with code 4001 (application-defined code): \"you are kicked\"",
          "WebSocket close", "TCP FIN", "TCP FIN", "WebSocket /game",
          "HTTP 404 Not Found: The server refused the WebSocket request for /game with HTTP status 404 (Not Found)",
          "TCP RST"}));
}

TEST(FlowGraph, IsEmptyWithoutGames) {
  EXPECT_EQ(flow_of("mp_spawn_godot4.6", {}, "flow,godot,standard,tcp"), Texts{});
}

}  // namespace
}  // namespace godot_codec::test
