// SPDX-License-Identifier: GPL-2.0-or-later
// The tables and the match page of each capture equal the recorded ones, and agree with each other. After an intended
// change, GODOT_RECORD=1 plugin_tests --gtest_filter='Recorded*' writes tests/recorded again; review its diff.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "page_data.h"
#include "pcap.h"
#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path recorded = fs::path(GODOT_TESTS_DIR) / "recorded";

// The output for a capture after two passes.
struct CaptureOutput {
  std::map<std::string, std::vector<TableRow>> tables;  // by their first three column titles
  PageData page;
  std::map<std::string, std::string> list;  // for each frame that the plugin decodes, its Info column
};

CaptureOutput read_all(const fs::path &capture, const Texts &options = {}) {
  const fs::path page = scratch_folder() / "recorded.html";
  Texts asked = options + Texts{"-2", "-T", "fields", "-z", "godot,page," + page.string()};
  for (const char *field : {"frame.number", "_ws.col.Protocol", "_ws.col.Info"}) asked = asked + Texts{"-e", field};
  for (const std::string &each : all_tables()) asked = asked + Texts{"-z", each};
  CaptureOutput outputs;
  std::string about;
  Texts titles;
  bool is_list = true;
  for (const std::string &line : lines_of(tshark(capture, asked))) {
    if (line.starts_with("===")) {
      titles.clear();
      is_list = false;
    }
    Texts cells = split(line, is_list ? '\t' : '|');
    if (is_list) {
      const bool is_ours = cells.size() == 3 && (cells[1].starts_with("Godot") || cells[1] == "ENet");
      if (is_ours) outputs.list[cells[0]] = cells[2];
      continue;
    }
    for (std::string &cell : cells) cell = trimmed(cell);
    if (cells.size() < 4) continue;
    if (titles.empty()) {
      titles = cells;
      about = cells[0] + " " + cells[1] + " " + cells[2];
      outputs.tables[about];
    } else {
      TableRow &row = outputs.tables[about].emplace_back();
      for (std::size_t i = 0; i < std::min(titles.size(), cells.size()); ++i) row[titles[i]] = cells[i];
    }
  }
  outputs.page = read_page(page);
  fs::remove(page);
  return outputs;
}

