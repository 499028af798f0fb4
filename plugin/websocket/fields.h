// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that a `godot_websocket` tree is made of.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct WebSocketFields {
  int path = -1;
  int origin = -1;
  int asked = -1;
  int taken = -1;
  int status = -1;
  int close_code = -1;
  int close_reason = -1;
};

struct WebSocketExperts {
  expert_field refused;
  expert_field forbidden;
  expert_field subprotocol;
  expert_field tls_mismatch;
  expert_field tls_refused;
  expert_field unanswered;
  expert_field aborted;
  expert_field closed;
  expert_field unread;
};

extern WebSocketFields websocket_fields;
extern WebSocketExperts websocket_experts;
extern int websocket_subtree;

/// Registers all of the above for the protocol `godot_websocket`.
void register_websocket_fields(int proto);

}  // namespace godot_plugin
