// SPDX-License-Identifier: GPL-2.0-or-later
// The table of problems, the marks in the packet list and the fields of the packets agree. The rows of all captures are
// in recorded/captures.txt.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "enet_exchange.h"
#include "pcap.h"
#include "pcapng.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

// ---- the table

TEST(ProblemRows, FilterWithoutMatchesShowsThatNoProblemMatches) {
  const std::vector<TableRow> rows = problems_of(data("waits.pcap"), {}, "frame.number == 1");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Problem"), "No problems match this filter");
  EXPECT_EQ(rows[0].at("What to do"), "Clear the filter to list all problems.");
  EXPECT_EQ(problems_of(data("waits.pcap"), {}, "enet.head_of_line_delay").at(0).at("Count"), "97");
  for (const fs::path &healthy : {capture("game_godot4.6"), data("path_lost_once")}) {
    EXPECT_TRUE(problems_of(healthy, {}, "frame.number == 1").at(0).at("Problem").starts_with("No problems found"));
  }
}

TEST(ProblemRows, OnePassHasNoRowsThatNeedLaterFrames) {
  EXPECT_EQ(read_table(data("auth_client_lacks"), "godot,problems,frame.number == 1").at(0).at("Problem"),
            "No problems match this filter");
  EXPECT_EQ(read_table(data("everybody_owns.pcap"), "godot,problems").at(0).at("Count"), "0");
}

TEST(ProblemRows, AdviceColumnIsNextToTheProblemColumn) {
  Texts titles;
  for (const std::string &line : lines_of(tshark(data("waits.pcap"), {"-2", "-q", "-z", "godot,problems"}))) {
    if (line.find("Rank |") == std::string::npos) continue;
    for (const std::string &cell : split(line, '|')) titles.push_back(trimmed(cell));
  }
  EXPECT_EQ(titles, (Texts{"Rank", "Count", "First frame", "Problem", "What to do", "Display filter", "From", "To",
                           "Last frame", ""}));
}

// A refused TCP connection may be a WebSocket client's. It is not reported if the capture has frames of a game, or if a
// client resets its own connection.
TEST(ProblemRows, RefusedTcpConnectionIsShownOnlyWithoutGameTraffic) {
  const Texts call = read_fields(capture("mp_rpc_godot4.6"), {"-c", "1"}, {"udp.payload"}).at(0);
  constexpr Ports tcp_ports{50001, 7000};
  constexpr int reset = 0x14;
  for (const auto &[is_game, is_server] : {std::pair{true, true}, {false, false}, {false, true}}) {
    Pcap pcap;
    if (is_game) pcap.frames.push_back(udp({50002, 5030}, hex(call[0])));
    pcap.frames.push_back(tcp(tcp_ports, 100, 0, tcp_syn));
    pcap.frames.push_back(is_server ? tcp(tcp_ports.reversed(), 0, 101, reset) : tcp(tcp_ports, 101, 0, reset));
    const std::vector<TableRow> rows = problems_of(saved(pcap));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].at("Problem").starts_with("The TCP connection to port 7000 was refused"), !is_game && is_server)
        << rows[0].at("Problem");
  }
}

TEST(ProblemRows, OnlyTheFirstServerThatRefusesIsCounted) {
  constexpr int reset = 0x14;
  Pcap pcap;
  for (const std::uint16_t port : {7000, 7001, 7000}) {
    const Ports tcp_ports{static_cast<std::uint16_t>(50001 + pcap.frames.size()), port};
    pcap.frames.push_back(tcp(tcp_ports, 100, 0, tcp_syn));
    pcap.frames.push_back(tcp(tcp_ports.reversed(), 0, 101, reset));
  }
  const TableRow row = problems_of(saved(pcap)).at(0);
  EXPECT_EQ(row.at("Count"), "2");
  EXPECT_TRUE(row.at("To").ends_with(":7000")) << row.at("To");
  EXPECT_EQ(row.at("Last frame"), "6");
}

