// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into tshark: resets the tables of statistics before they are printed, as Wireshark's window does where its
// user filters them. tshark by itself never does.
#include <dlfcn.h>

#include "plugin/epan/ws_compat.h"

namespace {

int reset(const void * /*name*/, void *statistic, void * /*nothing*/) {
  auto *tables = static_cast<stat_tap_table_ui *>(statistic);
  if (tables->tables != nullptr) reset_stat_table(tables);
  return 0;  // go on
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void draw_tap_listeners(int is_all) {
  stat_tap_iterate_tables(reinterpret_cast<wmem_foreach_func>(&reset), nullptr);
  using Draw = void (*)(int);
  reinterpret_cast<Draw>(dlsym(RTLD_NEXT, "draw_tap_listeners"))(is_all);
}
