// SPDX-License-Identifier: GPL-2.0-or-later
#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/transport/transports.h"
#include "plugin/webrtc/ice.h"
#include "plugin/webrtc/packet-godot_webrtc.h"

namespace godot_plugin {
namespace {

using godot_codec::PeerDetectionOptions;
using godot_codec::PeerProtocol;

int proto_mp = -1;

bool is_message_payload(std::uint32_t payload) {
  return payload == godot_codec::sctp_text || payload == godot_codec::sctp_binary;
}

// True if SCTP has reassembled the message from fragments, for example the message of 1,200 bytes in
// tests/data/web_star.pcapng.
bool is_reassembled(tvbuff_t *tvb) { return tvb_get_ds_tvb(tvb) == tvb; }

bool is_plain_text(tvbuff_t *tvb) {
  const godot_codec::Bytes bytes = bytes_of(tvb);
  return godot_codec::is_plain_text(bytes.text());
}

// The packet does not show which peer is the server, and a mesh has no server. So the first sender is assumed to be a
// client.
PeerLink *link_of(packet_info *pinfo, WebRtcAssociation &association, bool is_custom) {
  PeerLink *&link = is_custom ? association.custom_link : association.multiplayer_link;
  if (link != nullptr) return link;
  const godot_codec::MpTransmissionTrackers &transmissions = association.channels->transmissions();
  return link = new_peer_link(pinfo, {true, association.is_from_start, false, false, &transmissions});
}

// True for channels that the game has opened (DCEP). The multiplayer's channels are negotiated without DCEP.
bool is_custom_channel(const WebRtcChannel &channel) { return channel.dcep_channel != nullptr; }

MessageContext context_of(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const SctpPacket &packet,
                          const WebRtcChannel &channel) {
  const AssociationEnds &ends = packet.ends;
  MessageContext context{pinfo, tree, tvb};
  context.message = make_message(tvb, pinfo, Transport::webrtc, heuristic_position(pinfo));
  const PacketPorts own = exchange_ports(pinfo, ends.ports);
  context.game_link = link_of(pinfo, *ends.association, is_custom_channel(channel));
  context.message.sender_side = sending_end(pinfo, *context.game_link);
  const IcePeerIds peers = ice_peer_ids_of(pinfo);
  exchange_ports(pinfo, own);
  context.conversation = ends.conversation;
  context.transport_info = DataChannelInfo{describe_channel(channel, pinfo),
                                           endpoint_text(pinfo->pool, pinfo->src, ends.ports.source),
                                           endpoint_text(pinfo->pool, pinfo->dst, ends.ports.destination),
                                           peers.source,
                                           peers.destination,
                                           ends.direction};
  // If the first fragment is not in the capture, the payload type is unknown, so the bytes decide.
  const bool is_unknown = channel.payload_type == godot_codec::sctp_no_payload;
  if (channel.payload_type == godot_codec::sctp_text || (is_unknown && is_plain_text(tvb))) {
    context.message.format = godot_codec::PayloadFormat::text;
  }
  context.message.sequence = channel.sequence;
  return context;
}

PeerDetectionOptions options_for(const WebRtcAssociation &association, const WebRtcChannel &channel,
                                 bool is_configured) {
  PeerDetectionOptions options = enabled_peer_protocols();
  options.may_be_multiplayer = options.may_be_multiplayer && !is_custom_channel(channel);
  options.is_multiplayer_configured = is_configured && !is_custom_channel(channel);
  // In a connection of a Godot game, all channels belong to the game.
  options.is_variant_configured = options.may_be_variant && is_custom_channel(channel) &&
                                  association.multiplayer_link != nullptr &&
                                  association.multiplayer_link->detection.is_game();
  return options;
}

// @param data SCTP's payload protocol identifier
// @param running the protocol of the running dissector
int dissect_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, bool is_configured, int running) {
  const std::uint32_t payload = GPOINTER_TO_UINT(data);
  const bool is_fragments = payload == godot_codec::sctp_no_payload && is_reassembled(tvb);
  if ((!is_message_payload(payload) && !is_fragments) || tvb_reported_length(tvb) == 0) return 0;
  const SctpPacket &packet = sctp_packet_of(pinfo);
  const WebRtcChannel channel = channel_of(packet, tvb, payload, pinfo);
  if (channel.payload_type != godot_codec::sctp_no_payload && !is_message_payload(channel.payload_type)) return 0;
  MessageContext context = context_of(tvb, pinfo, tree, packet, channel);
  DetectedMessage message = detect_message(context, options_for(*packet.ends.association, channel, is_configured));
  const PeerProtocol protocol = message.decision.protocol;
  if (protocol != PeerProtocol::unclaimed)
    add_channel_layer(channel, tvb, pinfo, tree, protocol == PeerProtocol::multiplayer);
  const int size = dissect_detected_message(message, running);
  // If the result were 0, SCTP would offer a port's message to the heuristic, which would evaluate it a second time.
  return size > 0 || !is_configured ? size : call_data_dissector(tvb, pinfo, tree);
}

ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect_message(tvb, pinfo, tree, data, false, detection_protocol_id()) > 0;
}

int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect_message(tvb, pinfo, tree, data, true, proto_mp);
}

}  // namespace

void handoff_webrtc_transport() {
  handoff_godot_webrtc();
  proto_mp = proto_get_id_by_filter_name("godot_mp");
  register_heuristic("sctp", "godot_sctp", guarded<detect>, "Godot multiplayer and Variants over WebRTC (SCTP)");
  dissector_add_uint_range_with_preference("sctp.port", "",
                                           register_dissector("godot_mp.sctp", guarded<dissect_on_port>, proto_mp));
}

}  // namespace godot_plugin