// Another client is disconnected without a last message.
TEST(ProblemRows, LostLastMessageHasItsOwnRow) {
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
  for (const TableRow &row : problems_of(both.save("two_disconnects.pcapng")))
    rows.push_back({row.at("Problem"), row.at("What to do").substr(0, 8), row.at("Count"), row.at("First frame")});
  EXPECT_EQ(
      rows,
      (Rows{
          {"The server disconnected after 1.5 s. The last message (frame 151) was sent just before the disconnect and never acknowledged, so ENet has dropped this message",
           "Wait a f", "1", "152"},
          {"The server disconnected after 1.5 s", "If this ", "1", "304"}}));
}

// calls_acknowledged: 1,350 calls per second, each of which is acknowledged within 13 ms. Here, the server takes 150 ms
// longer for each of its later answers.
// Returns the problems of a capture if later packets are delayed.
// @param is_delayed whether the packet with this index is delayed @param delay in the file's unit of time
std::string problems_with_delays(const std::string &name, std::int64_t delay,
                                 const std::function<bool(std::size_t, const std::string &)> &is_delayed) {
  Pcapng file = pcapng_of(data(name));
  for (std::size_t i = 0; i < file.frames.size(); ++i) {
    PcapngFrame &frame = file.frames[i];
    if (!is_delayed(i, frame.bytes)) continue;
    const std::uint64_t time =
        (std::uint64_t{read_u32(frame.time, 0)} << 32 | read_u32(frame.time, 4)) + static_cast<std::uint64_t>(delay);
    frame.time =
        little_endian(static_cast<std::uint32_t>(time >> 32)) + little_endian(static_cast<std::uint32_t>(time));
  }
  std::string problems;
  for (const TableRow &row : problems_of(file.save("delayed.pcapng"))) problems += row.at("Problem") + "\n";
  return problems;
}

TEST(ProblemRows, CallFloodWithSlowAnswersIsAnOverload) {
  constexpr std::size_t source_port = 14 + 20;
  const std::string overload = ", and the server cannot keep up: answers take up to 159 ms instead of 0.4 ms";
  for (const std::size_t first : {std::size_t{1500}, std::size_t{10}}) {
    const std::string problems =
        problems_with_delays("calls_acknowledged", 150'000'000, [&](std::size_t i, const std::string &bytes) {
          return i >= first && bytes.substr(source_port, 2) == big_endian(std::uint16_t{17348});
        });
    EXPECT_NE(problems.find("calls the same method"), std::string::npos);
    EXPECT_EQ(problems.find(overload) != std::string::npos, first > 10) << "the others are slow from the beginning";
  }
}

// The server disconnects in frame 59, after 3.1 s, because the client does not take part in the authentication.
TEST(ProblemRows, AuthenticationTimesOutAfterThreeSeconds) {
  for (const auto &[milliseconds, is_found] : {std::pair(0, true), {-200, false}, {400, false}}) {
    const std::string problems =
        problems_with_delays("auth_one_side", std::int64_t{1000} * milliseconds,
                             [](std::size_t i, const std::string & /*bytes*/) { return i >= 58; });
    EXPECT_EQ(problems.find("the default auth_timeout") != std::string::npos, is_found) << problems;
  }
}

