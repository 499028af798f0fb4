// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that a `godot_webrtc` tree is made of.
#pragma once

#include "plugin/epan/fields.h"

namespace godot_plugin {

struct WebRtcFields {
  HeaderField channel{
      FT_UINT16, "godot_webrtc.channel", "Channel",
      "Number of the data channel: SCTP's stream. WebRTCMultiplayerPeer has 1 for what is reliable, 2 for what is "
      "unreliable and ordered, 3 for what is unreliable, and the game's own channels from 4 on"};
  HeaderField delivery{FT_STRING, "godot_webrtc.delivery", "Delivery", "How the channel delivers messages"};
  HeaderField label{FT_STRING, "godot_webrtc.label", "Label",
                    "Name of the channel: the game's, or the one that the multiplayer gives it"};
  HeaderField protocol{FT_STRING, "godot_webrtc.protocol", "Protocol",
                       "What the game says that is spoken on the channel"};
  HeaderField opened_in{FT_FRAMENUM, "godot_webrtc.opened_in", "Opened in", "Frame that opened the channel"};
};

struct WebRtcExperts {
  ExpertItem undecrypted{"godot_webrtc.undecrypted", PI_DECRYPTION, PI_NOTE, "Data channels that cannot be read"};
};

inline WebRtcFields webrtc_fields;
inline WebRtcExperts webrtc_experts;
inline int webrtc_subtree = -1;

}  // namespace godot_plugin
