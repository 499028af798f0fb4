// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/stat_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "godot-codec/core/packet_position.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/peer_names.h"

namespace godot_plugin {
namespace {

// Maximum number of rows; all further names share one row. Without this limit, hostile packets could create any number
// of rows.
constexpr std::size_t max_rows = 50'000;
constexpr const char *other_rows = "(all others)";
// Maximum size of a table that is refreshed after each frame, in rows. A larger table is refreshed less often.
constexpr std::size_t refreshed_rows = 512;

// Numeric columns. They follow the names, and the two columns of a table that counts instances.
enum NumberColumn : std::uint8_t { count_column, bytes_column, share_column, mean_column, largest_column, rate_column };
constexpr std::size_t rank_column = 0;
constexpr std::size_t first_name = 1;

std::vector<TableColumn> columns_of(const CountTableLayout &layout) {
  // The window sorts by the first column, so ranks keep our order.
  std::vector<TableColumn> columns = {column_of_ranks};
  for (const char *name : layout.name_titles) columns.push_back({name, "%-36s"});
  if (layout.instances_title != nullptr)
    columns.insert(columns.end(), {{layout.instances_title, "%5u"}, {"Saved", "%9.0f"}});
  columns.insert(columns.end(), {{"Count", "%8u"},
                                 {"Bytes", "%12.0f"},
                                 {"Share (%)", "%7.2f"},
                                 {"Mean", "%9.1f"},
                                 {"Largest", "%9.0f"},
                                 {"Bytes/s", "%11.1f"}});
  if (!layout.filter_fields.empty()) columns.push_back({"Display filter", "%-40s"});
  return columns;
}

char format_letter_of(const TableColumn &column) { return column.format[std::strlen(column.format) - 1]; }

stat_tap_table_item table_item_of(const TableColumn &column) {
  switch (format_letter_of(column)) {
    case 'u':
      return {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, column.title, column.format};
    case 'd':
      return {TABLE_ITEM_INT, TAP_ALIGN_RIGHT, column.title, column.format};
    case 'f':
      return {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, column.title, "%s"};
    default:
      return {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, column.title, column.format};
  }
}

// Returns the scale of a format's decimals: 1000 for "%9.3f".
double decimal_scale_of(const char *format) {
  constexpr double base = 10;
  return std::pow(base, std::strchr(format, '.')[1] - '0');
}

}  // namespace

// ---- TableRow

std::uint32_t TableRow::number(std::size_t column) const {
  return cells_ == nullptr ? 0 : cells_[column].value.uint_value;
}

void TableRow::set_borrowed_text(std::size_t column, const char *text) {
  if (cells_ != nullptr) cells_[column].value.string_value = text;
}

void TableRow::set_text(std::size_t column, std::string_view text) {
  if (cells_ == nullptr) return;
  cell_caches_[column].text = text;
  set_borrowed_text(column, cell_caches_[column].text.c_str());
}

void TableRow::set_number(std::size_t column, std::uint64_t number) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (cells_ != nullptr) cells_[column].value.uint_value = static_cast<std::uint32_t>(std::min(number, most));
}

void TableRow::set_real(std::size_t column, double number) {
  if (cells_ == nullptr) return;
  constexpr double most = 1e15;
  const char *format = columns_[column].format;
  const double scale = decimal_scale_of(format);
  const long long scaled = std::llround(std::clamp(number, -most, most) * scale);
  if (scaled == cell_caches_[column].scaled_real) return;
  cell_caches_[column].scaled_real = scaled;
  std::array<char, 32> text{};
  g_snprintf(text.data(), text.size(), format, static_cast<double>(scaled) / scale);
  set_text(column, text.data());
}

// ---- StatTable

// A local variable, because tables are constructed before the variables of this file.
std::vector<StatTable *> &StatTable::all_tables() {
  static std::vector<StatTable *> tables;
  return tables;
}

StatTable::StatTable(const char *title_of_table, const char *option, std::vector<TableColumn> columns, const char *tap)
    : stat_tap_table_ui{},
      columns_(std::move(columns)),
      filter_param_{PARAM_FILTER, "filter", "Filter", nullptr, true} {
  std::ranges::transform(columns_, std::back_inserter(column_items_), table_item_of);
  group = REGISTER_PACKET_STAT_GROUP_UNSORTED;
  title = title_of_table;
  tap_name = tap;
  cli_string = option;
  stat_tap_init_cb = guarded<init>;
  packet_func = guarded<on_packet>;
  stat_tap_reset_table_cb = guarded<reset>;
  nfields = column_items_.size();
  fields = column_items_.data();
  nparams = 1;
  params = &filter_param_;
  all_tables().push_back(this);
}

