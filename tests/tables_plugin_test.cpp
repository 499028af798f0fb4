// SPDX-License-Identifier: GPL-2.0-or-later
// Tables that count by kind, and the rows that the user's dissectors add.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

std::string script(const std::string &name, const std::string &text) {
  const fs::path path = scratch_folder() / (name + ".lua");
  std::ofstream(path) << text;
  return "lua_script:" + path.string();
}

// Returns the table as printed by a separate process.
std::string printed_table(const fs::path &path, const std::string &statistic) {
  const Output output = run(TSHARK, {"-n", "-r", path.string(), "-q", "-P", "-z", statistic});
  EXPECT_TRUE(output.exited) << output.err;
  return output.out.substr(output.out.find("====="));
}

// Wireshark's window resets a table before it counts again; a remaining row would be counted twice.
TEST(StatisticsTables, ResetRemovesAllRows) {
  const fs::path no_game = fs::path(GODOT_CAPTURES_DIR) / "other" / "dns.pcapng";
  for (const auto &[name, statistic] :
       {std::pair("mp_rpc_godot4.6", "godot_mp,calls"), std::pair("mp_spawn_godot4.6", "godot_mp,objects"),
        std::pair("mp_spawn_godot4.6", "godot,overhead")}) {
    SCOPED_TRACE(statistic);
    const std::string of_nothing = printed_table(no_game, statistic);
    EXPECT_NE(printed_table(capture(name), statistic), of_nothing);
    const Variables variables({{"LD_PRELOAD", std::string(RESET_TABLES)}});
    EXPECT_EQ(printed_table(capture(name), statistic), of_nothing);
  }
}

// The window identifies a row by its index and keeps reading the memory first seen there. If it draws an incomplete
// table, wrong values stay visible.
TEST(StatisticsTables, AreDrawnOnceAndRowsKeepTheirAddresses) {
  const Variables variables({{"LD_PRELOAD", std::string(RESET_TABLES)}});
  for (const auto &[name, statistic] :
       {std::pair("trouble_godot4.6", "godot,problems"), std::pair("trouble_godot4.6", "enet,connections"),
        std::pair("mp_ws_godot4.6", "godot,websockets"), std::pair("mp_spawn_godot4.6", "godot_mp,syncs"),
        std::pair("mp_spawn_godot4.6", "godot_mp,names"), std::pair("mp_rpc_godot4.6", "godot_mp,calls")}) {
    const Output output = run(TSHARK, {"-n", "-r", capture(name).string(), "-q", "-P", "-z", statistic});
    EXPECT_TRUE(output.exited && output.out.find("=====") != std::string::npos) << output.out;
    EXPECT_EQ(output.err.find("drawn before its end"), std::string::npos) << statistic;
    EXPECT_EQ(output.err.find("a place has moved"), std::string::npos) << statistic;
  }
}

// In merged files, frames are not in the order of their times.
TEST(StatisticsTables, RatesBeginWithTheEarliestFrame) {
  const std::string message = dictionary({{string("cmd"), string("move")}, {string("id"), integer(7)}});
  Pcap pcap;
  pcap.frames.push_back(udp({50002, 5056}, "text"));
  for (int i = 0; i < 3; ++i) pcap.frames.push_back(udp({50001, 5055}, message));
  pcap.pauses = {{1, 3000}, {2, static_cast<std::uint32_t>(-2000)}, {3, 4000}};  // at 3 s, 1 s and 5 s
  const TableRow row = read_table(saved(pcap), "godot,variants").at(0);
  EXPECT_EQ(number(row, "Count"), 3);
  EXPECT_NEAR(number(row, "Bytes/s"), number(row, "Bytes") / 4, 0.1);
}

TEST(StatisticsTables, DisplayFilterOfARowMatchesTheCountOfTheRow) {
  for (const TableRow &row : read_table(capture("enet_none_godot4.6"), "enet,connections")) {
    const std::string filter = row.at("Display filter");
    EXPECT_EQ(read_fields(capture("enet_none_godot4.6"), {"-Y", filter}, {"frame.number"}).size(),
              number(row, "Datagrams"))
        << filter;
  }
  const std::vector<TableRow> peers = read_table(capture("mp_rpc_godot3.6"), "godot_mp,peers");
  std::size_t filters = 0;
  for (const TableRow &row : peers) {
    const std::string filter = row.at("Display filter");
    const std::string from = row.at("From") == "server" ? "1" : row.at("From");
    const std::string to = row.at("To") == "server" ? "1" : row.at("To");
    const bool has_one_receiver = (from + to).find_first_not_of("0123456789") == std::string::npos;
    EXPECT_EQ(filter.empty(), !has_one_receiver) << row.at("From") << ", " << row.at("To");
    if (!has_one_receiver) continue;
    ++filters;
    EXPECT_EQ(filter, "godot_mp.sender == " + from + " and godot_mp.receiver == " + to);
    EXPECT_GE(read_fields(capture("mp_rpc_godot3.6"), {"-Y", filter}, {"frame.number"}).size(), 1U) << filter;
  }
  EXPECT_GT(filters, 2U);
  for (const TableRow &row : read_table(capture("debug_script_godot3.6"), "godot_debug,messages")) {
    EXPECT_FALSE(
        read_fields(capture("debug_script_godot3.6"), {"-Y", row.at("Display filter")}, {"frame.number"}).empty())
        << row.at("Display filter");
  }
}

