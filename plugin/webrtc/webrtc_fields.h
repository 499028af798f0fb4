// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The fields and subtree of `godot_webrtc`.
#pragma once

#include "plugin/epan/field_registration.h"

namespace godot_plugin {

struct WebRtcFields {
  HeaderField channel{
      FT_UINT16, "godot_webrtc.channel", "Channel",
      "Number of the data channel, the SCTP stream. WebRTCMultiplayerPeer uses 1 (reliable), 2 (unreliable ordered), 3 (unreliable), and from 4 on the channels of the game"};
  HeaderField delivery{FT_STRING, "godot_webrtc.delivery", "Delivery", "Delivery mode of the data channel"};
  HeaderField label{FT_STRING, "godot_webrtc.label", "Label", "Name of the data channel"};
  HeaderField protocol{FT_STRING, "godot_webrtc.protocol", "Protocol",
                       "Subprotocol that the game sets for the channel"};
  HeaderField opened_in{FT_FRAMENUM, "godot_webrtc.opened_in", "Opened in", "Frame that opened the channel"};
};

inline WebRtcFields webrtc_fields;
inline Subtree webrtc_subtree;

}  // namespace godot_plugin
