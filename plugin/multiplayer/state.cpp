// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/state.h"

#include "plugin/epan/capture_state.h"
#include "plugin/epan/guard.h"

namespace godot_plugin {
namespace {

CaptureState<godot_codec::MpSession> session;

void close_session() { session.forget(); }

}  // namespace

godot_codec::MpConnection *new_mp_connection(unsigned server, bool is_from_start,
                                             const godot_codec::MpTransmissions *transmissions, bool has_roles) {
  return &session->add_connection(server, is_from_start, transmissions, has_roles);
}

const godot_codec::MpSession &mp_session() { return *session; }

void register_mp_state() { register_cleanup_routine(guarded<close_session>); }

}  // namespace godot_plugin
