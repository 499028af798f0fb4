// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/state.h"

namespace godot_plugin {
namespace {

godot_codec::MpSession *session;

void open_session() { session = new godot_codec::MpSession; }

void close_session() {
  delete session;
  session = nullptr;
}

}  // namespace

godot_codec::MpConnection *new_mp_connection(unsigned server, bool is_from_start) {
  return &session->add_connection(server, is_from_start);
}

const godot_codec::MpSession &mp_session() { return *session; }

void register_mp_state() {
  register_init_routine(open_session);
  register_cleanup_routine(close_session);
}

}  // namespace godot_plugin
