// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into tshark: resets the tables of statistics before they are printed, as Wireshark's window does where its
// user filters them. tshark by itself never does. Says on the standard error where a table wants to be drawn before its
// end.
#include <dlfcn.h>

#include <cstdio>

#include "plugin/epan/ws_compat.h"

namespace {

ws_bool reset(const void * /*name*/, void *statistic, void * /*nothing*/) {
  auto *tables = static_cast<stat_tap_table_ui *>(statistic);
  if (tables->tables != nullptr) reset_stat_table(tables);
  return ws_bool{};  // go on
}

tap_packet_cb take = nullptr;

tap_packet_status take_and_tell(void *table, packet_info *pinfo, epan_dissect_t *edt, const void *data,
                                tap_flags_t flags) {
  const tap_packet_status status = take(table, pinfo, edt, data, flags);
  if (status == TAP_PACKET_REDRAW) std::fputs("drawn before its end\n", stderr);
  return status;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] GString *register_tap_listener(const char *name, void *table,
                                                                         const char *filter, unsigned flags,
                                                                         tap_reset_cb reset_table, tap_packet_cb packet,
                                                                         tap_draw_cb draw, tap_finish_cb finish) {
  take = packet;
  const auto next = reinterpret_cast<decltype(register_tap_listener) *>(dlsym(RTLD_NEXT, "register_tap_listener"));
  return next(name, table, filter, flags, reset_table, take_and_tell, draw, finish);
}

extern "C" [[gnu::visibility("default")]] void draw_tap_listeners(ws_bool is_all) {
  stat_tap_iterate_tables(reset, nullptr);
  using Draw = void (*)(ws_bool);
  reinterpret_cast<Draw>(dlsym(RTLD_NEXT, "draw_tap_listeners"))(is_all);
}
