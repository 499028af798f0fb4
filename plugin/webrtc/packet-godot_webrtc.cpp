// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/webrtc/packet-godot_webrtc.h"

#include "plugin/epan/exception_guard.h"
#include "plugin/epan/packet_info.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/webrtc/ice.h"
#include "plugin/webrtc/webrtc_fields.h"

namespace godot_plugin {
namespace {

int proto_webrtc = -1;
dissector_handle_t sctp_handle;
dissector_handle_t association_handle;

// ALPN names of WebRTC (RFC 8833). With the second name, the browser hides the media from the page.
constexpr const char *alpn_names[] = {"webrtc", "c-webrtc"};

int dissect_association(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  begin_sctp_packet(tvb, pinfo);
  return call_dissector_only(sctp_handle, tvb, pinfo, tree, nullptr);
}

// Ignores packets that are quoted in an ICMP error.
int dissect_in_dtls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (!is_outside_icmp_error(pinfo)) return 0;
  const std::optional<PacketEndpoints> ends = sctp_ends_of(pinfo);
  if (!ends) return dissect_association(tvb, pinfo, tree, data);
  return call_with_endpoints(association_handle, *ends, tvb, pinfo, tree, data);
}

// Heuristic for DTLS, needed because Chromium does not answer ALPN.
ws_bool detect_in_dtls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (!is_outside_icmp_error(pinfo) || !is_webrtc_packet(tvb, pinfo)) return false;
  return dissect_in_dtls(tvb, pinfo, tree, data) > 0;
}

void add_text_field(proto_tree *tree, int field, const packet_info *pinfo, std::string_view text) {
  if (text.empty()) return;
  proto_item_set_generated(proto_tree_add_string(tree, field, nullptr, 0, 0, printable(pinfo->pool, text)));
}

}  // namespace

WebRtcChannel channel_of(const SctpPacket &packet, tvbuff_t *message, std::uint32_t payload, packet_info *pinfo) {
  WebRtcChannel channel;
  channel.payload_type = payload;
  const auto data = find_sctp_data(packet, message);
  if (!data) return channel;
  const AssociationEnds &ends = packet.ends;
  if (payload == godot_codec::sctp_no_payload && !data->is_whole_message()) {
    channel.payload_type = ends.association->channels->payload_type_of(ends.direction, *data);
  }
  channel.is_known = true;
  channel.sctp_stream = data->stream;
  channel.dcep_channel = ends.association->channels->find(data->stream, {pinfo->num, 0});
  const std::string_view delivery = godot_codec::describe_delivery(*data, channel.dcep_channel);
  channel.delivery = delivery.data();
  const bool is_in_order = delivery == "Reliable";
  // SCTP numbers the messages of a stream from 0.
  channel.sequence = {data->stream, static_cast<std::uint16_t>(data->message_id), is_in_order ? 1U : 0U, 0,
                      !is_in_order};
  return channel;
}

const char *describe_channel(const WebRtcChannel &channel, packet_info *pinfo) {
  if (!channel.is_known) return nullptr;
  wmem_allocator_t *pool = pinfo->pool;
  const char *text = wmem_strdup_printf(pool, "%s ch %u", channel.delivery, channel.sctp_stream);
  if (channel.dcep_channel == nullptr) return text;
  text = wmem_strdup_printf(pool, "%s \"%s\"", text, printable(pool, channel.dcep_channel->label));
  if (channel.dcep_channel->protocol.empty()) return text;
  return wmem_strdup_printf(pool, "%s, protocol \"%s\"", text, printable(pool, channel.dcep_channel->protocol));
}

void add_channel_layer(const WebRtcChannel &channel, tvbuff_t *message, packet_info *pinfo, proto_tree *tree,
                       bool is_multiplayers) {
  if (tree == nullptr || !channel.is_known) return;
  proto_item *item = proto_tree_add_protocol_format(tree, proto_webrtc, message, 0, 0, "WebRTC data channel: %s",
                                                    describe_channel(channel, pinfo));
  proto_item_set_generated(item);
  proto_tree *fields = proto_item_add_subtree(item, webrtc_subtree);
  proto_item_set_generated(proto_tree_add_uint(fields, webrtc_fields.channel, message, 0, 0, channel.sctp_stream));
  proto_item_set_generated(proto_tree_add_string(fields, webrtc_fields.delivery, message, 0, 0, channel.delivery));
  if (channel.dcep_channel == nullptr) {
    if (is_multiplayers) {
      add_text_field(fields, webrtc_fields.label, pinfo, godot_codec::multiplayer_channel_label(channel.sctp_stream));
    }
    return;
  }
  add_text_field(fields, webrtc_fields.label, pinfo, channel.dcep_channel->label);
  add_text_field(fields, webrtc_fields.protocol, pinfo, channel.dcep_channel->protocol);
  const std::uint32_t frame = channel.dcep_channel->opened_at.packet;
  proto_item_set_generated(proto_tree_add_uint(fields, webrtc_fields.opened_in, message, 0, 0, frame));
}

void register_godot_webrtc() {
  proto_webrtc = proto_register_protocol("WebRTC Data Channels", "WebRTC-Data", "godot_webrtc");
}

void handoff_godot_webrtc() {
  handoff_ice();
  handoff_turn();
  sctp_handle = find_dissector("sctp");
  // Registered without a protocol, so that it adds no layer.
  association_handle = create_dissector_handle(guarded<dissect_association>, -1);
  dissector_handle_t in_dtls = register_dissector("godot_webrtc", guarded<dissect_in_dtls>, proto_webrtc);
  for (const char *name : alpn_names) dissector_add_string("dtls.alpn", name, in_dtls);
  dissector_add_for_decode_as("dtls.port", in_dtls);
  dissector_add_for_decode_as("dtls.port", sctp_handle);
  heur_dissector_add("dtls", guarded<detect_in_dtls>, "WebRTC data channels (SCTP) over DTLS", "sctp_dtls",
                     proto_webrtc, HEURISTIC_ENABLE);
}

}  // namespace godot_plugin
