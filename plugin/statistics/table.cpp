// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/table.h"

#include <algorithm>
#include <utility>

#include "godot-codec/core/moment.h"
#include "plugin/epan/internals.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

// Names beyond so many are one row: nobody reads more, and whoever sends them chooses how many there are.
constexpr std::size_t max_rows = 50'000;
constexpr const char *all_others = "(all others)";
// Rows that are refreshed with each frame; of more, all of them once in so many frames.
constexpr std::size_t refreshed_rows = 512;

// Behind the names.
enum NumberColumn : std::uint8_t { count_column, bytes_column, share_column, mean_column, largest_column, rate_column };

StatTable::Columns columns_of(const std::vector<const char *> &names) {
  StatTable::Columns columns;
  for (const char *name : names) columns.push_back({TABLE_ITEM_STRING, TAP_ALIGN_LEFT, name, "%-36s"});
  columns.push_back({TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%8u"});
  columns.push_back({TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Bytes", "%12.0f"});
  columns.push_back({TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Share (%)", "%7.2f"});
  columns.push_back({TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Mean", "%9.1f"});
  columns.push_back({TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Largest", "%9.0f"});
  columns.push_back({TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Bytes/s", "%11.1f"});
  return columns;
}

}  // namespace

Cell text_cell(const char *text) {
  Cell cell{};
  cell.type = TABLE_ITEM_STRING;
  cell.value.string_value = text;
  return cell;
}

Cell number_cell(std::uint32_t number) {
  Cell cell{};
  cell.type = TABLE_ITEM_UINT;
  cell.value.uint_value = number;
  return cell;
}

Cell real_cell(double number) {
  Cell cell{};
  cell.type = TABLE_ITEM_FLOAT;
  cell.value.float_value = number;
  return cell;
}

// ---- any table

std::vector<StatTable *> StatTable::all_tables;

StatTable::StatTable(const char *title_of_table, const char *option, Columns columns, tap_packet_cb on_frame)
    : stat_tap_table_ui{}, columns_(std::move(columns)), filter_{PARAM_FILTER, "filter", "Filter", nullptr, true} {
  group = REGISTER_PACKET_STAT_GROUP_UNSORTED;
  title = title_of_table;
  tap_name = frame_tap;
  cli_string = option;
  stat_tap_init_cb = init;
  packet_func = on_frame;
  stat_tap_reset_table_cb = reset;
  nfields = columns_.size();
  fields = columns_.data();
  nparams = 1;
  params = &filter_;
}

void StatTable::register_table() {
  all_tables.push_back(this);
  register_stat_tap_table_ui(this);
}

StatTable &StatTable::of(void *tap_data) {
  return static_cast<StatTable &>(*static_cast<stat_data_t *>(tap_data)->stat_tap_data);
}

Cell *StatTable::add_row(const std::vector<Cell> &cells) {
  const unsigned row = table_->num_elements;
  stat_tap_init_table_row(table_, row, static_cast<unsigned>(cells.size()), cells.data());
  return stat_tap_get_field_data(table_, row, 0);
}

void StatTable::remove_last_row() { godot_plugin::remove_last_row(table_); }

void StatTable::move_last_row_up(std::size_t rows) { godot_plugin::move_last_row_up(table_, rows); }

void StatTable::init(stat_tap_table_ui *ui) {
  auto &table = static_cast<StatTable &>(*ui);
  stat_tap_table *known = stat_tap_find_table(ui, ui->title);
  if (known != nullptr) return reset(known);
  table.forget();
  table.table_ = stat_tap_init_table(ui->title, static_cast<int>(ui->nfields), 0, nullptr);
  stat_tap_add_table(ui, table.table_);
  table.begin();
}

void StatTable::reset(stat_tap_table *table) {
  const auto whose = std::ranges::find(all_tables, table, &StatTable::table_);
  if (whose == all_tables.end()) return;
  remove_rows(table);
  (*whose)->forget();
  (*whose)->begin();
}

// ---- one that counts

CountTable::CountTable(const char *title_of_table, const char *option, const std::vector<const char *> &names,
                       tap_packet_cb on_frame)
    : StatTable(title_of_table, option, columns_of(names), on_frame), name_count_(names.size()) {}

void CountTable::forget() {
  rows_.clear();
  total_ = 0;
  stale_ = 0;
  has_time_ = false;
}

CountTable::Row &CountTable::row_of(const char *name, const char *second_name) {
  std::pair<std::string, std::string> key{name, second_name == nullptr ? "" : second_name};
  const auto known = rows_.find(key);
  if (known != rows_.end()) return known->second;
  if (rows_.size() >= max_rows) key = {all_others, ""};
  Row &row = rows_[key];
  if (row.cells != nullptr) return row;
  row.names[0] = key.first;
  row.names[1] = key.second;
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < name_count_; ++i) cells.push_back(text_cell(row.names[i].c_str()));
  cells.push_back(number_cell(0));
  for (unsigned i = bytes_column; i <= rate_column; ++i) cells.push_back(real_cell(0));
  row.cells = add_row(cells);
  return row;
}

bool CountTable::has(const char *name, const char *second_name) const { return rows_.contains({name, second_name}); }

void CountTable::rename(const char *name, const char *second_name, const char *shown) {
  Row &row = rows_.at({name, second_name});
  if (row.names[1] == shown) return;
  row.names[1] = shown;
  row.cells[1].value.string_value = row.names[1].c_str();
}

void CountTable::add(const char *name, const char *second_name, std::int64_t bytes, bool is_part) {
  Row &row = row_of(name, second_name);
  row.largest = row.count == 0 ? bytes : std::max(row.largest, bytes);
  ++row.count;
  row.bytes += bytes;
  if (!is_part) total_ += bytes;
  Cell *numbers = row.cells + name_count_;
  numbers[count_column].value.uint_value = row.count;
  numbers[bytes_column].value.float_value = static_cast<double>(row.bytes);
  numbers[mean_column].value.float_value = static_cast<double>(row.bytes) / row.count;
  numbers[largest_column].value.float_value = static_cast<double>(row.largest);
}

void CountTable::end_frame(std::int64_t time) {
  if (!has_time_) first_time_ = last_time_ = time;
  has_time_ = true;
  first_time_ = std::min(first_time_, time);
  last_time_ = std::max(last_time_, time);
  if (++stale_ > rows_.size() / refreshed_rows) refresh();
}

void CountTable::refresh() {
  stale_ = 0;
  const double seconds =
      static_cast<double>(godot_codec::elapsed(first_time_, last_time_)) / godot_codec::nanoseconds_per_second;
  const auto total = static_cast<double>(total_);
  for (auto &[names, row] : rows_) {
    Cell *numbers = row.cells + name_count_;
    const auto bytes = static_cast<double>(row.bytes);
    numbers[share_column].value.float_value = total == 0 ? 0 : 100 * bytes / total;
    numbers[rate_column].value.float_value = seconds > 0 ? bytes / seconds : 0;
  }
}

}  // namespace godot_plugin