void StatTable::register_all() {
  for (StatTable *table : all_tables()) register_stat_tap_table_ui(table);
}

const StatTable *StatTable::find(std::string_view option) {
  const auto found = std::ranges::find(all_tables(), option, [](const StatTable *table) { return table->cli_string; });
  return found == all_tables().end() ? nullptr : *found;
}

// Suppresses redraws until all packets are read. The window identifies a row by its memory, so an earlier redraw could
// read rows that no longer exist.
tap_packet_status StatTable::on_packet(void *tap_data, packet_info *pinfo, epan_dissect_t * /*edt*/, const void *data,
                                       tap_flags_t /*flags*/) {
  auto &table = static_cast<StatTable &>(*static_cast<stat_data_t *>(tap_data)->stat_tap_data);
  table.process(pinfo, data);
  return TAP_PACKET_DONT_REDRAW;
}

// Initialises the cells with empty texts and zeros.
void StatTable::init_row_cells(TableRow &row, Cell *cells) const {
  row.cells_ = cells;
  row.columns_ = columns_;
  if (cells == nullptr) return;
  for (std::size_t i = 0; i < column_items_.size(); ++i) {
    cells[i] = {};
    cells[i].type = column_items_[i].type;
    if (cells[i].type == TABLE_ITEM_STRING) cells[i].value.string_value = "";
    if (format_letter_of(columns_[i]) == 'f') row.set_real(i, 0);
  }
}

void StatTable::show(TableRow &row) {
  // Only these two lines can throw. They precede all changes, so each element of the table belongs to a visible row.
  const std::vector<Cell> cells(column_items_.size());
  row.cell_caches_.assign(columns_.size(), {});
  const unsigned index = table_->num_elements;
  stat_tap_init_table_row(table_, index, static_cast<unsigned>(cells.size()), cells.data());
  init_row_cells(row, stat_tap_get_field_data(table_, index, 0));
}

void StatTable::replace_shown_row(TableRow &row, TableRow &other) {
  row.cell_caches_.assign(columns_.size(), {});
  init_row_cells(row, other.cells_);
  other = {};
}

void StatTable::reorder(const std::vector<TableRow *> &rows) {
  std::vector<Cell> contents;
  contents.reserve(rows.size() * column_items_.size());
  for (const TableRow *row : rows) {
    if (row->is_shown()) contents.insert(contents.end(), row->cells_, row->cells_ + column_items_.size());
  }
  auto content = contents.cbegin();
  unsigned index = 0;
  for (TableRow *row : rows) {
    if (!row->is_shown()) continue;
    row->cells_ = stat_tap_get_field_data(table_, index++, 0);
    std::copy_n(content, column_items_.size(), row->cells_);
    content += static_cast<std::ptrdiff_t>(column_items_.size());
  }
}

void StatTable::init(stat_tap_table_ui *ui) {
  auto &table = static_cast<StatTable &>(*ui);
  stat_tap_table *known = stat_tap_find_table(ui, ui->title);
  if (known != nullptr) return reset(known);
  table.discard_rows();
  table.table_ = stat_tap_init_table(ui->title, static_cast<int>(ui->nfields), 0, nullptr);
  stat_tap_add_table(ui, table.table_);
  table.add_initial_rows();
}

void StatTable::reset(stat_tap_table *table) {
  const auto found = std::ranges::find(all_tables(), table, &StatTable::table_);
  if (found == all_tables().end()) return;
  remove_rows(table);
  (*found)->discard_rows();
  (*found)->add_initial_rows();
}

// ---- CountTable

CountTable::CountTable(const CountTableLayout &layout)
    : StatTable(layout.title, layout.option, columns_of(layout)),
      layout_(layout),
      first_number_column_(first_name + layout.name_titles.size() + (layout.instances_title == nullptr ? 0 : 2)) {}

void CountTable::discard_rows() {
  rows_.clear();
  sorted_rows_.clear();
  instance_count_ = 0;
  total_bytes_ = 0;
  stale_frame_count_ = 0;
  has_time_ = false;
}

// Returns a filter such as `godot_mp.sender == 1 and godot_mp.receiver == 7`; empty if a name cannot be a value of the
// field.
std::string CountTable::filter_of(const NamePair &names) const {
  std::string filter;
  for (std::size_t i = 0; i < layout_.filter_fields.size(); ++i) {
    std::string name = i == 0 ? names.first : names.second;
    if (layout_.has_numeric_fields && name == server_name) name = "1";
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    if (is_number != layout_.has_numeric_fields || name.starts_with('(')) return {};
    filter.append(filter.empty() ? "" : " and ").append(layout_.filter_fields[i]).append(" == ");
    filter.append(is_number ? name : quoted(name));
  }
  return filter;
}

