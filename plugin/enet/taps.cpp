// SPDX-License-Identifier: GPL-2.0-or-later
#include <epan/dissectors/packet-udp.h>

#include "plugin/enet/capture_session.h"
#include "plugin/enet/datagram_dissection.h"
#include "plugin/enet/rules.h"
#include "plugin/epan/packet_info.h"

namespace godot_plugin {
namespace {

int datagram_tap = -1;
int message_tap = -1;

// Returns the field that the filter of a row compares.
const char *filter_field(const address &any, conv_filter_type_e filter) {
  const bool is_ipv6 = any.type == AT_IPv6;
  switch (filter) {
    case CONV_FT_SRC_ADDRESS:
      return is_ipv6 ? "ipv6.src" : "ip.src";
    case CONV_FT_DST_ADDRESS:
      return is_ipv6 ? "ipv6.dst" : "ip.dst";
    case CONV_FT_ANY_ADDRESS:
      return is_ipv6 ? "ipv6.addr" : "ip.addr";
    case CONV_FT_SRC_PORT:
      return "udp.srcport";
    case CONV_FT_DST_PORT:
      return "udp.dstport";
    case CONV_FT_ANY_PORT:
      return "udp.port";
    default:
      return CONV_FILTER_INVALID;
  }
}

const char *conversation_filter(conv_item_t *item, conv_filter_type_e filter) {
  return filter_field(item->src_address, filter);
}

const char *endpoint_filter(endpoint_item_t *item, conv_filter_type_e filter) {
  return filter_field(item->myaddress, filter);
}

ct_dissector_info_t conversation_info = {conversation_filter};

// The Conversations window filters rows by udp.stream, regardless of the table's protocol. So rows are numbered by
// udp.stream here. Successive connections between the same ports share a row.
tap_packet_status count_datagram(void *table, packet_info *pinfo, epan_dissect_t * /*edt*/, const void * /*data*/,
                                 tap_flags_t flags) {
  auto *hash = static_cast<conv_hash_t *>(table);
  hash->flags = flags;
  const udp_analysis *udp = get_udp_conversation_data(nullptr, pinfo);
  const conv_id_t stream = udp == nullptr ? CONV_ID_UNSET : udp->stream;
  add_conversation_table_data_with_conv_id(hash, &pinfo->src, &pinfo->dst, pinfo->srcport, pinfo->destport, stream, 1,
                                           static_cast<int>(pinfo->fd->pkt_len), &pinfo->rel_ts, &pinfo->abs_ts,
                                           &conversation_info, CONVERSATION_UDP);
  return TAP_PACKET_REDRAW;
}

et_dissector_info_t endpoint_info = {endpoint_filter};

tap_packet_status count_endpoints(void *table, packet_info *pinfo, epan_dissect_t * /*edt*/, const void * /*data*/,
                                  tap_flags_t flags) {
  auto *hash = static_cast<conv_hash_t *>(table);
  hash->flags = flags;
  const int bytes = static_cast<int>(pinfo->fd->pkt_len);
  add_endpoint_table_data(hash, &pinfo->src, pinfo->srcport, true, 1, bytes, &endpoint_info, ENDPOINT_UDP);
  add_endpoint_table_data(hash, &pinfo->dst, pinfo->destport, false, 1, bytes, &endpoint_info, ENDPOINT_UDP);
  return TAP_PACKET_REDRAW;
}

// ---- Follow Stream

char *stream_filter(unsigned stream, unsigned /*sub_stream*/) { return g_strdup_printf("enet.stream eq %u", stream); }

char *stream_filter_of_packet(epan_dissect_t * /*edt*/, packet_info *pinfo, unsigned *stream, unsigned *sub_stream) {
  const EnetConnection *connection = enet_connection(pinfo);
  if (connection == nullptr) return nullptr;
  *stream = connection->stream;
  *sub_stream = 0;
  return stream_filter(*stream, 0);
}

tap_packet_status follow_message(void *follow, packet_info *pinfo, epan_dissect_t *edt, const void *message,
                                 tap_flags_t flags) {
  const EnetConnection *connection = enet_connection(pinfo);
  set_followed_client(follow, pinfo, connection == nullptr || is_to_server(pinfo, *connection));
  return follow_tvb_tap_listener(follow, pinfo, edt, message, flags);
}

char *address_filter(address *source, address *destination, int source_port, int destination_port) {
  const char *ip = source->type == AT_IPv6 ? "ipv6" : "ip";
  char *from = address_to_str(nullptr, source);
  char *to = address_to_str(nullptr, destination);
  char *filter = g_strdup_printf(
      "((%s.src eq %s and udp.srcport eq %d) and (%s.dst eq %s and udp.dstport eq %d)) or "
      "((%s.src eq %s and udp.srcport eq %d) and (%s.dst eq %s and udp.dstport eq %d))",
      ip, from, source_port, ip, to, destination_port, ip, to, destination_port, ip, from, source_port);
  wmem_free(nullptr, from);
  wmem_free(nullptr, to);
  return filter;
}

}  // namespace

void tap_datagram(packet_info *pinfo) { tap_queue_packet(datagram_tap, pinfo, nullptr); }

void tap_message(packet_info *pinfo, tvbuff_t *message) {
  if (have_tap_listener(message_tap)) tap_queue_packet(message_tap, pinfo, message);
}

void register_enet_taps(int proto) {
  datagram_tap = register_tap("enet");
  message_tap = register_tap("enet_follow");
  register_conversation_table(proto, false, count_datagram, count_endpoints);
  ws_register_follow_stream(proto, "enet_follow", stream_filter_of_packet, stream_filter, address_filter,
                            udp_port_to_display, follow_message, enet_connection_count);
}

}  // namespace godot_plugin
