// SPDX-License-Identifier: GPL-2.0-or-later
// Statistics in tshark with captures of real engines, compared with sums of the fields of the same frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

// --- Bytes by layer --------------------------------------------------------------------------------------------

// The handshake and TCP's acknowledgements belong to the game, too.
TEST(OverheadTable, IncludesAllFramesOfAWebSocketConnection) {
  for (const char *name :
       {"mp_ws_godot4.6", "mp_ws_godot3.6", "ws_godot4.6", "mp_wss_godot4.6", "connect_ws_godot4.6"}) {
    double bytes = 0;
    double headers = 0;
    for (const Texts &frame : read_fields(capture(name), {}, {"frame.len", "tcp.hdr_len"})) {
      bytes += std::stod(frame[0]);
      headers += std::stod(frame[1]);
    }
    const std::vector<TableRow> rows = read_table(capture(name), "godot,overhead", {"-2"});
    EXPECT_EQ(sum_of(rows, "Bytes"), bytes) << name;
    EXPECT_EQ(by_name(rows, "Bytes of", "Bytes").at("UDP or TCP"), headers) << name;
  }
}

TEST(OverheadTable, BytesMatchThePacketTree) {
  const fs::path path = capture("mp_spawn_godot4.6");
  double frames = 0;
  double acknowledgements = 0;
  double enet = 0;
  double multiplayer = 0;
  double fragments = 0;
  for (const Item &frame : read_details(path, {"-Y", "enet"})) {
    ++frames;
    bool is_reassembled = false;
    walk(frame, [&](const Item &item) {
      if (item.name == "enet") enet += static_cast<double>(item.size);
      if (item.name == "enet.part" && item.child_text("enet.command") == "1") {
        acknowledgements += static_cast<double>(item.size);
      }
      const bool is_fragment = item.name == "enet.part" && item.child("enet.fragment.number") != nullptr;
      if (is_fragment) fragments += std::stod(item.child_text("enet.data_length"));
      is_reassembled = is_reassembled || item.name == "enet.reassembled.length";
      if (item.name == "godot_mp" && !is_reassembled) multiplayer += static_cast<double>(item.size);
      return true;
    });
  }
  const std::map<std::string, double> bytes = by_name(read_table(path, "godot,overhead"), "Bytes of", "Bytes");
  EXPECT_EQ(bytes.at("Link layer"), 14 * frames);
  EXPECT_EQ(bytes.at("IP"), 20 * frames);
  EXPECT_EQ(bytes.at("UDP or TCP"), 8 * frames);
  EXPECT_EQ(bytes.at("ENet acknowledgements"), acknowledgements);
  EXPECT_EQ(bytes.at("Fragments of messages"), fragments);
  EXPECT_EQ(bytes.at("Multiplayer headers") + bytes.at("State: spawns, syncs, deltas"), multiplayer);
  EXPECT_EQ(bytes.at("ENet headers"), enet - acknowledgements - fragments - multiplayer);
  EXPECT_FALSE(bytes.contains("Other"));
}

TEST(OverheadTable, ShowsTheBytesSavedByCompression) {
  const fs::path path = capture("enet_zlib_godot4.6");
  double spared = 0;
  const Texts fields = {"enet.payload_size", "enet.decompressed_size", "enet.duplicate_of"};
  for (const Texts &row : read_fields(path, {"-Y", "enet.decompressed_size"}, fields)) {
    if (row[2].empty()) spared += std::stod(row[0]) - std::stod(row[1]);
  }
  ASSERT_LT(spared, 0);
  EXPECT_EQ(by_name(read_table(path, "godot,overhead"), "Bytes of", "Bytes").at("ENet compression"), spared);
}

TEST(OverheadTable, CountsRetransmissionsAndDuplicates) {
  double resent = 0;
  for (const Item &frame : read_details(capture("enet_loss_godot4.6"), {"-Y", "enet.retransmission"})) {
    walk(frame, [&](const Item &item) {
      const bool is_again = item.name == "enet.part" && item.child("enet.retransmission") != nullptr;
      if (is_again) resent += static_cast<double>(item.size);
      return true;
    });
  }
  EXPECT_EQ(by_name(read_table(capture("enet_loss_godot4.6"), "godot,overhead"), "Bytes of", "Bytes")
                .at("ENet retransmissions"),
            resent);
  double twice = 0;
  for (const Texts &row : read_fields(capture("enet_twice_godot3.6"), {"-Y", "enet.duplicate_of"}, {"udp.length"})) {
    twice += std::stod(row[0]) - 8;
  }
  EXPECT_EQ(
      by_name(read_table(capture("enet_twice_godot3.6"), "godot,overhead"), "Bytes of", "Bytes").at("ENet duplicates"),
      twice);
}

