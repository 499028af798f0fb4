// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into tshark: resets the tables of statistics before they are printed, as Wireshark's window does where its
// user filters them. tshark by itself never does.
#include <dlfcn.h>

#include "plugin/epan/ws_compat.h"

namespace {

ws_bool reset(const void * /*name*/, void *statistic, void * /*nothing*/) {
  auto *tables = static_cast<stat_tap_table_ui *>(statistic);
  if (tables->tables != nullptr) reset_stat_table(tables);
  return ws_bool{};  // go on
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void draw_tap_listeners(ws_bool is_all) {
  stat_tap_iterate_tables(reset, nullptr);
  using Draw = void (*)(ws_bool);
  reinterpret_cast<Draw>(dlsym(RTLD_NEXT, "draw_tap_listeners"))(is_all);
}