// The engines refuse to send so.
TEST(ProblemRows, NonexistentChannelIsReported) {
  Exchange exchange;
  exchange.client(datagram(reliable(3, 1, "last")));
  exchange.client(datagram(reliable(4, 1, "none")));
  const std::vector<TableRow> rows = problems_of(exchange.save(), ports);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(
      rows[0].at("Problem"),
      "A command uses channel 4, but the connection has only channels 0 to 3. The receiver drops the command and the rest of the datagram");
  EXPECT_EQ(rows[0].at("First frame"), "5");
  EXPECT_EQ(rows[0].at("Display filter"), "enet.no_channel and enet.stream == 0");
  const Texts found = infos(exchange.save(), ports + Texts{"-Y", "enet.no_channel"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("[channel 4 of 4]"), std::string::npos) << found[0];
}

// ---- fields of a problem

TEST(ProblemFields, RuleAndSeverityOfAProblemAreShown) {
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
TEST(ProblemFields, DisconnectHasARuleButIsNoProblem) {
  const Rows rows =
      read_fields(data("auth_client_lacks.pcapng"), {"-2", "-Y", "godot.problem.rule == \"enet.disconnected\""},
                  {"frame.number", "godot.problem", "godot.problem.severity"});
  EXPECT_EQ(rows, (Rows{{"63", "", "2097152"}}));
}

// ---- the packet list

// Once all frames are known.
TEST(ProblemMarks, FailedConnectShowsTheCauseInTheInfoColumn) {
  const auto connects = [&](const std::string &server, const Texts &passes) {
    return infos(capture("connect_godot4.6_godot3.6"),
                 passes + Texts{"-Y", "enet.command in {2, 3} && !icmp && udp.port == " + server});
  };
  EXPECT_EQ(connects("5060", {"-2"}), (Texts{"Connect [port closed]", "Connect again [port closed]",
                                             "Connect again [port closed]", "Connect again [port closed]"}));
  EXPECT_EQ(connects("5060", {}), (Texts{"Connect", "Connect again", "Connect again", "Connect again"}));
  EXPECT_EQ(connects("5061", {"-2"}).at(2), "Connect again [the answer is compressed, the connect is not]");
  EXPECT_EQ(connects("5062", {"-2"}).at(0), "Connect [compressed: the server may not support it]");
  EXPECT_EQ(connects("5063", {"-2"}).at(0), "Connect [accepted, then ignored]");
  EXPECT_EQ(connects("5064", {"-2"}), (Texts{"Connect", "Verify connect (4.5 ms) [different engine versions]"}));
}

// The server lacks Main/Wordl. Only the call that was sent with the path is certainly lost.
TEST(ProblemMarks, OnlyTheCallSentWithAnUnconfirmedPathIsMarkedMissing) {
  const Rows calls =
      read_fields(data("renamed_node"), {"-2", "-Y", "godot_mp.path == \"Main/Wordl\" and godot_mp.command == \"rpc\""},
                  {"frame.number", "godot_mp.delivery", "_ws.col.Info"});
  ASSERT_EQ(calls.size(), 19U);
  EXPECT_EQ(calls[0],
            (Texts{"4", "dropped: the receiver has no such node",
                   "RPC Main/Wordl.#3(5, \"fall\") [Main/Wordl missing at the receiver] [Reliable ch 0 #2]"}));
  EXPECT_TRUE(std::all_of(calls.begin() + 1, calls.end(), [](const Texts &call) {
    return call[1] == "delivered" && call[2].find("missing") == std::string::npos;
  }));
  EXPECT_EQ(count(data("renamed_node"), "godot_mp.unconfirmed_call and godot_mp.path == \"Main/Wordl\"", {"-2"}), 14U)
      << "from a second after the path on";
}

// Without its spawner, no node is spawned, and values of missing nodes are dropped.
TEST(ProblemMarks, SpawnsOfAMissingSpawnerAreDropped) {
  const Rows found = read_fields(data("late_level"), {"-2", "-Y", "godot_mp.delivery contains \"spawner\""},
                                 {"godot_mp.command", "godot_mp.delivery", "_ws.col.Info"});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0][0], "spawn");
  EXPECT_NE(found[0][2].find(" [Level/ShipSpawner missing at the receiver]"), std::string::npos) << found[0][2];
}

TEST(ProblemMarks, EachMessageOfAProblemRowIsMarked) {
  const struct {
    const char *capture;
    const char *filter;
    const char *mark;
    std::size_t count;
  } rows[] = {{"waits.pcap", "enet.head_of_line_blocking", " [head-of-line blocking ", 97},
              {"everybody_owns.pcap", "godot_mp.authority_conflict", " [two peers send its values]", 132}};
  for (const auto &row : rows) {
    const Texts found = infos(data(row.capture), {"-2", "-Y", row.filter});
    EXPECT_EQ(found.size(), row.count);
    for (const std::string &info : found) EXPECT_NE(info.find(row.mark), std::string::npos) << info;
  }
}

