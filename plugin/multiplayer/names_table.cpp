// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/game_names.h"
#include "plugin/multiplayer/packet-godot_mp.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/stat_table.h"

namespace godot_plugin {
namespace {

// Maximum number of rows. Without this limit, hostile packets could create any number of rows.
constexpr std::size_t max_rows = 1000;

enum NameColumn : std::uint8_t { rank_column, node_column, count_columns };

std::vector<TableColumn> columns() {
  return {column_of_ranks,   {"Node", "%-60s"},
          {"Calls", "%8u"},  {"Calls without a name", "%8u"},
          {"Values", "%8u"}, {"Values without a name", "%8u"}};
}

// The table of names. The first row sums up all nodes and shows the contents of the project folder. The next rows are
// the parts of the folder that were not read. Then follow the nodes with unnamed calls or values, in capture order.
class NamesTable final : public StatTable {
 public:
  NamesTable() : StatTable(GODOT_TABLE("names: what the project folder provides"), "godot_mp,names", columns()) {}

 private:
  static constexpr const char *total_row_key = "\n";  // key of the first row; no printable path begins like this

  void process(packet_info *pinfo, const void *data) override {
    const auto *record = static_cast<const FrameRecord *>(data);
    for (const CountedItem *counted = record->counted_items; counted != nullptr; counted = counted->next) {
      if (counted->table != this) continue;
      if (rows_.empty()) add_folder(pinfo, record->is_first_pass);
      count_name_in(row_of(total_row_key), *counted);
      if (counted->name.shown_name == nullptr || rows_.contains(counted->name.key))
        count_name_in(row_of(counted->name.key), *counted);
    }
  }

  void discard_rows() override { rows_.clear(); }

  static void count_name_in(TableRow &row, const CountedItem &counted) {
    const std::size_t column = count_columns + (std::strcmp(counted.name.second_name, call_row) == 0 ? 0 : 2);
    row.set_number(column, row.number(column) + 1);
    if (counted.name.shown_name == nullptr) row.set_number(column + 1, row.number(column + 1) + 1);
  }

  TableRow &row_of(const std::string &key) {
    if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
    if (rows_.size() >= max_rows) return hidden_row_;
    TableRow &row = rows_[key];
    begin_row(row, key);
    return row;
  }

  void begin_row(TableRow &row, const std::string &text) {
    show(row);
    row.set_number(rank_column, rows_.size());
    row.set_text(node_column, text);
  }

  void add_folder(packet_info *pinfo, bool is_first_pass) {
    constexpr std::size_t max_notes = 100;
    const char *counts = describe_project(pinfo->pool);
    // Later packets reveal paths and roles, so a second pass finds more names.
    const char *once = "%s (first pass only; a second pass, tshark -2, may find more names)";
    begin_row(rows_[total_row_key], is_first_pass ? wmem_strdup_printf(pinfo->pool, once, counts) : counts);
    for (const std::string_view note : project_notes()) {
      if (rows_.size() > max_notes) return;
      begin_row(rows_[total_row_key + std::to_string(rows_.size())], printable(pinfo->pool, note));
    }
  }

  std::map<std::string, TableRow, std::less<>> rows_;
  TableRow hidden_row_;
};
NamesTable names_table;

}  // namespace

void count_name(packet_info *pinfo, const CountedName &name) { count_in(pinfo, names_table, name, 0); }

}  // namespace godot_plugin
