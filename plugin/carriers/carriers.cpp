// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/carriers.h"

#include "plugin/carriers/contested_ports.h"
#include "plugin/carriers/enet_messages.h"
#include "plugin/carriers/owned_ports.h"
#include "plugin/carriers/peers.h"
#include "plugin/carriers/tcp.h"
#include "plugin/carriers/tls.h"
#include "plugin/carriers/udp.h"
#include "plugin/carriers/webrtc.h"
#include "plugin/carriers/websocket_messages.h"

namespace godot_plugin {

void register_carriers() {
  register_udp();
  register_tcp();
  register_tls();
  register_peers();
  register_webrtc();
  register_owned_ports();
  register_websocket_messages();
  register_contested_ports();
}

void handoff_carriers() {
  handoff_udp();
  handoff_tcp();
  handoff_tls();
  handoff_enet_messages();
  handoff_webrtc();
  handoff_websocket_messages();
  handoff_owned_ports();
}

void apply_carriers() { apply_websocket_ports(); }

}  // namespace godot_plugin
