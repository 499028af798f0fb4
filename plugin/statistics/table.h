// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Tables of statistics, for `-z` and the menu Statistics: what names them, and those that count.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/epan/ws_compat.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {

/// One cell of a row.
using Cell = stat_tap_table_item_type;

/// A real of a row, as a text of as many decimals as a person reads: behind a real of epan's own, the window writes
/// six. Blanks on the left make texts of a column sort as their numbers do.
class ShownReal {
 public:
  /// @param cell of a column of texts; the text lives in here
  void show(Cell &cell, double number, int width, int decimals);

 private:
  static constexpr long long nothing = std::numeric_limits<long long>::min();

  std::array<char, 32> text_{};
  long long shown_ = nothing;  // in the last decimal's unit
};

/// The first column of a table. The window of 4.0 writes the arrow of the order over the beginning of its title:
/// blanks.
inline constexpr stat_tap_table_item column_of_ranks = {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "    Rank", "%4u"};

/// A table of frames. epan knows it as what it begins with, and has one for all windows that show it.
class StatTable : public stat_tap_table_ui {
 public:
  using Columns = std::vector<stat_tap_table_item>;

  /// @param option what stands behind -z
  StatTable(const char *title, const char *option, Columns columns, tap_packet_cb on_frame);
  StatTable(const StatTable &) = delete;
  StatTable &operator=(const StatTable &) = delete;

  void register_table();
  /// The table that a tap callback's argument belongs to.
  static StatTable &of(void *tap_data);

 protected:
  ~StatTable() = default;
  /// Adds a row. @returns its cells, which stay where they are
  Cell *add_row(const std::vector<Cell> &cells);
  /// Takes the newest row away.
  void remove_last_row();
  /// Puts the rows in another order: all of them, by their cells.
  void reorder(const std::vector<Cell *> &rows);
  /// All rows, in their order.
  [[nodiscard]] std::vector<const Cell *> all_rows() const;
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

/// The layout of a CountTable.
struct CountLayout {
  const char *title;
  const char *option;               ///< the option after -z
  std::vector<const char *> names;  ///< titles of one column or two
  const char *instances = nullptr;  ///< title of the column that tells how many a row is for; null: there is none, nor
                                    ///< one for what compression has spared
  std::vector<const char *> fields = {};  ///< fields of display filters for the names; empty: no row has a filter
  bool is_numbered = false;               ///< the fields are numbers; a row with another name has no filter
};

/// Counts things by their names: how many, how many bytes on the wire, and what follows from these. The row of the most
/// bytes comes first.
class CountTable final : public StatTable {
 public:
  CountTable(const CountLayout &layout, tap_packet_cb on_frame);

  /// @param bytes on the wire @param spared by compression, in addition
  void add(const CountedName &name, double bytes, double spared, bool is_part);
  [[nodiscard]] bool has(const char *key, const char *second) const;
  /// Shows another second name in the row of the two names, which has to be there.
  void rename(const char *key, const char *second, const char *shown);
  /// A frame has been counted. Shares, rates and the order are of all frames so far; in a table of very many rows they
  /// may be those of a few frames before.
  void end_frame(std::int64_t time);

 private:
  static constexpr std::size_t real_count = 6;
  struct Row {
    std::string names[2];
    std::string filter;
    std::array<ShownReal, real_count> reals;
    std::set<std::string, std::less<>> instances;
    Cell *cells = nullptr;  // null: it is not shown
    std::uint32_t count = 0;
    double bytes = 0;
    double spared = 0;
    double largest = 0;
  };

  void forget() override;
  Row &row_of(const CountedName &name);
  void show(Row &row);
  void count(Row &row, double bytes, double spared) const;
  [[nodiscard]] std::string filter_of(const Row &row) const;
  void refresh();

  CountLayout layout_;
  std::size_t first_number_;  // column
  std::map<std::pair<std::string, std::string>, Row> rows_;
  std::vector<Row *> order_;
  std::vector<Cell *> shown_;
  std::size_t instance_count_ = 0;
  double total_ = 0;
  std::size_t stale_ = 0;  ///< frames since the last refresh
  bool has_time_ = false;
  std::int64_t first_time_ = 0;
  std::int64_t last_time_ = 0;
};

[[nodiscard]] Cell text_cell(const char *text);
[[nodiscard]] Cell number_cell(std::uint32_t number);

}  // namespace godot_plugin
