// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into tshark: writes the name, group and severity of each of the plugin's expert items to standard error
// when the item is registered. tshark -G does not list the severity.
#include <dlfcn.h>

#include <cstdio>
#include <string_view>

#include "plugin/epan/ws_compat.h"

namespace {

std::string_view severity_of(int severity) {
  switch (severity) {
    case PI_CHAT:
      return "chat";
    case PI_NOTE:
      return "note";
    case PI_WARN:
      return "warning";
    case PI_ERROR:
      return "error";
    default:
      return "?";
  }
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void expert_register_field_array(expert_module_t *module,
                                                                           ei_register_info *items, int count) {
  for (int i = 0; i < count; ++i) {
    const expert_field_info &item = items[i].eiinfo;
    const std::string_view name = item.name;
    if (!name.starts_with("godot") && !name.starts_with("enet.")) continue;
    std::fprintf(stderr, "expert %s: %s, group %x\n", item.name, severity_of(item.severity).data(),
                 static_cast<unsigned>(item.group));
  }
  reinterpret_cast<decltype(expert_register_field_array) *>(dlsym(RTLD_NEXT, "expert_register_field_array"))(
      module, items, count);
}
