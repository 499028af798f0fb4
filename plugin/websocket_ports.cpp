// SPDX-License-Identifier: GPL-2.0-or-later
#include "websocket_ports.h"

namespace godot_plugin {

void WebSocketPorts::register_preference(module_t *module, const char *description) {
  constexpr std::uint32_t max_port = 65535;
  wanted_ = range_empty(wmem_epan_scope());
  hooked_ = range_empty(wmem_epan_scope());
  prefs_register_range_preference(module, "ws.port", "WebSocket port(s)", description, &wanted_, max_port);
}

void WebSocketPorts::set_dissector(dissector_handle_t dissector) {
  dissector_ = dissector;
  apply();
}

void WebSocketPorts::apply() {
  if (dissector_ == nullptr) return;
  dissector_delete_uint_range("ws.port", hooked_, dissector_);
  wmem_free(wmem_epan_scope(), hooked_);
  hooked_ = range_copy(wmem_epan_scope(), wanted_);
  dissector_add_uint_range("ws.port", hooked_, dissector_);
}

bool WebSocketPorts::contains(std::uint32_t port) const { return value_is_in_range(wanted_, port); }

}  // namespace godot_plugin
