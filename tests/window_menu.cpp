// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into tshark: acts like a user who chooses the menu entry "Match page" in Wireshark's window. The window
// then reads all packets again; here, tshark's second pass takes that place. If the environment variable STOP_AFTER is
// set, the user presses Stop after so many packets. The URL that the browser would open is printed.
#include <dlfcn.h>
#include <epan/funnel.h>
#include <ucontext.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct epan_dissect;

namespace {

funnel_menu_callback chosen = nullptr;
unsigned long packets = 0;

// The menu entry returns when the page is complete. tshark continues while the entry waits for packets. Therefore each
// has a separate stack.
ucontext_t entry;
ucontext_t tshark;
std::array<char, 1 << 20> stack;
enum class State { not_chosen, waiting, done } state = State::not_chosen;

// @tparam Flag gboolean until 4.2, bool since 4.4
template <typename Flag>
void find(const char *name, register_stat_group_t /*group*/, funnel_menu_callback callback, gpointer /*data*/,
          Flag /*retap*/) {
  if (std::strstr(name, "Match page") != nullptr) chosen = callback;
}

void read_packets(funnel_ops_id_t * /*id*/) {
  state = State::waiting;
  swapcontext(&entry, &tshark);
}

void open_in_browser(const char *file) { std::fprintf(stderr, "opened %s\n", file); }

void choose() {
  static funnel_ops_t window{};
  window.retap_packets = read_packets;
  window.browser_open_data_file = open_in_browser;
  funnel_set_funnel_ops(&window);
  funnel_register_all_menus(find);
  chosen(nullptr);
  funnel_set_funnel_ops(nullptr);
  state = State::done;
}

void begin() {
  getcontext(&entry);
  entry.uc_stack.ss_sp = stack.data();
  entry.uc_stack.ss_size = stack.size();
  entry.uc_link = &tshark;
  makecontext(&entry, choose, 0);
  swapcontext(&tshark, &entry);
}

void end() {
  if (state == State::waiting) swapcontext(&tshark, &entry);
}

template <typename Function>
Function *next(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void epan_dissect_run_with_taps(epan_dissect *dissection, int type, void *record,
                                                               void *tvb, void *frame, void *columns) {
  using Run = void(epan_dissect *, int, void *, void *, void *, void *);
  static Run *run = next<Run>("epan_dissect_run_with_taps");
  const char *last = std::getenv("STOP_AFTER");
  if (state == State::not_chosen) begin();
  if (last != nullptr && packets == std::strtoul(last, nullptr, 10)) end();
  ++packets;
  run(dissection, type, record, tvb, frame, columns);
}

[[gnu::visibility("default")]] void draw_tap_listeners(int is_all) {
  end();
  next<void(int)>("draw_tap_listeners")(is_all);
}
}
