// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "godot-codec/core/packet_position.h"
#include "plugin/epan/ends.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/internals.h"

namespace godot_plugin {
namespace {

// Names beyond so many are one row: nobody reads more, and whoever sends them chooses how many there are.
constexpr std::size_t max_rows = 50'000;
constexpr const char *all_others = "(all others)";
// Rows that are refreshed with each frame; where there are more, all are once in so many frames.
constexpr std::size_t refreshed_rows = 512;

// Behind the names, and the two columns of a table that counts instances.
enum NumberColumn : std::uint8_t { count_column, bytes_column, share_column, mean_column, largest_column, rate_column };
constexpr std::size_t number_count = rate_column + 1;
constexpr std::size_t rank_column = 0;

// A row's reals.
enum Real : std::uint8_t { saved_real, bytes_real, share_real, mean_real, largest_real, rate_real };
struct RealFormat {
  int width;
  int decimals;
};
// By Real.
constexpr RealFormat real_formats[] = {{9, 0}, {12, 0}, {7, 2}, {9, 1}, {9, 0}, {11, 1}};
constexpr std::size_t first_name = 1;

std::string quoted(const std::string &text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

StatTable::Columns columns_of(const CountLayout &layout) {
  // The window sorts by its first column.
  StatTable::Columns columns = {column_of_ranks};
  for (const char *name : layout.names) columns.push_back({TABLE_ITEM_STRING, TAP_ALIGN_LEFT, name, "%-36s"});
  if (layout.instances != nullptr) {
    columns.push_back({TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, layout.instances, "%5u"});
    columns.push_back({TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Saved", "%9s"});
  }
  columns.push_back({TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%8u"});
  columns.push_back({TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Bytes", "%12s"});
  columns.push_back({TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Share (%)", "%7s"});
  columns.push_back({TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Mean", "%9s"});
  columns.push_back({TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Largest", "%9s"});
  columns.push_back({TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Bytes/s", "%11s"});
  if (!layout.fields.empty()) columns.push_back({TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Display filter", "%-40s"});
  return columns;
}

void show_real(ShownReal &real, Cell &cell, double number, Real which) {
  real.show(cell, number, real_formats[which].width, real_formats[which].decimals);
}

}  // namespace

void ShownReal::show(Cell &cell, double number, int width, int decimals) {
  constexpr double most = 1e15;
  double scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  const long long scaled = std::llround(std::clamp(number, -most, most) * scale);
  cell.value.string_value = text_.data();
  if (scaled == shown_) return;
  shown_ = scaled;
  g_snprintf(text_.data(), text_.size(), "%*.*f", width, decimals, static_cast<double>(scaled) / scale);
}

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

// ---- any table

std::vector<StatTable *> StatTable::all_tables;

StatTable::StatTable(const char *title_of_table, const char *option, Columns columns, tap_packet_cb on_frame)
    : stat_tap_table_ui{}, columns_(std::move(columns)), filter_{PARAM_FILTER, "filter", "Filter", nullptr, true} {
  group = REGISTER_PACKET_STAT_GROUP_UNSORTED;
  title = title_of_table;
  tap_name = frame_tap;
  cli_string = option;
  stat_tap_init_cb = guarded<init>;
  packet_func = on_frame;
  stat_tap_reset_table_cb = guarded<reset>;
  nfields = columns_.size();
  fields = columns_.data();
  nparams = 1;
  params = &filter_;
  all_tables.push_back(this);
}

void StatTable::register_table() { register_stat_tap_table_ui(this); }

StatTable &StatTable::of(void *tap_data) {
  return static_cast<StatTable &>(*static_cast<stat_data_t *>(tap_data)->stat_tap_data);
}

Cell *StatTable::add_row(const std::vector<Cell> &cells) {
  const unsigned row = table_->num_elements;
  stat_tap_init_table_row(table_, row, static_cast<unsigned>(cells.size()), cells.data());
  return stat_tap_get_field_data(table_, row, 0);
}

void StatTable::remove_last_row() { godot_plugin::remove_last_row(table_); }

std::vector<const Cell *> StatTable::all_rows() const {
  std::vector<const Cell *> rows;
  for (unsigned row = 0; table_ != nullptr && row < table_->num_elements; ++row) {
    rows.push_back(stat_tap_get_field_data(table_, row, 0));
  }
  return rows;
}

void StatTable::reorder(const std::vector<Cell *> &rows) { godot_plugin::reorder_rows(table_, rows); }

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

CountTable::CountTable(const CountLayout &layout, tap_packet_cb on_frame)
    : StatTable(layout.title, layout.option, columns_of(layout), on_frame),
      layout_(layout),
      first_number_(first_name + layout.names.size() + (layout.instances == nullptr ? 0 : 2)) {}

void CountTable::forget() {
  rows_.clear();
  order_.clear();
  shown_.clear();
  instance_count_ = 0;
  total_ = 0;
  stale_ = 0;
  has_time_ = false;
}

void CountTable::show(Row &row) {
  std::vector<Cell> cells = {number_cell(0)};
  for (std::size_t i = 0; i < layout_.names.size(); ++i) cells.push_back(text_cell(row.names[i].c_str()));
  if (layout_.instances != nullptr) cells.insert(cells.end(), {number_cell(1), text_cell("")});
  cells.push_back(number_cell(0));
  for (unsigned i = bytes_column; i < number_count; ++i) cells.push_back(text_cell(""));
  row.filter = filter_of(row);
  if (!layout_.fields.empty()) cells.push_back(text_cell(row.filter.c_str()));
  row.cells = add_row(cells);
}

// `godot_mp.sender == 1 and godot_mp.receiver == 7`; empty where a name is no value of its field.
std::string CountTable::filter_of(const Row &row) const {
  std::string filter;
  for (std::size_t i = 0; i < layout_.fields.size(); ++i) {
    const std::string name = layout_.is_numbered && row.names[i] == server_name ? "1" : row.names[i];
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    if (is_number != layout_.is_numbered || name.starts_with('(')) return {};
    filter.append(filter.empty() ? "" : " and ").append(layout_.fields[i]).append(" == ");
    filter.append(is_number ? name : quoted(name));
  }
  return filter;
}

CountTable::Row &CountTable::row_of(const CountedName &name) {
  std::pair<std::string, std::string> key{name.key, name.second == nullptr ? "" : name.second};
  const auto known = rows_.find(key);
  if (known != rows_.end()) return known->second;
  const bool is_one_more = rows_.size() >= max_rows;
  if (is_one_more) key = {all_others, ""};
  Row &row = rows_[key];
  if (row.cells != nullptr) return row;
  row.names[0] = is_one_more || name.shown == nullptr ? key.first : name.shown;
  row.names[1] = key.second;
  show(row);
  order_.push_back(&row);
  return row;
}

bool CountTable::has(const char *key, const char *second) const { return rows_.contains({key, second}); }

void CountTable::rename(const char *key, const char *second, const char *shown) {
  Row &row = rows_.at({key, second});
  if (row.names[1] == shown) return;
  row.names[1] = shown;
  if (row.cells != nullptr) row.cells[first_name + 1].value.string_value = row.names[1].c_str();
}

void CountTable::count(Row &row, double bytes, double spared) const {
  row.largest = row.count == 0 ? bytes : std::max(row.largest, bytes);
  ++row.count;
  row.bytes += bytes;
  row.spared += spared;
  if (row.cells == nullptr) return;
  Cell *numbers = row.cells + first_number_;
  numbers[count_column].value.uint_value = row.count;
  show_real(row.reals[bytes_real], numbers[bytes_column], row.bytes, bytes_real);
  show_real(row.reals[mean_real], numbers[mean_column], row.bytes / row.count, mean_real);
  show_real(row.reals[largest_real], numbers[largest_column], row.largest, largest_real);
  if (layout_.instances == nullptr) return;
  show_real(row.reals[saved_real], row.cells[first_number_ - 1], row.spared, saved_real);
}

void CountTable::add(const CountedName &name, double bytes, double spared, bool is_part) {
  Row &row = row_of(name);
  count(row, bytes, spared);
  if (!is_part) total_ += bytes;
  // A row for which there was no memory has no cells.
  if (layout_.instances == nullptr || name.instance == nullptr || row.cells == nullptr) return;
  if (instance_count_ < max_rows && !row.instances.contains(name.instance)) {
    row.instances.emplace(name.instance);
    ++instance_count_;
  }
  row.cells[first_number_ - 2].value.uint_value = static_cast<unsigned>(row.instances.size());
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
  shown_.clear();
  std::ranges::stable_sort(order_, std::greater(), [](const Row *row) { return row->bytes; });
  for (Row *row : order_) {
    if (row->cells == nullptr) continue;
    shown_.push_back(row->cells);
    row->cells[rank_column].value.uint_value = static_cast<unsigned>(shown_.size());
    Cell *numbers = row->cells + first_number_;
    show_real(row->reals[share_real], numbers[share_column], total_ == 0 ? 0 : 100 * row->bytes / total_, share_real);
    show_real(row->reals[rate_real], numbers[rate_column], seconds > 0 ? row->bytes / seconds : 0, rate_real);
  }
  reorder(shown_);
}

}  // namespace godot_plugin