// The capture was taken at the client, which acknowledged the message immediately (frame 116).
TEST(ProblemMarks, SpuriousRetransmissionIsMarkedNotLost) {
  const std::string text =
      "Spurious retransmission: the command had arrived, but its acknowledgement (frame 116) was lost or late";
  const Texts found =
      read_fields(data("waits.pcap"), {"-2", "-Y", "frame.number == 170"}, {"_ws.expert.message", "_ws.col.Info"})
          .at(0);
  EXPECT_EQ(found[0].substr(0, text.size()), text);
  EXPECT_TRUE(found[1].starts_with(
      "RPC Level/Ships/1206881209.#1((127, 1)) again [not lost: its acknowledgement was lost or late]"))
      << found[1];
}

// The client sent a disconnect in frame 49. After that, its port is closed.
TEST(ProblemMarks, NormalDisconnectHasNoMark) {
  const fs::path path = data("quoted_after_disconnect.pcap");
  EXPECT_EQ(read_fields(path, {"-2", "-Y", "icmp"}, {"enet.after_disconnect"}), Rows(33, Texts{"49"}));
  const std::string trouble = "godot.problem or ((icmp.type == 3 or icmpv6.type == 1) and not enet.after_disconnect)";
  EXPECT_EQ(count(path, trouble, {"-2"}), 0U);
  EXPECT_NE(read_file(fs::path(GODOT_TESTS_DIR) / "../profile/Godot/dfilter_buttons").find("\"" + trouble + "\""),
            std::string::npos);
}

// The ICMP error and all later retransmissions are one problem, so they link to its beginning.
TEST(ProblemMarks, ConsequencesOfAVanishedPeerLinkToItsEnd) {
  for (const Texts &row : read_fields(data("server_full"), {"-2", "-Y", "frame.number in {57..60}"},
                                      {"frame.number", "enet.after_peer_gone", "enet.peer_gone"})) {
    EXPECT_EQ(row[1], row[0] == "58" || row[0] == "60" ? "58" : "") << row[0];
    EXPECT_EQ(row[2].empty(), row[0] != "59") << row[0];
  }
}

// The spawner's path is lost at first, and resent 24 frames later. ENet delivers the path before the spawn.
TEST(ProblemMarks, RetransmittedPathNamesTheSpawnerOfTheEarlierSpawn) {
  EXPECT_EQ(read_fields(data("lost_spawner"), {"-2", "-Y", "frame.number == 4"},
                        {"_ws.col.Info", "godot_mp.path", "godot_mp.path.defined_in"}),
            (Rows{{"Spawn node 25507379 by Main/Spawner (10, 20) 100 [Reliable ch 0 #2]", "Main/Spawner", "28"}}));
}

// A client calls another client that has left, because it does not know this yet. Captured at the server.
TEST(ProblemMarks, MessageToADisconnectedPeerIsNoProblem) {
  const Rows found = read_fields(data("relayed_late"), {"-Y", "godot_mp.absent_peer"},
                                 {"frame.number", "_ws.col.Info", "godot_mp.receiver"});
  ASSERT_EQ(found.size(), 12U) << "in one pass, too";
  EXPECT_EQ(found[0],
            (Texts{"280", "To 1960474556: RPC Main/World.#3(5, \"friend\") [that peer has left] [Reliable ch 0 #14]",
                   "1960474556"}));
  EXPECT_EQ(count(data("relayed_late"), "godot.problem", {"-2"}), 0U);
}

// Main loops that stall (OS.delay_msec(700)), or that run five times per second (Engine.max_fps).
TEST(ProblemMarks, StallsAndSlowFramesShowTheirDurations) {
  const Rows stalls =
      read_fields(data("server_hitch"), {"-Y", "enet.stalled"}, {"frame.number", "enet.stall", "enet.stall.since"});
  ASSERT_EQ(stalls.size(), 1U);
  EXPECT_EQ(stalls[0], (Texts{"132", stalls[0][1], "120"}));
  EXPECT_NEAR(std::stod(stalls[0][1]), 0.7, 0.01);
  for (const Texts &row :
       read_fields(data("server_slow"), {"-Y", "enet.frame_time"}, {"udp.srcport", "enet.frame_time"})) {
    EXPECT_EQ(row[0], "7000") << "the client sends too little in three seconds";
    EXPECT_NEAR(std::stod(row[1]), 0.2, 0.001);
  }
}

}  // namespace
}  // namespace godot_codec::test
