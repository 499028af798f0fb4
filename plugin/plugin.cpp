// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdint>

#include "plugin/debugger/packet-godot_debug.h"
#include "plugin/enet/packet-enet.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/field_registration.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/multiplayer/game_names.h"
#include "plugin/multiplayer/packet-godot_mp.h"
#include "plugin/page/match_page.h"
#include "plugin/statistics/problem_table.h"
#include "plugin/statistics/stat_table.h"
#include "plugin/transport/transports.h"
#include "plugin/webrtc/packet-godot_webrtc.h"
#include "plugin/websocket/websocket_connections.h"

#ifdef _WIN32
#define GODOT_EXPORT __declspec(dllexport)
#else
#define GODOT_EXPORT __attribute__((visibility("default")))
#endif

extern "C" {
extern GODOT_EXPORT const char plugin_version[];
extern GODOT_EXPORT const int plugin_want_major;
extern GODOT_EXPORT const int plugin_want_minor;
GODOT_EXPORT void plugin_register();
GODOT_EXPORT std::uint32_t plugin_describe();

const char plugin_version[] = GODOT_PLUGIN_VERSION;
const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
const int plugin_want_minor = WIRESHARK_VERSION_MINOR;
}

namespace godot_plugin {
namespace {

void register_transports() {
  register_detection_protocol();
  register_godot_webrtc();
  register_web_sockets();
  register_websocket_ports();
  register_message_detection();
}

void handoff_transports() {
  handoff_enet_messages();
#define GODOT_HANDOFF(name) handoff_##name##_transport();
  GODOT_TRANSPORTS(GODOT_HANDOFF)
#undef GODOT_HANDOFF
  handoff_transport_hook();
}

// Called when a capture is opened, after the state of the previous capture was reset.
void begin_capture() {
  update_game_names();
  reset_problem_facts();
  apply_transport_hook_preference();
}

void register_capture_routines() {
  register_init_routine(guarded<begin_capture>);
  register_cleanup_routine(guarded<CaptureStateBase::reset_all>);
}

}  // namespace
}  // namespace godot_plugin

// Returns what the plugin contains: dissectors, as a bit of Wireshark's WS_PLUGIN_DESC_*. Called since Wireshark 4.2.
std::uint32_t plugin_describe() {
  constexpr std::uint32_t is_dissector = 1U << 0;
  return is_dissector;
}

void plugin_register() {
  // Register a single proto_plugin, because the order below matters, and epan calls several of them in reverse order.
  static proto_plugin all;
  all.register_protoinfo = [] {
    godot_plugin::register_capture_routines();
    godot_plugin::register_enet();
    godot_plugin::register_godot(godot_plugin::guarded<godot_plugin::apply_websocket_ports>);
    godot_plugin::register_godot_mp(godot_plugin::guarded<godot_plugin::apply_websocket_ports>);
    godot_plugin::register_godot_debug();
    godot_plugin::register_transports();
    godot_plugin::Registration::register_all();
    godot_plugin::register_statistics();
    godot_plugin::register_match_page();
    godot_plugin::register_packet_menu();
  };
  all.register_handoff = [] {
    godot_plugin::handoff_transports();
    godot_plugin::register_advanced_enet_preferences();
    godot_plugin::register_advanced_godot_preferences();
    godot_plugin::register_owned_ports_preference();
    godot_plugin::register_advanced_godot_mp_preferences();
  };
  proto_register_plugin(&all);
}