TEST(StatisticsTables, BytesSavedByCompressionHaveTheirOwnRow) {
  // A message is credited with its share of the bytes saved by the compression of its datagram.
  double whole = 0;
  double spared = 0;
  for (const Item &frame : read_details(capture("enet_zlib_godot4.6"), {"-Y", "enet.decompressed_size"})) {
    const Texts packed = find_all(frame, "enet.payload_size");
    const Texts unpacked = find_all(frame, "enet.decompressed_size");
    if (packed.empty() || unpacked.empty()) continue;
    const double share = 1 - std::stod(packed[0]) / std::stod(unpacked[0]);
    walk(frame, [&](const Item &item) {
      const Texts values = find_all(item, "godot.path_with_value");
      if (item.name != "godot" || std::ranges::find(values, "/cmd:aim") == values.end()) return true;
      whole += static_cast<double>(item.size);
      spared += static_cast<double>(item.size) * share;
      return false;
    });
  }
  ASSERT_GT(whole, 0);
  for (const TableRow &row : read_table(capture("enet_zlib_godot4.6"), "godot,variants")) {
    if (row.at("Message") != "{cmd: \"aim\"}") continue;
    EXPECT_NEAR(number(row, "Bytes") + number(row, "Saved"), whole, 1);
    EXPECT_NEAR(number(row, "Saved"), spared, 1);
    return;
  }
  FAIL() << "no row";
}

// ---- custom payloads

const char *const own_dissector =
    "local own = Proto('own', 'Own')\n"
    "function own.dissector(buffer, pinfo, root)\n"
    "  pinfo.cols.protocol = 'Mine'\n"
    "  pinfo.cols.info = 'Hit ' .. buffer:len()\n"
    "  root:add(own, buffer())\n"
    "  return buffer:len()\n"
    "end\n"
    "for _, port in ipairs({5009, 5025, 5030}) do DissectorTable.get('godot.raw'):add(port, own) end\n";

TEST(CustomPayload, DissectorTableWorksOnEveryTransport) {
  const Texts options = {"-X", script("own", own_dissector), "-Y", "own"};
  const Texts columns = {"_ws.col.Protocol", "_ws.col.Info"};
  const Rows packets = read_fields(capture("game_godot4.6"), options, columns);
  EXPECT_EQ(packets, (Rows{{"Godot", "Hit 5"}, {"Godot", "Hit 5"}}));
  const Rows multiplayer = read_fields(capture("mp_rpc_godot4.6"), options, columns);
  ASSERT_EQ(multiplayer.size(), 18U);
  EXPECT_EQ(multiplayer[0], (Texts{"GodotMP", "To 872502711: Raw bytes(5) \"ping!\": Hit 5 [Reliable ch 0 #33]"}));
  const Rows enet = read_fields(capture("enet_loss_godot4.6"), options, columns);
  ASSERT_GT(enet.size(), 5U);
  EXPECT_EQ(enet[0], (Texts{"Mine", "Hit 24 [Reliable ch 0 #2]"}));
}

TEST(CustomPayload, StatisticsTablesHaveRowsForCustomPayloads) {
  const Texts options = {"-X", script("own", own_dissector)};
  std::map<std::string, double> counts =
      by_name(read_table(capture("mp_rpc_godot4.6"), "godot_mp,calls", options), "Call", "Count");
  EXPECT_EQ(counts["send_bytes(): Hit"], 18);
  counts = by_name(read_table(capture("game_godot4.6"), "godot,variants", options), "Message", "Count");
  EXPECT_EQ(counts["Raw bytes: Hit"], 2);
  EXPECT_FALSE(counts.contains("Raw bytes"));
  counts = by_name(read_table(capture("enet_loss_godot4.6"), "godot,variants", options), "Message", "Count");
  const double mine = counts["Raw bytes: Hit"];
  EXPECT_GT(mine, 5);
  counts = by_name(read_table(capture("enet_loss_godot4.6"), "godot,variants"), "Message", "Count");
  EXPECT_EQ(counts["Raw bytes"], mine) << "nobody's have a row, too";
}

TEST(CustomPayload, LuaDissectorCanCallTheGodotDissector) {
  const std::string move = hex("01 05000000 0000803f 00000040");
  const std::string hit = hex("02 02000000 07000000");
  const Ports to_server{50001, 7777};
  Pcap pcap;
  pcap.frames = {udp(to_server, move), udp(to_server, hit), udp(to_server.reversed(), hit), udp(to_server, hex("09"))};
  const fs::path path = scratch_folder() / "handed_back.pcap";
  pcap.save(path);
  const Texts options = {"-d", "udp.port==7777,godot", "-X",
                         "lua_script:" + (fs::path(GODOT_DOC_DIR) / "own_bytes.lua").string()};
  const Rows rows = read_fields(path, options, {"mygame.kind", "godot.value", "_ws.col.Info"});
  EXPECT_EQ(rows, (Rows{{"1", "Vector2(1, 2)", "Move Vector2 (1, 2)"},
                        {"2", "7", "Hit int 7"},
                        {"2", "7", "Hit int 7"},
                        {"9", "", "Unknown "}}));
  const std::map<std::string, double> counts = by_name(read_table(path, "godot,variants", options), "Message", "Count");
  EXPECT_EQ(counts,
            (std::map<std::string, double>{{"Raw bytes: Move", 1}, {"Raw bytes: Hit", 2}, {"Raw bytes: Unknown", 1}}));
  // Decoding the payload must not count it twice.
  double bytes = 0;
  for (const std::string &frame : pcap.frames) bytes += static_cast<double>(frame.size());
  EXPECT_EQ(sum_of(read_table(path, "godot,overhead", options), "Bytes"), bytes);
}

}  // namespace
}  // namespace godot_codec::test
