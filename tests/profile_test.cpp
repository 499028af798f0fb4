// SPDX-License-Identifier: GPL-2.0-or-later
// The Wireshark profile in profile/Godot: tshark accepts it, and each of its filters is valid.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path profile = GODOT_PROFILE_DIR;
// Copies the profile to the folder in which tshark looks for its user's profiles.
void install_profile() { copy_of(profile, ".config/wireshark/profiles/Godot"); }

Texts rows_of(const std::string &name) {
  Texts rows;
  for (const std::string &line : lines_of(read_file(profile / name))) {
    if (!line.empty() && line[0] != '#') rows.push_back(line);
  }
  return rows;
}

// Splits a row such as "TRUE","RPCs" into cells. In a cell, a quote is written as \x22.
Texts cells_of(const std::string &row) {
  Texts cells = split(row.substr(1, row.size() - 2), '"');
  for (std::size_t i = cells.size(); i-- > 0;) {
    if (i % 2 == 1) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(i));
  }
  constexpr std::string_view quote = "\\x22";
  for (std::string &cell : cells) {
    for (std::size_t at = cell.find(quote); at != std::string::npos; at = cell.find(quote, at)) {
      cell.replace(at, quote.size(), "\"");
    }
  }
  return cells;
}

// Returns the number of frames of the capture that pass the filter.
std::size_t count_frames(const std::string &capture, const std::string &filter) {
  return read_fields(captures / capture, {"-Y", filter}, {"frame.number"}).size();
}

std::map<std::string, int> count_colours(const std::string &capture) {
  std::map<std::string, int> counts;
  const Texts options = {"-C", "Godot", "--color"};
  for (const Texts &row : read_fields(captures / capture, options, {"frame.coloring_rule.name"})) ++counts[row[0]];
  return counts;
}

using FromAndToColumns = std::vector<std::pair<std::string, std::string>>;

// Returns the columns From and To of the first packets of a capture.
FromAndToColumns from_and_to_columns(const std::string &capture, const Texts &options, std::size_t count) {
  install_profile();
  const Texts all = options + Texts{"-C", "Godot", "-T", "tabs", "-Y", "frame.number <= " + std::to_string(count)};
  FromAndToColumns ends;
  for (const std::string &line : lines_of(tshark(captures / capture, all))) {
    const Texts cells = split(line, '\t');
    EXPECT_EQ(cells.size(), 7U) << "the addresses are hidden: " << line;
    if (cells.size() == 7) ends.emplace_back(cells[2], cells[3]);
  }
  return ends;
}

TEST(Profile, ColumnsNameThePeers) {
  const std::pair<std::string, std::string> up{"840567798", "server"};
  const std::pair<std::string, std::string> down{"server", "840567798"};
  // The connect, its answer, and acknowledgements before and after the first message.
  EXPECT_EQ(from_and_to_columns("mp_spawn_godot4.6.pcapng", {}, 5),
            (FromAndToColumns{{"50001", "5033"}, {"5033", "50001"}, {"50001", "5033"}, down, up}));
  EXPECT_EQ(from_and_to_columns("mp_spawn_godot4.6.pcapng", {"-2"}, 5), (FromAndToColumns{up, down, up, down, up}));
}

TEST(Profile, ColumnsNameThePeersOfAWebSocket) {
  const std::pair<std::string, std::string> up{"934651505", "server"};
  const std::pair<std::string, std::string> down{"server", "934651505"};
  EXPECT_EQ(from_and_to_columns("mp_ws_godot4.6.pcapng", {"-2"}, 5), (FromAndToColumns{up, down, up, up, down}));
}

TEST(Profile, ColumnsShowPortsWithoutPeers) {
  EXPECT_EQ(from_and_to_columns("game_godot4.6.pcapng", {"-2"}, 2),
            (FromAndToColumns{{"50001", "5009"}, {"5009", "50001"}}));
  EXPECT_EQ(from_and_to_columns("other/dns.pcapng", {"-2"}, 1), (FromAndToColumns{{"50005", "50153"}}));
}

// For a relayed message, From and To are the original sender and the final receiver.
TEST(Profile, ColumnsNameTheEndsOfARelayedMessage) {
  const Texts relayed = {"-2", "-Y", "frame.number == 122 || frame.number == 125"};
  EXPECT_EQ(read_fields(captures / "mp_rpc_godot4.6.pcapng", relayed, {"udp.dstport", "godot.from", "godot.to"}),
            (std::vector<Texts>{{"5030", "872502711", "575869820"}, {"50002", "872502711", "575869820"}}));
}