// --- Calls, objects, peers, messages ---------------------------------------------------------------------------

TEST(CallsTable, CountsByMethod) {
  // Nodes with the same methods share a row, which is named after the first node.
  const std::map<std::string, std::string> same_methods = {{"Main/Lobby.#3", "Main/World.#3"},
                                                           {"Main/Players/Bo.#2", "Main/Players/Ada.#2"}};
  const auto row_of = [&](const std::string &call) {
    return same_methods.contains(call) ? same_methods.at(call) : call;
  };
  for (const char *name : {"mp_rpc_godot4.6", "mp_rpc_godot3.6"}) {
    SCOPED_TRACE(name);
    std::map<std::string, double> expected;
    const Texts fields = {"godot_mp.summary"};
    for (const Texts &row : read_fields(capture(name), {"-Y", "godot_mp && !enet.duplicate_of"}, fields)) {
      for (const std::string &summary : occurrences(row[0])) {
        // Summaries such as "To 3: RPC Main/World.hit(1)" and "Set Main/World.score = 5".
        const std::size_t rpc = summary.find("RPC ");
        const std::size_t set = summary.find("Set ");
        if (rpc != std::string::npos) ++expected[row_of(summary.substr(rpc + 4, summary.find('(', rpc) - rpc - 4))];
        if (set != std::string::npos) ++expected[summary.substr(set + 4, summary.find(" = ", set) - set - 4)];
      }
    }
    const std::vector<TableRow> rows = read_table(capture(name), "godot_mp,calls");
    std::map<std::string, double> found = by_name(rows, "Call", "Count");
    std::erase_if(found, [](const auto &call) { return call.first.starts_with("send_"); });
    EXPECT_EQ(found, expected);
    EXPECT_NEAR(sum_of(rows, "Share (%)"), 100, 0.2);
    double before = number(rows.front(), "Bytes");
    for (const TableRow &row : rows) {
      EXPECT_NEAR(number(row, "Mean"), number(row, "Bytes") / number(row, "Count"), 0.05 + 0.5 / number(row, "Count"));
      EXPECT_GE(number(row, "Largest"), number(row, "Mean") - 0.55);
      EXPECT_LE(number(row, "Bytes"), before) << "the heaviest first";
      before = number(row, "Bytes");
    }
  }
}

TEST(ObjectsTable, CountsBySynchronizerAndMessage) {
  std::map<std::string, double> counts;
  std::map<std::string, double> bytes;
  for (const Item &frame : read_details(capture("mp_spawn_godot4.6"), {"-Y", "godot_mp"})) {
    for (const Item &packet : frame.children) {
      if (packet.name != "godot_mp") continue;
      const Texts commands = find_all(packet, "godot_mp.command");
      const std::string command = commands.back();
      walk(packet, [&](const Item &item) {
        if (item.name != "godot_mp.object") return true;
        // Both players have the same scene.
        const std::string name = std::regex_replace(item.show, std::regex("^208133179(#6)?$"), "840567798$1");
        const std::string row = std::regex_replace(name, std::regex("#6$"), "#3") + " " + command;
        ++counts[row];
        bytes[row] += static_cast<double>(item.size);
        return false;
      });
    }
  }
  ASSERT_GT(counts.size(), 10U);
  std::map<std::string, double> found_counts;
  std::map<std::string, double> found_bytes;
  for (const TableRow &row : read_table(capture("mp_spawn_godot4.6"), "godot_mp,objects")) {
    if (row.at("Message") != "sync" && row.at("Message") != "delta") continue;
    found_counts[row.at("Object") + " " + row.at("Message")] = number(row, "Count");
    found_bytes[row.at("Object") + " " + row.at("Message")] = number(row, "Bytes");
  }
  EXPECT_EQ(found_counts, counts);
  EXPECT_EQ(found_bytes, bytes);
}

