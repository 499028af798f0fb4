// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Reads the tables that tshark prints for a capture, and values to compare them with.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tshark.h"

namespace godot_codec::test {

inline const std::filesystem::path captures = GODOT_CAPTURES_DIR;
inline const std::filesystem::path projects = std::filesystem::path(GODOT_TESTS_DIR) / "projects";
inline const std::filesystem::path variants = std::filesystem::path(GODOT_TESTS_DIR) / "../scripts/variants";

/// A capture of the folder captures.
inline std::filesystem::path capture(const std::string &name) { return captures / (name + ".pcapng"); }

/// A capture of the folder tests/data. @param name without its extension if that is pcapng
inline std::filesystem::path data(const std::string &name) {
  const std::filesystem::path path = std::filesystem::path(GODOT_TESTS_DIR) / "data" / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path(path.string() + ".pcapng");
}

/// The option that sets the project folder.
inline Texts with_project(const std::filesystem::path &folder) { return {"-o", "godot_mp.project:" + folder.string()}; }

/// The Info column of each frame that passes the options' filter.
inline Texts infos(const std::filesystem::path &capture, const Texts &options) {
  Texts texts;
  for (const Texts &row : read_fields(capture, options, {"_ws.col.Info"})) texts.push_back(row[0]);
  return texts;
}

/// How many frames pass a filter.
inline std::size_t count(const std::filesystem::path &capture, const std::string &filter, const Texts &options = {}) {
  return read_fields(capture, Texts{"-Y", filter} + options, {"frame.number"}).size();
}

inline std::string trimmed(const std::string &text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// Returns the names of the plugin's tables, for `-z`.
inline const Texts &all_tables() {
  static const Texts tables = [] {
    const Output help = run(TSHARK, {"-z", "help"});
    Texts names;
    for (const std::string &line : lines_of(help.out + help.err)) {
      const std::string name = trimmed(line);
      const bool is_ours = name.starts_with("godot") || name == "enet,connections";
      if (is_ours && name != "godot,page") names.push_back(name);
    }
    EXPECT_GE(names.size(), 11U) << help.err;
    return names;
  }();
  return tables;
}

/// The cells of a row, by column title.
using TableRow = std::map<std::string, std::string>;

/// Returns the rows of a table of `-z`.
inline std::vector<TableRow> read_table(const std::filesystem::path &path, const std::string &option,
                                        const Texts &more = {}) {
  std::vector<TableRow> rows;
  Texts titles;
  for (const std::string &line : lines_of(tshark(path, more + Texts{"-q", "-z", option}))) {
    Texts cells;
    for (const std::string &cell : split(line, '|')) cells.push_back(trimmed(cell));
    if (cells.size() < 4) continue;
    if (titles.empty()) {
      titles = cells;
      continue;
    }
    TableRow row;
    for (std::size_t i = 0; i < std::min(titles.size(), cells.size()); ++i) row[titles[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

/// Returns the table of problems after two passes. @param filter the filter of the table
inline std::vector<TableRow> problems_of(const std::filesystem::path &path, const Texts &more = {},
                                         const std::string &filter = "") {
  return read_table(path, "godot,problems" + (filter.empty() ? "" : "," + filter), Texts{"-2"} + more);
}

/// Returns a cell of the row as a number.
inline double number(const TableRow &row, const std::string &title) { return std::stod(row.at(title)); }

inline std::map<std::string, double> by_name(const std::vector<TableRow> &rows, const std::string &name,
                                             const std::string &number_title) {
  std::map<std::string, double> numbers;
  for (const TableRow &row : rows) numbers[row.at(name)] += number(row, number_title);
  return numbers;
}

inline double sum_of(const std::vector<TableRow> &rows, const std::string &title) {
  double sum = 0;
  for (const TableRow &row : rows) sum += number(row, title);
  return sum;
}

/// Splits the values of a field in one frame.
inline Texts occurrences(const std::string &field) {
  return field.empty() ? Texts{} : split(field, between_occurrences);
}

}  // namespace godot_codec::test