// In a displayed tree, the fields exist only in packets of a game. A column or a filter finds them in other packets,
// too.
TEST(Profile, TreesOfForeignPacketsHaveNoFromAndToFields) {
  const Texts tree = {"-T", "pdml", "-c", "9"};
  EXPECT_NE(tshark(captures / "mp_spawn_godot4.6.pcapng", tree).find("godot.from"), std::string::npos);
  EXPECT_EQ(tshark(captures / "other/dns.pcapng", tree).find("godot.from"), std::string::npos);
  EXPECT_EQ(count_frames("mp_spawn_godot4.6.pcapng", "godot.from == \"server\""), 279U);
}

TEST(Profile, InfoNamesTheProblem) {
  install_profile();
  const Texts lines = lines_of(
      tshark(captures / "trouble_godot4.6.pcapng", {"-2", "-C", "Godot", "-T", "tabs", "-Y", "frame.number == 13"}));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(split(lines[0], '\t').back(),
            "To 773484497: Path 1 is Main/Lobby [missing at the receiver] [Reliable ch 0 #2]");
}

TEST(Profile, FitsASmallScreen) {
  constexpr int widest = 1366;
  const Texts rows = rows_of("recent");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1], "gui.time_precision: USEC") << "nanoseconds do not fit their column";
  Texts columns;  // the column widths are in the order of Wireshark 4.6
  for (const std::string &row : rows_of("preferences")) {
    if (row[0] == '\t') columns.push_back(split(row, '"')[3]);
  }
  const Texts parts = split(rows[0].substr(rows[0].find(':') + 1), ',');
  ASSERT_EQ(parts.size(), 2 * columns.size());
  int width = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string &name = parts[2 * i];
    const std::string bare = name[1] == '"' ? name.substr(2, name.size() - 3) : name.substr(1);
    EXPECT_TRUE(columns[i].starts_with(bare)) << columns[i] << ", " << name;
    const bool is_hidden = bare == "%us" || bare == "%ud";
    if (!is_hidden) width += std::stoi(parts[2 * i + 1]);
  }
  EXPECT_LE(width, widest);
}

TEST(Profile, SetsExistingPreferencesOnly) {
  const std::string all = "\n" + run(TSHARK, {"-G", "defaultprefs"}).out;
  Texts names;
  for (const std::string &row : rows_of("preferences")) {
    if (row[0] == '\t') continue;  // a continuation line with a column
    names.push_back(row.substr(0, row.find(':')));
    EXPECT_NE(all.find("\n#" + names.back() + ": "), std::string::npos) << row;
  }
  EXPECT_EQ(names,
            (Texts{"gui.column.hidden", "gui.column.format", "tcp.try_heuristic_first", "udp.try_heuristic_first"}));
}

TEST(Profile, EachColourRuleHasAValidFilter) {
  const Texts rules = rows_of("colorfilters");
  EXPECT_EQ(rules.size(), 11U);
  for (const std::string &rule : rules) {
    const Texts parts = split(rule, '@');
    ASSERT_EQ(parts.size(), 4U) << rule;
    SCOPED_TRACE(parts[1]);
    count_frames("mp_auth_godot4.6.pcapng", parts[2]);
  }
}

TEST(Profile, EachColourRuleMatchesItsPackets) {
  install_profile();
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(count_colours("mp_auth_godot4.6.pcapng"), (Counts{{"Godot: Problems", 8},
                                                              {"Godot: retransmission", 2},
                                                              {"Godot: connection", 33},
                                                              {"Godot: RPC", 24},
                                                              {"Godot: multiplayer", 20},
                                                              {"Godot: ENet alone", 53}}));
  EXPECT_EQ(count_colours("mp_spawn_godot4.6.pcapng"), (Counts{{"Godot: connection", 9},
                                                               {"Godot: spawn", 38},
                                                               {"Godot: sync", 348},
                                                               {"Godot: multiplayer", 32},
                                                               {"Godot: ENet alone", 115}}));
  EXPECT_EQ(count_colours("enet_loss_godot4.6.pcapng"), (Counts{{"Godot: retransmission", 21},
                                                                {"Godot: connection", 9},
                                                                {"Godot: Variants", 116},
                                                                {"Godot: ENet alone", 158}}));
}

TEST(Profile, DebuggedGameHasNoProblemColour) {
  install_profile();
  std::map<std::string, int> counts = count_colours("debug_script_godot4.6.pcapng");
  EXPECT_EQ(counts.count("Godot: Problems"), 0U);
  EXPECT_EQ(counts["Godot: debugger"], 254);
}

