// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/state.h"

#include "plugin/epan/guard.h"
#include "plugin/epan/of_capture.h"
#include "plugin/epan/servers.h"

namespace godot_plugin {
namespace {

OfCapture<godot_codec::MpSession> session;

// The game over WebRTC that is played: number 0 before one is.
struct WebRtcGame {
  unsigned server;
  std::int64_t time;  // its last packet's
};

WebRtcGame webrtc_game;

void close_session() {
  session.forget();
  webrtc_game = {};
}

}  // namespace

unsigned number_of_webrtc_server(std::int64_t time) {
  // Peers of a game are never silent for so long.
  constexpr std::int64_t longest_pause = 60 * godot_codec::nanoseconds_per_second;
  const bool is_over = godot_codec::elapsed(webrtc_game.time, time) > longest_pause;
  if (webrtc_game.server == 0 || is_over) webrtc_game.server = number_of_pair();
  webrtc_game.time = time;
  return webrtc_game.server;
}

godot_codec::MpConnection *new_mp_connection(unsigned server, bool is_from_start,
                                             const godot_codec::MpMissing *missing) {
  return &session->add_connection(server, is_from_start, missing);
}

const godot_codec::MpSession &mp_session() { return *session; }

void learn_mp_roles(godot_codec::MpConnection &connection, unsigned server, bool is_turned) {
  session->learn_roles(connection, server, is_turned);
}

void register_mp_state() { register_cleanup_routine(guarded<close_session>); }

}  // namespace godot_plugin
