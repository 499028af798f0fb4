// SPDX-License-Identifier: GPL-2.0-or-later
// The table of problems in tshark: what prevents a game from working, with captures of real engines.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

std::filesystem::path data_capture(const std::string &name) {
  return std::filesystem::path(GODOT_TESTS_DIR) / "data" / (name + ".pcapng");
}

// Describes each row: "5x, frames 1 to 9: …".
Texts summed_up(const std::vector<TableRow> &rows) {
  Texts texts;
  for (const TableRow &row : rows) {
    texts.push_back(row.at("Count") + "x, frames " + row.at("First frame") + " to " + row.at("Last frame") + ": " +
                    row.at("Problem"));
  }
  return texts;
}

const char *const unchecked = " (without the project folder: arguments and names of calls are not checked)";

TEST(Problems, FullServerIsAboveLesserProblems) {
  const std::vector<TableRow> rows = problems_of(data_capture("server_full"));
  EXPECT_EQ(
      summed_up(rows),
      (Texts{
          "4x, frames 5 to 36: No answer to 4 connection attempts: the server answers other clients: it is full (max_clients), or rejects this client",
          "1x, frames 59 to 59: The client vanished at frame 58 without a disconnect: ICMP errors report that the port is closed (frame 58)"}));
  EXPECT_EQ(rows.at(0).at("From"), "127.0.0.1:41487");
  EXPECT_EQ(rows.at(0).at("To"), "127.0.0.1:5555");
  EXPECT_EQ(
      rows.at(0).at("What to do"),
      "Raise max_clients of create_server(). Clients that left without close() keep their slot for up to 30 seconds.");
}

// Once all frames are known, the packet list shows why a connect failed.
TEST(Problems, ConnectShowsItsCauseInTheList) {
  const std::filesystem::path connects = std::filesystem::path(GODOT_CAPTURES_DIR) / "connect_godot4.6_godot3.6.pcapng";
  const auto infos = [&](const std::string &server, const Texts &passes) {
    Texts texts;
    const Texts filter = {"-Y", "enet.command in {2, 3} && !icmp && udp.port == " + server};
    for (const Texts &row : read_fields(connects, passes + filter, {"_ws.col.Info"})) texts.push_back(row[0]);
    return texts;
  };
  EXPECT_EQ(infos("5060", {"-2"}), (Texts{"Connect [port closed]", "Connect again [port closed]",
                                          "Connect again [port closed]", "Connect again [port closed]"}));
  EXPECT_EQ(infos("5060", {}), (Texts{"Connect", "Connect again", "Connect again", "Connect again"}));
  EXPECT_EQ(infos("5061", {"-2"}).at(2), "Connect again [the answer is compressed, the connect is not]");
  EXPECT_EQ(infos("5062", {"-2"}).at(0), "Connect [compressed: the server may not support it]");
  EXPECT_EQ(infos("5063", {"-2"}).at(0), "Connect [accepted, then ignored]");
  EXPECT_EQ(infos("5064", {"-2"}), (Texts{"Connect", "Verify connect (4.5 ms) [different engine versions]"}));
}

// A refused TCP connection may be a WebSocket client's, so it is only reported if no other problem is known.
TEST(Problems, RefusedTcpConnectionIsReportedIfNothingElseIs) {
  const std::vector<TableRow> rows = problems_of(data_capture("ws_no_server"));
  EXPECT_EQ(
      summed_up(rows),
      Texts{
          "1x, frames 2 to 2: The TCP connection was refused: if this is the WebSocket of a game, no server uses that port, or the server uses ENet (UDP)"});
  EXPECT_EQ(rows.at(0).at("From"), "127.0.0.1:50545");
  EXPECT_EQ(rows.at(0).at("To"), "127.0.0.1:7000");
  const Texts filter = {"-Y", rows.at(0).at("Display filter")};
  EXPECT_EQ(read_fields(data_capture("ws_no_server"), filter, {"frame.number"}), (std::vector<Texts>{{"2"}}));
}

// The frames of a game, with a refused connection of another program, and with a client that resets its own connection.
TEST(Problems, ForeignRefusedTcpConnectionIsNotReported) {
  const Texts call = read_fields(capture("mp_rpc_godot4.6"), {"-c", "1"}, {"udp.payload"}).at(0);
  constexpr Ports ports{50001, 7000};
  constexpr int reset = 0x14;
  for (const auto &[is_game, is_server] : {std::pair{true, true}, {false, false}, {false, true}}) {
    Pcap pcap;
    if (is_game) pcap.frames.push_back(udp({50002, 5030}, hex(call[0])));
    pcap.frames.push_back(tcp(ports, 100, 0, tcp_syn));
    pcap.frames.push_back(is_server ? tcp(ports.reversed(), 0, 101, reset) : tcp(ports, 101, 0, reset));
    const Texts texts = summed_up(problems_of(saved(pcap)));
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_EQ(texts[0].find("The TCP connection was refused") != std::string::npos, !is_game && is_server) << texts[0];
  }
}