TEST(Profile, EachFilterButtonHasAValidFilter) {
  std::map<std::string, std::size_t> counts;
  for (const std::string &row : rows_of("dfilter_buttons")) {
    const Texts cells = cells_of(row);
    ASSERT_EQ(cells.size(), 4U) << row;
    SCOPED_TRACE(cells[1]);
    counts[cells[1]] = count_frames("mp_auth_godot4.6.pcapng", cells[2]);
  }
  EXPECT_EQ(counts, (std::map<std::string, std::size_t>{{"RPCs", 28}, {"Messages only", 73}, {"Problems", 8}}));
}

TEST(Profile, ProblemsButtonFindsUnansweredDtlsClients) {
  const fs::path data = fs::path(GODOT_TESTS_DIR) / "data";
  const Texts rows = rows_of("dfilter_buttons");
  const auto trouble =
      std::ranges::find_if(rows, [](const std::string &row) { return cells_of(row)[1] == "Problems"; });
  ASSERT_NE(trouble, rows.end());
  const Texts filter = {"-Y", "(" + cells_of(*trouble)[2] + ") and dtls.handshake.type == 1"};
  EXPECT_EQ(read_fields(data / "dtls_clients.pcapng", filter, {"frame.number"}),
            (std::vector<Texts>{{"4"}, {"5"}, {"6"}, {"7"}, {"8"}, {"9"}}));
  EXPECT_EQ(read_fields(data / "dtls_enet.pcapng", filter, {"frame.number"}), std::vector<Texts>{})
      << "one that is answered";
}

TEST(Profile, EachGraphHasAValidFilterAndField) {
  const Texts rows = rows_of("io_graphs");
  EXPECT_EQ(rows.size(), 6U);
  for (const std::string &row : rows) {
    const Texts cells = cells_of(row);
    ASSERT_EQ(cells.size(), 9U) << row;
    // Bytes and milliseconds have values of similar size, so they share one axis.
    EXPECT_EQ(cells[0] == "Enabled", cells[5] != "Packets") << row;
    EXPECT_EQ(cells[8], cells[6] == "enet.rtt" ? "1000" : "1") << row;
    SCOPED_TRACE(cells[1]);
    const std::string field = cells[6].empty() ? "frame.number" : cells[6];
    read_fields(captures / "mp_auth_godot4.6.pcapng", {"-Y", cells[2]}, {field});
  }
}

// Wireshark 4.6 and later have Plots. Earlier releases do not read the file, but this test checks the file with them,
// too.
TEST(Profile, EachPlotHasValues) {
  std::map<std::string, std::size_t> counts;
  std::map<std::string, std::string> groups;
  for (const std::string &row : rows_of("plots")) {
    const Texts cells = cells_of(row);
    ASSERT_EQ(cells.size(), 8U) << row;
    const auto &[group, name, field] = std::tie(cells[1], cells[2], cells[6]);
    SCOPED_TRACE(name);
    EXPECT_EQ(cells[0], name == "Frame time (ms)" ? "FALSE" : "TRUE");
    EXPECT_EQ(cells[7], name.ends_with("(ms)") ? "1000" : "1") << "times are in seconds";
    EXPECT_TRUE(cells[5] == "Dot" || cells[5] == "Cross") << cells[5];
    groups[field] = group;
    const std::string filter = field + (cells[3].empty() ? "" : " && " + cells[3]);
    counts[name] = read_fields(fs::path(GODOT_TESTS_DIR) / "data/server_hitch.pcapng", {"-Y", filter}, {field}).size();
  }
  EXPECT_EQ(counts, (std::map<std::string, std::size_t>{{"Round trip, client answers (ms)", 24},
                                                        {"Round trip, server answers (ms)", 26},
                                                        {"Frame time (ms)", 3},
                                                        {"Between two syncs (ms)", 245},
                                                        {"Synchronized x (2D)", 246},
                                                        {"Synchronized y (2D)", 246},
                                                        {"Synchronized x (3D)", 0},
                                                        {"Synchronized z (3D)", 0}}));
  // Values of another size have their own axis.
  EXPECT_EQ(groups["enet.rtt"], "1");
  EXPECT_EQ(groups["godot_mp.sync.interval"], "2");
  EXPECT_EQ(groups["godot.vector2.x"], "3");
}

}  // namespace
}  // namespace godot_codec::test
