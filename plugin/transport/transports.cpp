// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/transports.h"

#include "plugin/epan/heuristics.h"
#include "plugin/transport/contested_ports.h"
#include "plugin/transport/enet_messages.h"
#include "plugin/transport/peers.h"
#include "plugin/transport/tcp.h"
#include "plugin/transport/tls.h"
#include "plugin/transport/transport_hook.h"
#include "plugin/transport/udp.h"
#include "plugin/transport/webrtc.h"
#include "plugin/transport/websocket_messages.h"

namespace godot_plugin {

void register_transports() {
  register_detection();
  register_udp();
  register_tcp();
  register_tls();
  register_peers();
  register_webrtc();
  register_transport_hook();
  register_websocket_messages();
  register_contested_ports();
}

void handoff_transports() {
  handoff_udp();
  handoff_tcp();
  handoff_tls();
  handoff_enet_messages();
  handoff_webrtc();
  handoff_websocket_messages();
  handoff_transport_hook();
}

void apply_transports() { apply_websocket_ports(); }

}  // namespace godot_plugin
