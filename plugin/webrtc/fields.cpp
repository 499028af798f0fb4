// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/webrtc/fields.h"

namespace godot_plugin {

WebRtcFields webrtc_fields;
WebRtcExperts webrtc_experts;
int webrtc_subtree = -1;

void register_webrtc_fields(int proto) {
  static hf_register_info registrations[] = {
      {&webrtc_fields.channel,
       {"Channel", "godot_webrtc.channel", FT_UINT16, BASE_DEC, nullptr, 0,
        "Number of the data channel: SCTP's stream. WebRTCMultiplayerPeer has 1 for what is reliable, 2 for what is "
        "unreliable and ordered, 3 for what is unreliable, and the game's own channels from 4 on",
        HFILL}},
      {&webrtc_fields.delivery,
       {"Delivery", "godot_webrtc.delivery", FT_STRING, BASE_NONE, nullptr, 0, "How the channel delivers messages",
        HFILL}},
      {&webrtc_fields.label,
       {"Label", "godot_webrtc.label", FT_STRING, BASE_NONE, nullptr, 0,
        "Name of the channel: the game's, or the one that the multiplayer gives it", HFILL}},
      {&webrtc_fields.protocol,
       {"Protocol", "godot_webrtc.protocol", FT_STRING, BASE_NONE, nullptr, 0,
        "What the game says that is spoken on the channel", HFILL}},
      {&webrtc_fields.opened_in,
       {"Opened in", "godot_webrtc.opened_in", FT_FRAMENUM, BASE_NONE, nullptr, 0, "Frame that opened the channel",
        HFILL}},
  };
  static_assert(array_length(registrations) == sizeof(WebRtcFields) / sizeof(int), "a row for each field");
  proto_register_field_array(proto, registrations, static_cast<int>(array_length(registrations)));
  static int *const trees[] = {&webrtc_subtree};
  proto_register_subtree_array(trees, static_cast<int>(array_length(trees)));
  static ei_register_info expert_registrations[] = {
      {&webrtc_experts.unread,
       {"godot_webrtc.unread", PI_DECRYPTION, PI_NOTE, "Data channels that cannot be read", EXPFILL}},
  };
  static_assert(array_length(expert_registrations) == sizeof(WebRtcExperts) / sizeof(expert_field),
                "a row for each expert item");
  expert_register_field_array(expert_register_protocol(proto), expert_registrations,
                              static_cast<int>(array_length(expert_registrations)));
}

}  // namespace godot_plugin
