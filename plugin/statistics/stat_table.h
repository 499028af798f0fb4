// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Tables of statistics, for `-z` and the Statistics menu. A table declares its columns and fills in the rows. Most
/// tables are CountTables.
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
#include "plugin/statistics/frame_record.h"

namespace godot_plugin {

using Cell = stat_tap_table_item_type;

struct TableColumn {
  const char *title;
  const char *format;  ///< formats one cell: %s for text, %u and %d for a number, %f for a real
};

/// The first column of a table. Its title begins with spaces, because Wireshark 4.0 draws the sort arrow over them.
inline constexpr TableColumn column_of_ranks = {"    Rank", "%4u"};

/// A row and its texts. epan has pointers to the texts, so a row must not move. Values of a hidden row are ignored.
class TableRow {
 public:
  [[nodiscard]] bool is_shown() const { return cells_ != nullptr; }
  [[nodiscard]] const Cell *cells() const { return cells_; }
  [[nodiscard]] std::uint32_t number(std::size_t column) const;

  void set_text(std::size_t column, std::string_view text);
  /// Sets a text without copying it. @param text must outlive the row; its content may change
  void set_borrowed_text(std::size_t column, const char *text);
  /// Sets a number, clipped to the largest number that a cell can hold.
  void set_number(std::size_t column, std::uint64_t number);
  /// Sets a real number as text, with the decimals of the column's format, because the window shows real cells with six
  /// decimals. The text is padded on the left, so that the column sorts by value.
  void set_real(std::size_t column, double number);

 private:
  friend class StatTable;
  static constexpr long long no_real = std::numeric_limits<long long>::min();
  struct CellCache {
    std::string text;
    long long scaled_real = no_real;  // in units of the last decimal place
  };

  Cell *cells_ = nullptr;
  std::span<const TableColumn> columns_;
  std::vector<CellCache> cell_caches_;
};

/// A table. The base class is the struct that epan registers. All windows share one table. Each table is a variable at
/// namespace scope, in the file that counts the table's items.
class StatTable : public stat_tap_table_ui {
 public:
  /// @param option the argument of tshark's -z
  /// @param tap the tap that feeds the table
  StatTable(const char *title, const char *option, std::vector<TableColumn> columns, const char *tap = frame_tap);
  StatTable(const StatTable &) = delete;
  StatTable &operator=(const StatTable &) = delete;

  /// Registers all tables that exist so far.
  static void register_all();
  /// Returns the table with an option; null if there is none.
  [[nodiscard]] static const StatTable *find(std::string_view option);

 protected:
  ~StatTable() = default;
  /// Processes the tap's data about a packet.
  virtual void process(packet_info *pinfo, const void *data) = 0;
  /// Discards all rows.
  virtual void discard_rows() = 0;
  /// Adds the rows of an empty table.
  virtual void add_initial_rows() {}

  /// Shows a row with empty texts and zeros. Throws if memory runs out; the row is then not shown.
  void show(TableRow &row);
  /// Shows a row in place of another row, which is then no longer shown.
  void replace_shown_row(TableRow &row, TableRow &other);
  /// Sorts the rows. Moves only the contents of cells, because a window may still read the memory of each position.
  /// @param rows all rows; rows that are not shown are skipped
  void reorder(const std::vector<TableRow *> &rows);

 private:
  static void init(stat_tap_table_ui *ui);
  static void reset(stat_tap_table *table);
  void init_row_cells(TableRow &row, Cell *cells) const;
  static tap_packet_status on_packet(void *tap_data, packet_info *pinfo, epan_dissect_t *edt, const void *data,
                                     tap_flags_t flags);

  std::vector<TableColumn> columns_;
  std::vector<stat_tap_table_item> column_items_;
  tap_param filter_param_;
  stat_tap_table *table_ = nullptr;
  static std::vector<StatTable *> &all_tables();
};

/// The layout of a CountTable.
struct CountTableLayout {
  const char *title;
  const char *option;                     ///< option after -z
  std::vector<const char *> name_titles;  ///< titles of one or two columns of names
  const char *instances_title = nullptr;  ///< title of the column that counts instances; null: omit this column and the
                                          ///< column of bytes saved by compression
  std::vector<const char *> filter_fields =
      {};  ///< fields for the rows' display filters, one per column of names; empty: no filters
  bool has_numeric_fields =
      false;  ///< true if the fields are numeric. A row then has a filter only if its name is a number
};

/// Counts the items that count_in() reports, by name: the count, the bytes on the wire, and derived values. Rows are
/// sorted by bytes, descending.
class CountTable : public StatTable {
 public:
  explicit CountTable(const CountTableLayout &layout);

 protected:
  void process(packet_info *pinfo, const void *data) override;
  /// @param bytes size on the wire
  /// @param saved_bytes bytes that compression saved, which @p bytes does not include
  void add(const CountedName &name, double bytes, double saved_bytes, bool is_nested);
  /// Ends a frame. Updates shares, rates and order from all frames so far. A very long table is updated only every few
  /// frames.
  void end_frame(std::int64_t time);

 private:
  using NamePair = std::pair<std::string, std::string>;
  struct Row : TableRow {
    std::set<std::string, std::less<>> instances;
    std::uint32_t count = 0;
    double bytes = 0;
    double saved_bytes = 0;
    double largest = 0;
  };

  void discard_rows() override;
  Row &row_of(const CountedName &name);
  void flag_twice_replicated(const char *property);
  [[nodiscard]] std::string filter_of(const NamePair &names) const;
  void refresh();

  CountTableLayout layout_;
  std::size_t first_number_column_;  // index of the first numeric column
  std::map<NamePair, Row> rows_;
  std::vector<Row *> sorted_rows_;
  std::size_t instance_count_ = 0;
  double total_bytes_ = 0;
  std::size_t stale_frame_count_ = 0;  ///< number of frames since the last refresh
  bool has_time_ = false;
  std::int64_t first_time_ = 0;
  std::int64_t last_time_ = 0;
};

/// Registers the taps and all tables.
void register_statistics();

}  // namespace godot_plugin
