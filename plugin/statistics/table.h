// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Tables of statistics, for `-z` and the menu Statistics: what names them, and those that count.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// One cell of a row.
using Cell = stat_tap_table_item_type;

/// A table of frames. epan knows it as what it begins with, and has one for all windows that show it.
class StatTable : public stat_tap_table_ui {
 public:
  using Columns = std::vector<stat_tap_table_item>;

  /// @param option what stands behind -z
  StatTable(const char *title, const char *option, Columns columns, tap_packet_cb on_frame);
  StatTable(const StatTable &) = delete;
  StatTable &operator=(const StatTable &) = delete;

  void register_table();
  /// Whose packet callback was called.
  static StatTable &of(void *tap_data);

 protected:
  ~StatTable() = default;
  /// Adds a row. @returns its cells, which stay where they are
  Cell *add_row(const std::vector<Cell> &cells);
  /// Takes the newest row away.
  void remove_last_row();
  /// Puts the newest row before so many of the others.
  void move_last_row_up(std::size_t rows);
  /// Begins anew: no row of before is there any more.
  virtual void forget() = 0;
  /// Adds what an empty table shows.
  virtual void begin() {}

 private:
  static void init(stat_tap_table_ui *ui);
  static void reset(stat_tap_table *table);

  Columns columns_;
  tap_param filter_;
  stat_tap_table *table_ = nullptr;
  static std::vector<StatTable *> all_tables;
};

/// Counts things by their names: how many, how many bytes, and what follows from these.
class CountTable final : public StatTable {
 public:
  /// @param names titles of one column or two
  CountTable(const char *title, const char *option, const std::vector<const char *> &names, tap_packet_cb on_frame);

  /// @param second_name null in a table of one column of names
  /// @param is_part its bytes are counted in another row, too: they add nothing to the whole
  void add(const char *name, const char *second_name, std::int64_t bytes, bool is_part = false);
  [[nodiscard]] bool has(const char *name, const char *second_name) const;
  /// Shows another second name in the row of the two names, which has to be there.
  void rename(const char *name, const char *second_name, const char *shown);
  /// A frame has been counted. Shares and rates are of all frames so far; in a table of very many rows they may be
  /// those of a few frames before.
  void end_frame(std::int64_t time);

 private:
  struct Row {
    std::string names[2];
    Cell *cells = nullptr;
    std::uint32_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t largest = 0;
  };

  void forget() override;
  Row &row_of(const char *name, const char *second_name);
  void refresh();

  std::size_t name_count_;
  std::map<std::pair<std::string, std::string>, Row> rows_;
  std::int64_t total_ = 0;
  std::size_t stale_ = 0;  ///< frames since the last refresh
  bool has_time_ = false;
  std::int64_t first_time_ = 0;
  std::int64_t last_time_ = 0;
};

[[nodiscard]] Cell text_cell(const char *text);
[[nodiscard]] Cell number_cell(std::uint32_t number);
[[nodiscard]] Cell real_cell(double number);

}  // namespace godot_plugin
