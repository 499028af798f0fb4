// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into tshark: resets statistics tables before they are printed, as Wireshark's window does when the user
// filters them; tshark itself never does. Reports on standard error a table that asks to be drawn before the end, and a
// row whose memory has moved, because a window that was drawn earlier would still read the old memory.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "plugin/epan/ws_compat.h"

namespace {

ws_bool reset(const void * /*name*/, void *statistic, void * /*nothing*/) {
  auto *tables = static_cast<stat_tap_table_ui *>(statistic);
  if (tables->tables != nullptr) reset_stat_table(tables);
  return ws_bool{};  // continue
}

tap_packet_cb count_packet = nullptr;

void report_moved_rows(const stat_tap_table_ui &statistic) {
  static std::vector<const stat_tap_table_item_type *> known;
  const auto *table = g_array_index(statistic.tables, const stat_tap_table *, 0);
  const std::span places(table->elements, table->num_elements);
  if (places.size() < known.size() || !std::equal(known.begin(), known.end(), places.begin())) {
    std::fputs("a place has moved\n", stderr);
  }
  known.assign(places.begin(), places.end());
}

tap_packet_status count_packet_and_check(void *table, packet_info *pinfo, epan_dissect_t *edt, const void *data,
                                         tap_flags_t flags) {
  const tap_packet_status status = count_packet(table, pinfo, edt, data, flags);
  if (status == TAP_PACKET_REDRAW) std::fputs("drawn before its end\n", stderr);
  report_moved_rows(*static_cast<stat_data_t *>(table)->stat_tap_data);
  return status;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] GString *register_tap_listener(const char *name, void *table,
                                                                         const char *filter, unsigned flags,
                                                                         tap_reset_cb reset_table, tap_packet_cb packet,
                                                                         tap_draw_cb draw, tap_finish_cb finish) {
  count_packet = packet;
  const auto next = reinterpret_cast<decltype(register_tap_listener) *>(dlsym(RTLD_NEXT, "register_tap_listener"));
  return next(name, table, filter, flags, reset_table, count_packet_and_check, draw, finish);
}

extern "C" [[gnu::visibility("default")]] void draw_tap_listeners(ws_bool is_all) {
  stat_tap_iterate_tables(reset, nullptr);
  using Draw = void (*)(ws_bool);
  reinterpret_cast<Draw>(dlsym(RTLD_NEXT, "draw_tap_listeners"))(is_all);
}
