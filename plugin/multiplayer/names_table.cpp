// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/names_table.h"

#include <map>
#include <string>

#include "plugin/epan/guard.h"
#include "plugin/godot/draw.h"
#include "plugin/multiplayer/names.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/table.h"

namespace godot_plugin {
namespace {

// Rows beyond so many are not added: whoever sends packets chooses how many there are.
constexpr std::size_t max_rows = 1000;

enum Column : std::uint8_t { rank_column, node_column, count_columns };

// The first row is all nodes' together, with what the folder gave. What was left out of the folder follows, then the
// nodes that have something without a name, in the order in which they come.
class Names final : public StatTable {
 public:
  explicit Names(tap_packet_cb on_frame)
      : StatTable(GODOT_TABLE("names: what the game's folder gives"), "godot_mp,names", columns(), on_frame) {}

  void add(packet_info *pinfo, const Counted *counted) {
    if (rows_.empty()) add_folder(pinfo);
    for (; counted != nullptr; counted = counted->next) {
      count(row_of(all_nodes), *counted);
      if (counted->name.shown == nullptr || rows_.contains(counted->name.key))
        count(row_of(counted->name.key), *counted);
    }
  }

 private:
  static constexpr const char *all_nodes = "\n";  // no printable path of a node begins so

  struct Row {
    std::string text;
    Cell *cells = nullptr;  // null: it is not shown
  };

  static Columns columns() {
    return {column_of_ranks,
            {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Node", "%-60s"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Calls", "%8u"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Calls without a name", "%8u"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Values", "%8u"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Values without a name", "%8u"}};
  }

  void forget() override { rows_.clear(); }

  static void count(const Row &row, const Counted &counted) {
    if (row.cells == nullptr) return;
    Cell *counts = row.cells + count_columns + (counted.name.second == name_of_call ? 0 : 2);
    ++counts[0].value.uint_value;
    if (counted.name.shown == nullptr) ++counts[1].value.uint_value;
  }

  Row &row_of(const std::string &key) {
    if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
    if (rows_.size() >= max_rows) return too_many_;
    Row &row = rows_[key];
    show(row, key);
    return row;
  }

  void show(Row &row, const std::string &text) {
    row.text = text;
    row.cells = add_row({number_cell(static_cast<std::uint32_t>(rows_.size())), text_cell(row.text.c_str()),
                         number_cell(0), number_cell(0), number_cell(0), number_cell(0)});
  }

  void add_folder(packet_info *pinfo) {
    constexpr std::size_t most_told = 100;
    show(rows_[all_nodes], describe_project(pinfo->pool));
    for (const std::string_view note : project_notes()) {
      if (rows_.size() > most_told) return;
      show(rows_[all_nodes + std::to_string(rows_.size())], printable(pinfo->pool, note));
    }
  }

  std::map<std::string, Row, std::less<>> rows_;
  Row too_many_;
};

tap_packet_status on_frame(void *tap_data, packet_info *pinfo, epan_dissect_t * /*edt*/, const void *data,
                           tap_flags_t /*flags*/) {
  const auto &record = *static_cast<const FrameRecord *>(data);
  if (record.names == nullptr) return TAP_PACKET_DONT_REDRAW;
  static_cast<Names &>(StatTable::of(tap_data)).add(pinfo, record.names);
  return TAP_PACKET_REDRAW;
}

}  // namespace

void register_names_table() {
  static Names names(guarded<on_frame>);
  names.register_table();
}

}  // namespace godot_plugin
