// SPDX-License-Identifier: GPL-2.0-or-later
#include "godot-codec/webrtc/ice.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/webrtc/ice.h"
#include "plugin/webrtc/packet-godot_webrtc.h"

namespace godot_plugin {
namespace {

dissector_handle_t stun_handle;

[[gnu::noinline]] bool dissect_relayed_datagram(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  const IceDatagram datagram = inspect_ice_datagram(bytes_of(tvb), pinfo, true);
  if (datagram.pair == nullptr) return false;
  *relayed_frame = pinfo->num;
  // Adds to the root tree, because users do not expect a game in the subtree of a STUN attribute.
  tree = proto_tree_get_root(tree);
  dissect_on_handshake_pair(*datagram.pair, tvb, pinfo, tree, nullptr);
  inspect_ice_data(datagram, tvb, pinfo, tree);
  return true;
}

// Heuristic for the data in STUN indications and ChannelData. Accepts nothing before the capture's first ICE check.
ws_bool detect_relayed(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  constexpr unsigned header = 20;
  const bool is_check = may_update_state(pinfo) && tvb_captured_length(tvb) >= header &&
                        tvb_get_ntohs(tvb, 0) == godot_codec::stun_binding_request;
  return (is_check || has_ice_connections()) && dissect_relayed_datagram(tvb, pinfo, tree);
}

// Heuristic for TLS, because STUN's dissector does not register one. A relay's client begins with an Allocate request.
ws_bool detect_turn_in_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr || !may_update_state(pinfo) || !godot_codec::is_turn_allocation(bytes_of(tvb))) return false;
  *ws_tls_dissector_slot(data) = stun_handle;
  return call_dissector_only(stun_handle, tvb, pinfo, tree, data) > 0;
}

}  // namespace

void handoff_turn() {
  const int proto_webrtc = proto_get_id_by_filter_name("godot_webrtc");
  stun_handle = find_dissector("stun-tcp");
  heur_dissector_add("stun", guarded<detect_relayed>, "DTLS of WebRTC through a relay (TURN)", "dtls_turn",
                     proto_webrtc, HEURISTIC_ENABLE);
  heur_dissector_add("tls", guarded<detect_turn_in_tls>, "TURN over TLS", "turn_tls", proto_webrtc, HEURISTIC_ENABLE);
}

}  // namespace godot_plugin
