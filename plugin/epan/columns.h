// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Columns that nobody reads, or that are to stay as they are for a while.
#pragma once

#include <type_traits>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if somebody reads the Info column: nobody does on the first pass of `-2`, which is also that of the window.
[[nodiscard]] inline bool wants_info(const packet_info *pinfo) { return col_get_writable(pinfo->cinfo, COL_INFO) != 0; }

/// Nobody writes to a column until restore(), and then only whoever could before: locks may lie in one another.
class LockedColumn {
 public:
  LockedColumn(column_info *columns, int column)
      : columns_(columns), column_(column), was_writable_(col_get_writable(columns, column) != 0) {
    set(false);
  }
  void restore() const { set(was_writable_); }

 private:
  void set(bool is_writable) const { col_set_writable(columns_, column_, is_writable ? 1 : 0); }

  column_info *columns_;
  int column_;
  bool was_writable_;
};
static_assert(std::is_trivially_destructible_v<LockedColumn>);

}  // namespace godot_plugin
