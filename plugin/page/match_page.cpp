// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/page/match_page.h"

#include <epan/funnel.h>
#include <glib/gstdio.h>
#include <wsutil/report_message.h>

#include <memory>
#include <type_traits>

#include "plugin/epan/exception_guard.h"
#include "plugin/epan/taps.h"
#include "plugin/page/match_collector.h"
#include "plugin/statistics/match_record.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

// The page that is being collected.
std::string file_name;
std::unique_ptr<MatchCollector> match;
stat_data_t problems;

tap_packet_status on_frame(void * /*match*/, packet_info *pinfo, epan_dissect_t * /*edt*/, const void *data,
                           tap_flags_t /*flags*/) {
  if (match != nullptr) match->add(pinfo, *static_cast<const FrameRecord *>(data));
  return TAP_PACKET_DONT_REDRAW;
}

// Starts collecting. @param draw is called at the end; may be null @returns an error message; null on success
GString *start_collecting(tap_draw_cb draw) {
  set_collecting_match(true);
  match = std::make_unique<MatchCollector>();
  problems = {&page_problem_table(), nullptr};
  page_problem_table().stat_tap_init_cb(&page_problem_table());
  GString *error =
      register_tap_listener(frame_tap, &match, nullptr, TL_REQUIRES_NOTHING, nullptr, guarded<on_frame>, draw, nullptr);
  if (error != nullptr) return error;
  return register_tap_listener(finding_tap, &problems, nullptr, TL_REQUIRES_NOTHING, nullptr,
                               page_problem_table().packet_func, nullptr, nullptr);
}

// @returns false after reporting an error
bool check_start_error(GString *error) {
  if (error == nullptr) return true;
  report_failure("No match page: %s", error->str);
  g_string_free(error, TRUE);
  return false;
}

// @returns false after reporting an error to the user
bool write_match() {
  const std::string error = write_page(*match, file_name);
  match.reset();
  if (!error.empty()) report_failure("The match page was not written: %s", error.c_str());
  return error.empty();
}

// ---- tshark

constexpr std::string_view option = "godot,page";

void write_page_at_end(void * /*match*/) {
  if (match != nullptr) write_match();
}

bool start_page_for_option(std::string_view argument) {
  if (argument.size() <= option.size() + 1) {
    report_failure("-z %s,FILE: the name of the file is missing", option.data());
    return false;
  }
  file_name = argument.substr(option.size() + 1);
  return check_start_error(start_collecting(guarded<write_page_at_end>));
}

// Since Wireshark 4.6, this function returns whether it succeeded.
using StatTapInitResult = std::invoke_result_t<stat_tap_init_cb, const char *, void *>;

StatTapInitResult init_stat_tap(const char *argument, void * /*data*/) {
  return static_cast<StatTapInitResult>(start_page_for_option(argument));
}

// ---- Window

void write_and_open_page(const funnel_ops_t &window) {
  char *name = nullptr;
  const int file = g_file_open_tmp("godot-match-XXXXXX.html", &name, nullptr);
  if (file < 0) return report_failure("The match page was not written: no file can be made for it");
  g_close(file, nullptr);
  file_name = name;
  g_free(name);
  if (write_match()) window.browser_open_data_file(file_name.c_str());
}

// Reads all packets again, with a progress bar in the window. If the user stops this, no page is opened.
void collect_page(gpointer /*data*/) {
  const funnel_ops_t *window = funnel_get_funnel_ops();
  if (window == nullptr || match != nullptr) return;
  if (check_start_error(start_collecting(nullptr))) {
    window->retap_packets(window->ops_id);
    if (match->last_frame() == last_game_frame()) write_and_open_page(*window);
  }
  remove_tap_listener(&match);
  remove_tap_listener(&problems);
  set_collecting_match(false);
  match.reset();
}

}  // namespace

void register_match_page() {
  static stat_tap_ui tap{
      REGISTER_PACKET_STAT_GROUP_UNSORTED, nullptr, option.data(), guarded<init_stat_tap>, 0, nullptr};
  register_stat_tap_ui(&tap, nullptr);
  funnel_register_menu(GODOT_TABLE("Match page"), REGISTER_PACKET_STAT_GROUP_UNSORTED, guarded<collect_page>, nullptr,
                       nullptr, FALSE);
}

}  // namespace godot_plugin
