// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/transports.h"

#include "plugin/epan/heuristics.h"

namespace godot_plugin {

void register_transports() {
  register_detection();
#define GODOT_REGISTER(name) register_##name##_transport();
  GODOT_TRANSPORTS(GODOT_REGISTER)
#undef GODOT_REGISTER
  register_peers();
  register_transport_hook();
  register_contested_ports();
}

void handoff_transports() {
#define GODOT_HANDOFF(name) handoff_##name##_transport();
  GODOT_TRANSPORTS(GODOT_HANDOFF)
#undef GODOT_HANDOFF
  handoff_transport_hook();
}

void apply_transports() { apply_websocket_ports(); }

}  // namespace godot_plugin
