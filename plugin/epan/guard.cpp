// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/guard.h"

#include <epan/packet.h>
#include <wsutil/report_message.h>

#include <utility>

namespace godot_plugin {
namespace {

bool is_reported = false;

}  // namespace

void report_exception(const char *what) noexcept {
  if (std::exchange(is_reported, true)) return;
  report_warning("Godot: some packets are shown without the information of earlier ones (%s).", what);
}

void register_guard() {
  register_init_routine([] { is_reported = false; });
}

}  // namespace godot_plugin
