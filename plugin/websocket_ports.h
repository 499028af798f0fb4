// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The preference `ws.port` of a protocol: TCP ports of servers whose WebSocket messages are its.
#pragma once

#include <cstdint>

#include "ws_compat.h"

namespace godot_plugin {

/// The table ws.port offers no Decode As, without which epan's own port preferences do nothing: this does what they do
/// elsewhere. One for each protocol, static.
class WebSocketPorts {
 public:
  /// Registers the preference. The module's callback is to call apply().
  void register_preference(module_t *module, const char *description);
  /// Names the dissector. A `ws.port` dissector's return value is ignored: it must hand on what is not its own.
  void set_dissector(dissector_handle_t dissector);
  /// Hooks the dissector onto the ports that the user has chosen.
  void apply();
  [[nodiscard]] bool contains(std::uint32_t port) const;

 private:
  range_t *wanted_ = nullptr;
  range_t *hooked_ = nullptr;
  dissector_handle_t dissector_ = nullptr;
};

}  // namespace godot_plugin
