// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/webrtc.h"

#include "plugin/carriers/peers.h"
#include "plugin/carriers/pins.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/user.h"

namespace godot_plugin {
namespace {

using godot_codec::PeerOptions;
using godot_codec::PeerProtocol;

// Of what SCTP carries (RFC 8831): text and bytes. What opens and closes channels has other numbers.
constexpr std::uint32_t payload_text = 51;
constexpr std::uint32_t payload_binary = 53;

struct Association {
  PeerLink *link;
};

Switch multiplayer_switch("godot_mp_sctp");
ByConversation<Association> associations;
int hf_udp_source = -1;
int hf_udp_destination = -1;

struct Ends {
  port_type type;
  std::uint32_t source;
  std::uint32_t destination;
};

// The ports by which the association is told from others. WebRTC has one port of SCTP's for everybody, 5000: below it
// is UDP, whose ports differ.
Ends ends_of(packet_info *pinfo) {
  // UDP keeps its ports by the layer that it is.
  for (std::uint32_t layer = pinfo->curr_layer_num; layer > 0; --layer) {
    const std::uint32_t source = GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, hf_udp_source, layer));
    if (source == 0) continue;
    return {PT_UDP, source, GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, hf_udp_destination, layer))};
  }
  return {pinfo->ptype, pinfo->srcport, pinfo->destport};
}

// Nothing says which peer is the server; in a mesh there is none. Whoever speaks first is taken for a client.
PeerLink *link_of(packet_info *pinfo) {
  Association &association = associations.of(find_or_create_conversation(pinfo));
  if (association.link == nullptr) {
    association.link = new_peer_link(pinfo, {true, false, false, false});
  }
  return association.link;
}

CarriedMessage carried_message(tvbuff_t *tvb, packet_info *pinfo) {
  const Ends ends = ends_of(pinfo);
  const Message message{tvb, Carrier::webrtc, moment_of_heuristic(pinfo), false};
  BorrowedPorts ports(pinfo, ends.type, ends.source, ends.destination);
  CarriedMessage carried{message, link_of(pinfo), {}, true, false, 0, nullptr};
  carried.facts.is_from_client = is_from_client(pinfo, *carried.link);
  ports.restore();
  carried.facts.carrier = godot_codec::PeerCarrier::webrtc;
  return carried;
}

// @param data the number of what SCTP carries
bool dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, bool is_told) {
  const std::uint32_t payload = GPOINTER_TO_UINT(data);
  if ((payload != payload_text && payload != payload_binary) || tvb_reported_length(tvb) == 0) return false;
  const CarriedMessage carried = carried_message(tvb, pinfo);
  PeerOptions options;
  options.may_be_multiplayer = multiplayer_switch.is_on();
  options.may_be_variant = false;
  options.is_told_multiplayer = is_told;
  const godot_codec::PeerVerdict verdict = choose_peer_protocol(carried, pinfo, options);
  return verdict.protocol == PeerProtocol::multiplayer && dissect_peer_message(carried, pinfo, tree, verdict);
}

ws_bool recognise(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect(tvb, pinfo, tree, data, false);
}

int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect(tvb, pinfo, tree, data, true) ? static_cast<int>(tvb_captured_length(tvb)) : 0;
}

}  // namespace

void register_webrtc() { associations.register_state(); }

void handoff_webrtc() {
  const int proto_mp = proto_get_id_by_filter_name("godot_mp");
  hf_udp_source = proto_registrar_get_id_byname("udp.srcport");
  hf_udp_destination = proto_registrar_get_id_byname("udp.dstport");
  multiplayer_switch.register_with("sctp", recognise, "Godot multiplayer over WebRTC (SCTP)", proto_mp);
  dissector_add_uint_range_with_preference("sctp.port", "",
                                           register_dissector("godot_mp.sctp", dissect_on_port, proto_mp));
  dissector_add_for_decode_as("dtls.port", find_dissector("sctp"));
}

}  // namespace godot_plugin