TEST(PeersTable, CountsByDirection) {
  std::map<std::string, double> bytes;
  std::optional<double> first;
  double last = 0;
  const Texts fields = {"godot_mp.sender", "godot_mp.receiver", "godot_mp.length", "frame.time_relative",
                        "udp.srcport"};
  for (const Texts &row : read_fields(capture("mp_spawn_godot4.6"), {"-2", "-Y", "godot_mp"}, fields)) {
    const Texts senders = occurrences(row[0]);
    const Texts receivers = occurrences(row[1]);
    const Texts lengths = occurrences(row[2]);
    ASSERT_EQ(senders.size(), lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const bool is_second_leg = row[4] == "5033" && senders[i] != "1";
      if (!is_second_leg) bytes[senders[i] + " " + receivers[i]] += std::stod(lengths[i]);
    }
    last = std::stod(row[3]);
    if (!first) first = last;
  }
  std::map<std::string, double> found;
  for (const TableRow &row : read_table(capture("mp_spawn_godot4.6"), "godot_mp,peers", {"-2"})) {
    const auto id = [&](const char *end) {
      const std::string &name = row.at(end);
      return name == "server" ? "1" : name == "all" ? "0" : name;
    };
    found[id("From") + " " + id("To")] = number(row, "Bytes");
    EXPECT_NEAR(number(row, "Bytes/s"), number(row, "Bytes") / (last - *first), 0.1);
  }
  EXPECT_EQ(found, bytes);
}

TEST(StatisticsTables, DisplayFilterIsApplied) {
  double bytes = 0;
  for (const Texts &row : read_fields(capture("enet_none_godot4.6"), {"-Y", "enet.to_server == 1"}, {"frame.len"})) {
    bytes += std::stod(row[0]);
  }
  ASSERT_GT(bytes, 0);
  EXPECT_EQ(sum_of(read_table(capture("enet_none_godot4.6"), "godot,overhead,enet.to_server == 1"), "Bytes"), bytes);
}

// --- Connections -----------------------------------------------------------------------------------------------

/// Sums over the frames of one side of a connection.
struct SideSums {
  double datagrams = 0;
  double bytes = 0;
  double commands = 0;
  double resent = 0;
  double silence = 0;
  std::optional<double> last_time{};
  std::vector<double> round_trips{};  // in seconds, for commands of this side
};

/// Sums by "stream source-port".
std::map<std::string, SideSums> sums_of_sides(const fs::path &path) {
  std::map<std::string, SideSums> sides;
  const Texts fields = {"enet.stream",  "udp.srcport",         "udp.dstport",         "udp.length",
                        "enet.command", "enet.retransmission", "frame.time_relative", "enet.rtt"};
  for (const Texts &row : read_fields(path, {"-Y", "enet && !enet.duplicate_of"}, fields)) {
    SideSums &side = sides[row[0] + " " + row[1]];
    ++side.datagrams;
    side.bytes += std::stod(row[3]) - 8;
    side.commands += static_cast<double>(occurrences(row[4]).size());
    side.resent += static_cast<double>(occurrences(row[5]).size());
    const double time = std::stod(row[6]);
    if (side.last_time) side.silence = std::max(side.silence, time - *side.last_time);
    side.last_time = time;
    // The answer to a connect gives no round-trip time, because it repeats no sent time.
    const bool is_verify_connect = row[4] == "3";
    if (is_verify_connect) continue;
    for (const std::string &rtt : occurrences(row[7])) {
      sides[row[0] + " " + row[2]].round_trips.push_back(std::stod(rtt));
    }
  }
  return sides;
}