std::vector<fs::path> all_captures() {
  std::vector<fs::path> paths;
  const fs::path tests = GODOT_TESTS_DIR;
  for (const fs::path &folder :
       {fs::path(GODOT_CAPTURES_DIR), tests / "data", tests / "projects", tests / "page/states"}) {
    for (const auto &entry : fs::directory_iterator(folder)) {
      if (entry.path().extension().string().starts_with(".pcap")) paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

// ---- recording

std::string checksum(const std::string &text) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08lx",
                crc32(0, reinterpret_cast<const Bytef *>(text.data()), static_cast<uInt>(text.size())));
  return digits;
}

std::string checksum_of(const std::vector<TableRow> &rows) {
  std::string all;
  for (const TableRow &row : rows) {
    for (const auto &[title, cell] : row) all += title + "=" + cell + "|";
    all += "\n";
  }
  return checksum(all);
}

std::string checksum_of(const PageData &page) {
  std::string all;
  for (const auto &[name, bytes] : page.bytes) all += name + bytes;
  for (const Json &each : page.head.at("connections").items) {
    for (const char *name : {"client", "server", "began", "ready", "last", "ended"}) all += each.at(name).text + ",";
  }
  for (const Json &each : page.head.at("peers").items)
    all += each.at("id").text + each.at("endpoint").text + each.at("first").text + "-" + each.at("last").text;
  return checksum(all);
}

std::string checksum_of(const std::map<std::string, std::string> &list) {
  std::string all;
  for (const auto &[frame, info] : list) all += frame + info + "\n";
  return checksum(all);
}

// A file of tests/recorded.
class Recording {
 public:
  explicit Recording(const std::string &name) : path_(recorded / name) {}

  void add(const std::string &line) { text_ += line + "\n"; }
  void compare() const {
    // The rows are recorded with Wireshark 4.0: later releases decode more of other protocols. The other checks of
    // these tests hold with each release.
    if (WIRESHARK_RELEASE != 40) return;
    if (std::getenv("GODOT_RECORD") != nullptr) {
      std::ofstream(path_, std::ios::binary) << text_;
      return;
    }
    const Texts wanted = lines_of(read_file(path_));
    const Texts found = lines_of(text_);
    std::string differences;
    for (const auto &[one, other, what] : {std::tuple(&found, &wanted, "+ "), {&wanted, &found, "- "}}) {
      const std::set<std::string> known(other->begin(), other->end());
      for (const std::string &line : *one) differences += known.contains(line) ? "" : what + line + "\n";
    }
    EXPECT_EQ(differences, "") << path_ << ": is it meant to change?";
    EXPECT_EQ(found.size(), wanted.size()) << path_;
  }

 private:
  fs::path path_;
  std::string text_;
};

// ---- filters of rows

void expect_filters_are_exact(const fs::path &capture, const Json &problems) {
  for (const Json &row : problems.items) {
    const std::string &filter = row.at("filter").text;
    std::set<std::string> wanted;
    for (const Json &frame : row.at("frames").items) wanted.insert(frame.text);
    // Refused TCP connections may not belong to a game.
    if (wanted.empty()) wanted = {row.at("first").text, row.at("last").text};
    std::set<std::string> found;
    for (const Texts &frame : read_fields(capture, {"-2", "-Y", filter}, {"frame.number"})) found.insert(frame[0]);
    EXPECT_EQ(found, wanted) << capture << filter;
  }
}

// ---- the packet list

// Without a filter or a field, epan builds no tree, so the plugin does not search values for NaN.
void expect_same_without_details(const fs::path &capture, const CaptureOutput &outputs) {
  for (const std::string &line : lines_of(tshark(capture, {"-2", "-T", "tabs"}))) {
    const Texts columns = split(line, '\t');  // number, time, source, destination, protocol, length, Info
    const auto frame = outputs.list.find(trimmed(columns[0]));
    if (frame == outputs.list.end() || frame->second.find(" [NaN]") != std::string::npos) continue;
    EXPECT_EQ(columns.back(), frame->second) << capture;
  }
}

// ---- the page and the tables

// Count, sum and maximum of each row, with the name of the row.
using Sums = std::multiset<std::tuple<std::string, double, double, double>>;

Sums sums_of_table(const std::vector<TableRow> &rows, const std::string &name) {
  Sums sums;
  for (const TableRow &row : rows) {
    if (row.at("Count") != "0")
      sums.insert({row.at(name), number(row, "Count"), number(row, "Bytes"), number(row, "Largest")});
  }
  return sums;
}

Sums sums_of_page(const PageData &page, double table) {
  std::map<double, std::array<double, 3>> rows;
  for (std::size_t i = 0; i < page["count.row"].size(); ++i) {
    auto &[count, sum, most] = rows[page["count.row"][i]];
    ++count;
    sum += page["count.bytes"][i];
    most = std::max(most, page["count.bytes"][i]);
  }
  Sums sums;
  for (const auto &[row, numbers] : rows) {
    const auto i = static_cast<std::size_t>(row);
    if (page["row.table"][i] == table)
      sums.insert({page.text(page["row.name"][i]), numbers[0], numbers[1], numbers[2]});
  }
  return sums;
}

void expect_page_counts_as_tables(const CaptureOutput &outputs) {
  // Where the page shows bytes, it subtracts the bytes that compression saves.
  const bool is_compressed = std::ranges::any_of(outputs.page["frame.unpacked"], [](double size) { return size > 0; });
  const auto comparable = [&](const Sums &sums) {
    Sums same;
    for (const auto &[name, count, sum, most] : sums) {
      same.insert(is_compressed ? std::tuple(name, count, 0.0, 0.0) : std::tuple(name, count, sum, most));
    }
    return same;
  };
  double table = 0;
  for (const char *about :
       {"Rank Call Nodes", "Rank Object Message", "Rank From To", "Rank Message Ways", "Rank Message Count"}) {
    EXPECT_EQ(comparable(sums_of_page(outputs.page, table++)),
              comparable(sums_of_table(outputs.tables.at(about), split(about, ' ')[1])))
        << about;
  }
  std::map<std::string, std::pair<double, double>> costs;
  for (std::size_t i = 0; i < outputs.page["cost.what"].size(); ++i) {
    auto &[count, sum] =
        costs[outputs.page.head.at("costs").items.at(static_cast<std::size_t>(outputs.page["cost.what"][i])).text];
    ++count;
    sum += outputs.page["cost.bytes"][i];
  }
  std::map<std::string, std::pair<double, double>> wanted;
  for (const TableRow &row : outputs.tables.at("Rank Bytes of Count"))
    wanted[row.at("Bytes of")] = {number(row, "Count"), number(row, "Bytes")};
  EXPECT_EQ(costs, wanted);
}

void expect_page_has_problems_of_table(const CaptureOutput &outputs) {
  Rows wanted;
  for (const TableRow &row : outputs.tables.at("Rank Count First frame")) {
    if (row.at("Count") != "0")
      wanted.push_back({row.at("Problem"), row.at("From"), row.at("To"), row.at("Count"), row.at("First frame"),
                        row.at("Last frame"), row.at("Display filter"), row.at("What to do")});
  }
  Rows found;
  for (const Json &row : outputs.page.head.at("problems").items) {
    found.push_back({row.at("words").text, row.at("from").text, row.at("to").text, row.at("count").text,
                     row.at("first").text, row.at("last").text, row.at("filter").text, row.at("advice").text});
  }
  EXPECT_EQ(found, wanted);
}

const fs::path source = fs::path(GODOT_TESTS_DIR).parent_path();

// Captures that the test also reads with a project folder.
const std::pair<const char *, const char *> with_projects[] = {
    {"captures/mp_rpc_godot4.6", "captures/projects/godot4"},
    {"captures/mp_spawn_godot4.6", "captures/projects/godot4"},
    {"data/authority_chat", "tests/projects/chat"},
    {"data/g3_no_function", "scripts/variants/game3"},
    {"data/g3_rset", "scripts/variants/game3"},
    {"data/g3_type", "scripts/variants/game3"},
    {"data/others_folder", "scripts/variants/game"},
    {"data/own_nobody", "scripts/variants/game"},
    {"data/renamed_node", "scripts/variants/game"},
    {"data/unlisted_scene", "scripts/variants/game"},
    {"data/wrong_type", "scripts/variants/game"},
    {"projects/arena", "tests/projects/arena"},
    {"projects/arena_versions", "tests/projects/arena"},
    {"projects/changing", "tests/projects/changing"},
    {"projects/crowd", "tests/projects/crowd"},
    {"projects/damage", "tests/projects/damage"},
    {"projects/party", "tests/projects/party"},
    {"projects/pong", "tests/projects/pong"},
    {"projects/session", "tests/projects/session"},
};

// Count, frames, ends, filter, text and advice of a row, and the Info column of its first frame.
std::string row_text(const TableRow &row, const CaptureOutput &outputs) {
  std::string text = row.at("Count") + " in " + row.at("First frame") + ".." + row.at("Last frame") + ", " +
                     row.at("From") + " > " + row.at("To") + ": " + row.at("Display filter");
  const auto info = outputs.list.find(row.at("First frame"));
  for (const std::string &each :
       {row.at("Problem"), row.at("What to do"), info == outputs.list.end() ? "" : info->second}) {
    text += " | " + each;
  }
  // tshark reads a copy.
  return std::regex_replace(text, std::regex("folder is /\\S*/"), "folder is …/");
}

void check_and_record(const std::string &name, const CaptureOutput &outputs, Recording &recording) {
  SCOPED_TRACE(name);
  expect_page_counts_as_tables(outputs);
  expect_page_has_problems_of_table(outputs);
  for (const auto &[about, rows] : outputs.tables) {
    // Records the end of each connection as text, not as a checksum, so that a reviewer can read it.
    for (const TableRow &row : rows) {
      if (row.contains("End"))
        recording.add(name + ": end of " + row.at(row.contains("From") ? "From" : "Client") + ": " + row.at("End"));
    }
    const bool is_of_problems = about == "Rank Count First frame";
    if (!is_of_problems && !rows.empty()) recording.add(name + ": " + about + " " + checksum_of(rows));
  }
  recording.add(name + ": page " + checksum_of(outputs.page));
  recording.add(name + ": list " + checksum_of(outputs.list));
  for (const TableRow &row : outputs.tables.at("Rank Count First frame"))
    recording.add(name + ": " + row_text(row, outputs));
}

TEST(RecordedOutput, TablesAndMatchPageOfEachCaptureAreUnchanged) {
  Recording captures("captures.txt");
  for (const fs::path &capture : all_captures()) {
    const std::string name = capture.parent_path().filename().string() + "/" + capture.stem().string();
    const CaptureOutput outputs = read_all(capture);
    check_and_record(name, outputs, captures);
    expect_same_without_details(capture, outputs);
    expect_filters_are_exact(capture, outputs.page.head.at("problems"));
    for (const auto &[other, project] : with_projects) {
      if (name != other) continue;
      const CaptureOutput named = read_all(capture, {"-o", "godot_mp.project:" + (source / project).string()});
      check_and_record(name + " with " + fs::path(project).filename().string(), named, captures);
    }
  }
  captures.compare();
}

// Severity and group of each expert item, and the default values of the preferences.
TEST(RecordedOutput, ExpertItemsAndPreferencesAreUnchanged) {
  Recording items("items.txt");
  Texts lines;
  {
    const Variables variables({{"LD_PRELOAD", std::string(LIST_EXPERTS)}});
    const Output output = run(TSHARK, {"-G", "defaultprefs"});
    EXPECT_EQ(output.status, 0) << output.err;
    for (const std::string &line : lines_of(output.err)) {
      if (line.starts_with("expert ")) lines.push_back(line.substr(7));
    }
    for (const std::string &line : lines_of(output.out)) {
      const bool is_ours = line.starts_with("#godot") || line.starts_with("#enet");
      if (is_ours) lines.push_back("preference " + line.substr(1));
    }
  }
  std::ranges::sort(lines);
  EXPECT_GT(lines.size(), 50U);
  for (const std::string &line : lines) items.add(line);
  items.compare();
}

// ---- the page and the packets

TEST(MatchPage, TimesMatchTheFrames) {
  // The second frame gets the time of the first frame, and the first frame is moved to the end, as in merged files.
  const std::string text = read_file(saved(pcap_of(capture("mp_rpc_godot4.6"))));
  std::vector<std::string> records;
  for (std::size_t at = 24; at < text.size(); at += records.back().size())
    records.push_back(text.substr(at, 16 + read_u32(text, at + 8)));
  const fs::path merged = scratch_folder() / "merged.pcap";
  std::ofstream file(merged, std::ios::binary);
  file << text.substr(0, 24) << little_endian(1'700'000'003U) << records[0].substr(4);
  for (std::size_t i = 1; i < records.size(); ++i) file << records[i];
  file.close();
  const PageData page = read_all(merged).page;
  const Rows frames = read_fields(merged, {}, {"frame.number", "frame.time_relative", "frame.len"});
  bool is_any_before = false;
  for (std::size_t i = 0; i < page["frame.number"].size(); ++i) {
    const Texts &frame = frames.at(static_cast<std::size_t>(page["frame.number"][i]) - 1);
    EXPECT_NEAR(page["frame.s"][i] + page["frame.ns"][i] / 1e9, std::stod(frame[1]), 1e-9) << frame[0];
    EXPECT_EQ(page["frame.size"][i], std::stod(frame[2]));
    EXPECT_LT(page["frame.ns"][i], 1e9);
    is_any_before = is_any_before || page["frame.s"][i] < 0;
  }
  EXPECT_TRUE(is_any_before);
}

// The page stores some numbers with 32 bits.
long rounded(double number) { return std::lround(static_cast<float>(number) * 100); }

// For each frame: the values of a field, and the page's facts of that kind.
TEST(MatchPage, FactsAndDelaysMatchThePackets) {
  enum Kind { round_trip, resent, missing, stall, wait };
  std::map<int, std::size_t> counts;
  for (const fs::path &path : {capture("trouble_godot4.6"), capture("enet_loss_godot4.6"), data("server_hitch"),
                               data("short_timeout"), data("waits.pcap")}) {
    const PageData page = read_all(path).page;
    const Rows frames = read_fields(path, {"-2"},
                                    {"frame.number", "enet.rtt", "enet.retransmission", "enet.sequence_gap",
                                     "enet.stall", "enet.head_of_line_delay"});
    std::map<int, std::multiset<std::pair<int, long>>> wanted;
    std::map<int, std::multiset<std::pair<int, long>>> found;
    for (const Texts &frame : frames) {
      for (int kind = round_trip; kind <= wait; ++kind) {
        for (const std::string &value : occurrences(frame[static_cast<std::size_t>(kind) + 1])) {
          const bool is_time = kind != resent && kind != missing;
          const double number = kind == resent ? 1 : std::stod(value) * (is_time ? 1e3 : 1);
          wanted[kind].insert({std::stoi(frame[0]), rounded(number)});
        }
      }
    }
    for (std::size_t i = 0; i < page["fact.kind"].size(); ++i) {
      const auto kind = static_cast<int>(page["fact.kind"][i]);
      const double frame = page["frame.number"][static_cast<std::size_t>(page["fact.frame"][i])];
      found[kind].insert({static_cast<int>(frame), rounded(page["fact.value"][i])});
    }
    for (std::size_t i = 0; i < page["waited.ms"].size(); ++i) {
      const double frame = page["message.frame"].at(static_cast<std::size_t>(page["waited.message"][i]));
      found[wait].insert(
          {static_cast<int>(page["frame.number"][static_cast<std::size_t>(frame)]), rounded(page["waited.ms"][i])});
    }
    for (int kind = round_trip; kind <= wait; ++kind) {
      // Only the first acknowledgement of a command counts. A message counts once. Therefore the page may have fewer of
      // these facts.
      if (kind == round_trip || kind == wait) {
        EXPECT_TRUE(std::ranges::includes(wanted[kind], found[kind])) << path << ", kind " << kind;
        EXPECT_GE(found[kind].size() * 2, wanted[kind].size()) << path << ", kind " << kind;
      } else {
        EXPECT_EQ(found[kind], wanted[kind]) << path << ", kind " << kind;
      }
      counts[kind] += found[kind].size();
    }
  }
  for (int kind = round_trip; kind <= wait; ++kind) EXPECT_GT(counts[kind], 0U) << kind;
}

}  // namespace
}  // namespace godot_codec::test
