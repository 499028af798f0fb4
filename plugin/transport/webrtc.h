// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of WebRTC's data channels, which are SCTP's: the high-level multiplayer's (WebRTCMultiplayerPeer).
#pragma once

namespace godot_plugin {

void register_webrtc();
/// Hooks onto SCTP, and lets the user say that it is what DTLS carries.
void handoff_webrtc();

}  // namespace godot_plugin