TEST(ConnectionsTable, EachSideHasTheSumsOfItsFrames) {
  const fs::path path = capture("enet_none_godot4.6");
  const std::map<std::string, SideSums> sides = sums_of_sides(path);
  const std::vector<TableRow> rows = read_table(path, "enet,connections");
  ASSERT_EQ(rows.size(), 6U);
  ASSERT_EQ(sides.size(), 6U);
  for (const TableRow &row : rows) {
    const std::string port = row.at("From").substr(row.at("From").rfind(':') + 1);
    SCOPED_TRACE(row.at("Stream") + " " + port);
    const SideSums &side = sides.at(row.at("Stream") + " " + port);
    EXPECT_EQ(number(row, "Datagrams"), side.datagrams);
    EXPECT_EQ(number(row, "Bytes"), side.bytes);
    EXPECT_NEAR(number(row, "Commands/datagram"), side.commands / side.datagrams, 0.005);
    EXPECT_EQ(number(row, "Retransmitted"), side.resent);
    EXPECT_NEAR(number(row, "Longest silence (s)"), side.silence, 6e-4);
    ASSERT_FALSE(side.round_trips.empty());
    const auto [least, most] = std::ranges::minmax(side.round_trips);
    double sum = 0;
    for (const double time : side.round_trips) sum += time;
    EXPECT_NEAR(number(row, "RTT min (ms)"), 1000 * least, 0.001);
    EXPECT_NEAR(number(row, "RTT max (ms)"), 1000 * most, 0.001);
    EXPECT_NEAR(number(row, "RTT mean (ms)"), 1000 * sum / static_cast<double>(side.round_trips.size()), 0.001);
    std::vector<double> sorted = side.round_trips;
    std::ranges::sort(sorted);
    const double exact =
        1000 * sorted[static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(sorted.size()))) - 1];
    EXPECT_GE(number(row, "RTT 95 % (ms)"), exact - 0.001);
    EXPECT_LE(number(row, "RTT 95 % (ms)"), exact * 9 / 8 + 0.001);
  }
}

TEST(ConnectionsTable, EndFieldIsOnTheLastDatagram) {
  const fs::path path = capture("enet_loss_godot4.6");
  std::map<std::string, std::string> last;  // last frame by connection
  std::map<std::string, double> silence;
  for (const Texts &row : read_fields(path, {"-Y", "enet"}, {"enet.stream", "frame.number", "enet.end"})) {
    last[row[0]] = row[1];
    EXPECT_EQ(row[2], "") << "known from the second pass on";
  }
  for (const auto &[key, side] : sums_of_sides(path)) {
    double &longest = silence[key.substr(0, key.find(' '))];
    longest = std::max(longest, side.silence);
  }
  const Texts fields = {"enet.stream", "frame.number", "enet.end", "enet.longest_silence"};
  const Rows ends = read_fields(path, {"-2", "-Y", "enet.end || enet.longest_silence"}, fields);
  ASSERT_EQ(ends.size(), 3U);
  for (const Texts &row : ends) {
    EXPECT_EQ(row[1], last.at(row[0]));
    EXPECT_EQ(row[2], row[0] == "1" ? "disconnected by server, data 8"
                                    : "disconnected by client, data " + std::string(row[0] == "0" ? "7" : "9"));
    EXPECT_NEAR(std::stod(row[3]), silence.at(row[0]), 2e-6);
  }
}

TEST(ConnectionsTable, EachDatagramHasADirection) {
  const Rows rows = read_fields(capture("enet_loss_godot4.6"), {"-Y", "enet"}, {"udp.dstport", "enet.to_server"});
  ASSERT_GT(rows.size(), 100U);
  for (const Texts &row : rows) EXPECT_EQ(is_true(row[1]), row[0] == "5025");
}

TEST(ConnectionsTable, RetransmissionsShowTheTimeSinceTheFirstTransmission) {
  const fs::path path = capture("enet_loss_godot4.6");
  std::map<std::string, double> times;
  for (const Texts &row : read_fields(path, {"-Y", "enet"}, {"frame.number", "frame.time_relative"})) {
    times[row[0]] = std::stod(row[1]);
  }
  std::size_t count = 0;
  const Texts fields = {"frame.number", "enet.retransmission_of", "enet.retransmitted_after"};
  for (const Texts &row : read_fields(path, {"-Y", "enet.retransmitted_after"}, fields)) {
    const Texts of = occurrences(row[1]);
    const Texts since = occurrences(row[2]);
    ASSERT_EQ(of.size(), since.size());
    for (std::size_t i = 0; i < of.size(); ++i, ++count) {
      EXPECT_NEAR(std::stod(since[i]), times.at(row[0]) - times.at(of[i]), 2e-6) << row[0];
    }
  }
  EXPECT_EQ(count, 22U);
}

}  // namespace
}  // namespace godot_codec::test
