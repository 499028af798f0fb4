// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Tables of statistics, for `-z` and the menu Statistics. A table says which columns it has, and fills in the rows;
/// CountTable is what most are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/epan/ws_compat.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {

/// One cell of a row.
using Cell = stat_tap_table_item_type;

/// A column of a table.
struct TableColumn {
  const char *title;
  const char *format;  ///< formats one cell: %s a text, %u and %d a number, %f a real
};

/// The first column of a table. The window of 4.0 writes the arrow of the order over the beginning of its title:
/// blanks.
inline constexpr TableColumn column_of_ranks = {"    Rank", "%4u"};

/// A row, with the texts that epan points to: it has to stay where it is. One that is not shown takes no values.
class TableRow {
 public:
  [[nodiscard]] bool is_shown() const { return cells_ != nullptr; }
  [[nodiscard]] const Cell *cells() const { return cells_; }
  [[nodiscard]] std::uint32_t number(std::size_t column) const;

  void set_text(std::size_t column, std::string_view text);
  /// @param text lives elsewhere, and may change there
  void point_to(std::size_t column, const char *text);
  /// Shows at most what a cell holds.
  void set_number(std::size_t column, std::uint64_t number);
  /// A real is shown as a text of as many decimals as a person reads: behind a real of epan's own, the window writes
  /// six. Blanks on the left make texts of a column sort as their numbers do.
  void set_real(std::size_t column, double number);

 private:
  friend class StatTable;
  static constexpr long long nothing = std::numeric_limits<long long>::min();
  struct Value {
    std::string text;
    long long real = nothing;  // in the last decimal's unit
  };

  Cell *cells_ = nullptr;
  std::span<const TableColumn> columns_;
  std::vector<Value> values_;
};

/// A table. epan knows it as what it begins with, and has one for all windows that show it.
class StatTable : public stat_tap_table_ui {
 public:
  /// @param option what stands behind -z @param tap whose packets the table takes
  StatTable(const char *title, const char *option, std::vector<TableColumn> columns, const char *tap = frame_tap);
  StatTable(const StatTable &) = delete;
  StatTable &operator=(const StatTable &) = delete;

  void register_table();

 protected:
  ~StatTable() = default;
  /// Takes what the tap tells of a packet.
  virtual void take(packet_info *pinfo, const void *data) = 0;
  /// Begins anew: no row of before is there any more.
  virtual void forget() = 0;
  /// Adds what an empty table shows.
  virtual void begin() {}

  /// Shows a row, with empty texts and zeros; nothing of it where there is no memory.
  void show(TableRow &row);
  /// Shows a row in the place of another, which is shown no more.
  void show_instead(TableRow &row, TableRow &other);
  /// Puts the rows in another order. Each place keeps its memory: a window that was drawn before goes on reading it.
  /// @param rows all of them; those that are not shown are passed over
  void reorder(const std::vector<TableRow *> &rows);
  /// All rows, in their order.
  [[nodiscard]] std::vector<const Cell *> all_rows() const;

 private:
  static void init(stat_tap_table_ui *ui);
  static void reset(stat_tap_table *table);
  void begin_row(TableRow &row, Cell *cells) const;
  static tap_packet_status on_packet(void *tap_data, packet_info *pinfo, epan_dissect_t *edt, const void *data,
                                     tap_flags_t flags);

  std::vector<TableColumn> columns_;
  std::vector<stat_tap_table_item> items_;
  tap_param filter_;
  stat_tap_table *table_ = nullptr;
  static std::vector<StatTable *> all_tables;
};

/// The layout of a CountTable.
struct CountLayout {
  const char *title;
  const char *option;  ///< the option after -z
  /// The list of a record that is counted.
  const Counted *FrameRecord::*list;
  std::vector<const char *> names;  ///< titles of one column or two
  const char *instances = nullptr;  ///< title of the column that tells how many a row is for; null: there is none,
                                    ///< nor one for what compression has spared
  std::vector<const char *> fields = {};  ///< fields of display filters for the names; empty: no row has a filter
  bool is_numbered = false;               ///< the fields are numbers; a row with another name has no filter
};

/// Counts things by their names: how many, how many bytes on the wire, and what follows from these. The row of the most
/// bytes comes first.
class CountTable : public StatTable {
 public:
  explicit CountTable(const CountLayout &layout);

 protected:
  void take(packet_info *pinfo, const void *data) override;
  /// @param bytes on the wire @param spared by compression, in addition
  void add(const CountedName &name, double bytes, double spared, bool is_part);
  /// A frame has been counted. Shares, rates and the order are of all frames so far; in a table of very many rows they
  /// may be those of a few frames before.
  void end_frame(std::int64_t time);

 private:
  using Names = std::pair<std::string, std::string>;
  struct Row : TableRow {
    std::set<std::string, std::less<>> instances;
    std::uint32_t count = 0;
    double bytes = 0;
    double spared = 0;
    double largest = 0;
  };

  void forget() override;
  Row &row_of(const CountedName &name);
  void flag_twice_replicated(const char *property);
  [[nodiscard]] std::string filter_of(const Names &names) const;
  void refresh();

  CountLayout layout_;
  std::size_t first_number_;  // column
  std::map<Names, Row> rows_;
  std::vector<Row *> order_;
  std::size_t instance_count_ = 0;
  double total_ = 0;
  std::size_t stale_ = 0;  ///< frames since the last refresh
  bool has_time_ = false;
  std::int64_t first_time_ = 0;
  std::int64_t last_time_ = 0;
};

/// A text as a display filter writes it.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace godot_plugin
