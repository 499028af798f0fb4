// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Checks whether the Info column is needed, and locks columns temporarily.
#pragma once

#include <type_traits>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if the Info column is shown. False on the first pass of tshark `-2` and of the window.
[[nodiscard]] inline bool wants_info(const packet_info *pinfo) { return col_get_writable(pinfo->cinfo, COL_INFO) != 0; }

/// Makes a column read-only until restore(). Locks may be nested: restore() sets the state from before the lock.
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