TEST(Problems, KickIsNoRefusal) {
  EXPECT_EQ(summed_up(problems_of(data_capture("kicked_late"))),
            Texts{"1x, frames 37 to 37: The server disconnected after 4.3 s"});
  const std::vector<TableRow> connections = read_table(data_capture("kicked_late"), "enet,connections");
  ASSERT_FALSE(connections.empty());
  EXPECT_EQ(connections.at(0).at("End"), "disconnected by server, data 0");
}

// The client announces the path itself in frame 37, so it has the node by then.
TEST(Problems, SceneLoadedLateIsMissingWhenItsPathArrives) {
  const std::vector<TableRow> rows = problems_of(data_capture("late_scene"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(
      summed_up(rows).at(0),
      "3x, frames 5 to 7: The receiver had no node Main/World when its path arrived: what was sent with the path is lost (peer 1904036977 has it by frame 37: it was added there after the path arrived)");
  EXPECT_EQ(rows.at(0).at("From"), "the server");
  EXPECT_EQ(rows.at(0).at("To"), "peer 1904036977");
  EXPECT_EQ(rows.at(0).at("Rank"), "1");
  EXPECT_EQ(rows.at(1).at("Rank"), "2") << "a client that was killed comes last";
}

TEST(Problems, InfoNamesTheProblem) {
  const std::vector<Texts> rows =
      read_fields(data_capture("late_scene"), {"-2", "-Y", "frame.number in {5, 21, 43}"}, {"_ws.col.Info"});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0][0], "Path 1 is Main/World [missing at the receiver] [Reliable ch 0 #1]");
  EXPECT_EQ(rows[1][0], "RPC Main/World.#4(12) [Reliable ch 0 #7]") << "Main/World may have been added by then";
  EXPECT_EQ(rows[2][0], "RPC Main/World.#4(17) [Reliable ch 0 #15]");
}

// The ICMP error and all later retransmissions are one problem; each links to its beginning.
TEST(Problems, ProblemsAfterAPeerLeftLinkToItsLeaving) {
  for (const Texts &row : read_fields(data_capture("server_full"), {"-2", "-Y", "frame.number in {57..60}"},
                                      {"frame.number", "enet.after_peer_gone", "enet.peer_gone"})) {
    EXPECT_EQ(row[1], row[0] == "58" || row[0] == "60" ? "58" : "") << row[0];
    EXPECT_EQ(row[2].empty(), row[0] != "59") << row[0];
  }
}

// The spawner's path is lost at first, and retransmitted 24 frames later. ENet delivers it before the spawn.
TEST(Problems, LostPathRemovesNoName) {
  const std::vector<Texts> rows = read_fields(data_capture("lost_spawner"), {"-2", "-Y", "frame.number == 4"},
                                              {"_ws.col.Info", "godot_mp.path", "godot_mp.path.defined_in"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], "Spawn node 25507379 by Main/Spawner (10, 20) 100 [Reliable ch 0 #2]");
  EXPECT_EQ(rows[0][1], "Main/Spawner");
  EXPECT_EQ(rows[0][2], "28");
}

// tshark accepts each filter, and the filter finds the frames that the row counts.
class EveryProblemCapture : public testing::TestWithParam<std::string> {};

TEST_P(EveryProblemCapture, FiltersFindTheFrames) {
  const std::filesystem::path path = capture(GetParam());
  for (const TableRow &row : problems_of(path)) {
    if (row.at("Display filter").empty()) continue;
    const std::vector<Texts> frames = read_fields(path, {"-2", "-Y", row.at("Display filter")}, {"frame.number"});
    ASSERT_FALSE(frames.empty()) << row.at("Display filter");
    EXPECT_LE(std::stoul(frames.front()[0]), std::stoul(row.at("First frame"))) << row.at("Problem");
    EXPECT_GE(std::stoul(frames.back()[0]), std::stoul(row.at("Last frame"))) << row.at("Problem");
  }
}

INSTANTIATE_TEST_SUITE_P(captures, EveryProblemCapture,
                         testing::Values("connect_godot4.6_godot3.6", "mp_auth_godot4.6", "trouble_godot4.6",
                                         "enet_loss_godot4.6", "garbled_godot4.6"),
                         [](const auto &info) { return info.param.substr(0, info.param.find('_')); });

// One of eight datagrams is damaged.
TEST(Problems, UnreadablePacketsAreNotReportedAsLost) {
  EXPECT_EQ(summed_up(problems_of(data_capture("damaged_pong"))),
            (Texts{"13x, frames 3 to 181: Unknown ENet command (byte 0)",
                   "16x, frames 4 to 198: Unknown compression; see the preference enet.compression"}));
}

TEST(Problems, WorkingGameHasNone) {
  const std::pair<std::string, std::string> games[] = {
      {"game_godot4.6", "41"},  {"game_godot3.6", "41"},  {"tcp_types_godot4.6", "194"},   {"ws_godot4.6", "12"},
      {"mp_ws_godot4.6", "49"}, {"mp_ws_godot3.6", "51"}, {"debug_editor_godot4.6", "352"}};
  for (const auto &[name, messages] : games) {
    const std::string text = "0x, frames 0 to 0: No problems found in " + messages + " messages";
    EXPECT_EQ(summed_up(problems_of(capture(name))), Texts{text + (name.starts_with("mp_") ? unchecked : "")}) << name;
  }
}

}  // namespace
}  // namespace godot_codec::test