CountTable::Row &CountTable::row_of(const CountedName &name) {
  NamePair names{name.key, name.second_name == nullptr ? "" : name.second_name};
  const auto known = rows_.find(names);
  if (known != rows_.end()) return known->second;
  const bool is_over_limit = rows_.size() >= max_rows;
  if (is_over_limit) names = {other_rows, ""};
  Row &row = rows_[names];
  if (row.is_shown()) return row;
  sorted_rows_.push_back(&row);
  show(row);
  if (!is_over_limit && name.shown_name != nullptr) names.first = name.shown_name;
  row.set_text(first_name, names.first);
  if (layout_.name_titles.size() > 1) row.set_text(first_name + 1, names.second);
  if (layout_.instances_title != nullptr) row.set_number(first_number_column_ - 2, 1);
  if (!layout_.filter_fields.empty()) row.set_text(first_number_column_ + rate_column + 1, filter_of(names));
  return row;
}

// Marks a property that is replicated both always and on change, because its values are sent twice. Skips properties
// without a name, because only the name shows that two rows are the same property.
void CountTable::flag_twice_replicated(const char *property) {
  if (std::strchr(property, '#') != nullptr) return;
  const auto sync = rows_.find({property, property_of_sync});
  const auto delta = rows_.find({property, property_of_delta});
  if (sync == rows_.end() || delta == rows_.end()) return;
  sync->second.set_text(first_name + 1, "sync property, in delta too");
  delta->second.set_text(first_name + 1, "delta property, in sync too");
}

void CountTable::add(const CountedName &name, double bytes, double saved_bytes, bool is_nested) {
  Row &row = row_of(name);
  row.largest = row.count == 0 ? bytes : std::max(row.largest, bytes);
  ++row.count;
  row.bytes += bytes;
  row.saved_bytes += saved_bytes;
  row.set_number(first_number_column_ + count_column, row.count);
  row.set_real(first_number_column_ + bytes_column, row.bytes);
  row.set_real(first_number_column_ + mean_column, row.bytes / row.count);
  row.set_real(first_number_column_ + largest_column, row.largest);
  if (!is_nested) total_bytes_ += bytes;
  if (layout_.instances_title == nullptr) return;
  row.set_real(first_number_column_ - 1, row.saved_bytes);
  if (name.instance == nullptr) return;
  if (instance_count_ < max_rows && !row.instances.contains(name.instance)) {
    row.instances.emplace(name.instance);
    ++instance_count_;
  }
  row.set_number(first_number_column_ - 2, row.instances.size());
}

void CountTable::process(packet_info *pinfo, const void *data) {
  const auto &record = *static_cast<const FrameRecord *>(data);
  bool is_counted = false;
  for (const CountedItem *counted = record.counted_items; counted != nullptr; counted = counted->next) {
    if (counted->table != this) continue;
    is_counted = true;
    const double saved_bytes = saved_bytes_of(record, *counted);
    add(counted->name, counted->bytes - saved_bytes, saved_bytes, counted->is_nested);
    if (counted->is_nested) flag_twice_replicated(counted->name.key);
  }
  if (is_counted) end_frame(capture_time_of(pinfo));
}

void CountTable::end_frame(std::int64_t time) {
  if (!has_time_) first_time_ = last_time_ = time;
  has_time_ = true;
  first_time_ = std::min(first_time_, time);
  last_time_ = std::max(last_time_, time);
  if (++stale_frame_count_ > rows_.size() / refreshed_rows) refresh();
}

void CountTable::refresh() {
  stale_frame_count_ = 0;
  const double seconds =
      static_cast<double>(godot_codec::elapsed(first_time_, last_time_)) / godot_codec::nanoseconds_per_second;
  std::ranges::stable_sort(sorted_rows_, std::greater(), [](const Row *row) { return row->bytes; });
  std::uint32_t rank = 0;
  for (Row *row : sorted_rows_) {
    if (!row->is_shown()) continue;
    row->set_number(rank_column, ++rank);
    row->set_real(first_number_column_ + share_column, total_bytes_ == 0 ? 0 : 100 * row->bytes / total_bytes_);
    row->set_real(first_number_column_ + rate_column, seconds > 0 ? row->bytes / seconds : 0);
  }
  reorder({sorted_rows_.begin(), sorted_rows_.end()});
}

}  // namespace godot_plugin
