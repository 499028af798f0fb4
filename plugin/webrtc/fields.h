// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that a `godot_webrtc` tree is made of.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct WebRtcFields {
  int channel = -1;
  int delivery = -1;
  int label = -1;
  int protocol = -1;
  int opened_in = -1;
};

struct WebRtcExperts {
  expert_field unread;
};

extern WebRtcFields webrtc_fields;
extern WebRtcExperts webrtc_experts;
extern int webrtc_subtree;

/// Registers all of the above for the protocol `godot_webrtc`.
void register_webrtc_fields(int proto);

}  // namespace godot_plugin
