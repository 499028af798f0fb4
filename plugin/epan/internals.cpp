// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/internals.h"

#include <epan/column.h>
#include <epan/exceptions.h>

#include <algorithm>
#include <utility>

#include "godot-codec/stream/tcp_segment.h"

extern "C" {
#include <epan/prefs-int.h>  // prefs_get_bool_value(), to read a preference of another dissector
}

namespace godot_plugin {
namespace {

// Returns a preference of TCP's dissector. epan never frees preferences, so the pointer stays valid.
pref_t *find_tcp_preference(const char *name) { return prefs_find_preference(prefs_find_module("tcp"), name); }

// Returns the TCP dissector's state for the packet's direction; null if it has no state.
// @param conversation the packet's conversation; null: epan looks it up
const tcp_flow_t *tcp_flow_of(packet_info *pinfo, conversation_t *conversation) {
  const tcp_analysis *tcp = get_tcp_conversation_data(conversation, pinfo);
  return tcp == nullptr ? nullptr : tcp->fwd;
}

// True if the TCP dissector shows relative sequence numbers.
bool are_tcp_seqs_relative() {
  static pref_t *const preferences[] = {find_tcp_preference("analyze_sequence_numbers"),
                                        find_tcp_preference("relative_sequence_numbers")};
  return std::ranges::all_of(preferences, [](pref_t *preference) {
    return preference != nullptr && prefs_get_bool_value(preference, pref_current) != 0;
  });
}

// Replaces the packet's endpoints. @returns the previous endpoints
PacketEndpoints exchange_endpoints(packet_info *pinfo, const PacketEndpoints &ends) {
  const PacketEndpoints before{pinfo->src, pinfo->dst, exchange_ports(pinfo, ends.ports)};
  pinfo->src = ends.source;
  pinfo->dst = ends.destination;
  return before;
}

}  // namespace

// ---- the packet

int call_with_endpoints(dissector_handle_t handle, const PacketEndpoints &ends, tvbuff_t *tvb, packet_info *pinfo,
                        proto_tree *tree, void *data) {
  const PacketEndpoints own = exchange_endpoints(pinfo, ends);
  volatile int size = 0;
  // NOLINTBEGIN: macros of epan
  TRY { size = call_dissector_only(handle, tvb, pinfo, tree, data); }
  CATCH_ALL {
    exchange_endpoints(pinfo, own);
    RETHROW;
  }
  ENDTRY;
  // NOLINTEND
  exchange_endpoints(pinfo, own);
  return size;
}

void queue_tap_data(int tap, packet_info *pinfo, const void *data) {
  const auto is_quoted = pinfo->flags.in_error_pkt;
  pinfo->flags.in_error_pkt = false;
  tap_queue_packet(tap, pinfo, data);
  pinfo->flags.in_error_pkt = is_quoted;
}

void remove_last_layer(packet_info *pinfo, int proto) {
  wmem_list_frame_t *last = wmem_list_tail(pinfo->layers);
  if (last == nullptr || GPOINTER_TO_INT(wmem_list_frame_data(last)) != proto) return;
  wmem_list_remove_frame(pinfo->layers, last);
  --pinfo->curr_layer_num;
}

bool has_layer(const packet_info *pinfo, const char *protocol) {
  return proto_is_frame_protocol(pinfo->layers, protocol) != 0;
}

void allow_desegment(packet_info *pinfo) { pinfo->can_desegment = pinfo->saved_can_desegment; }

int call_instead_of(int proto, dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                    void *data) {
  remove_last_layer(pinfo, proto);
  allow_desegment(pinfo);
  return call_dissector_only(dissector, tvb, pinfo, tree, data);
}

// ---- trees

bool is_visible(proto_tree *tree) { return tree != nullptr && PTREE_DATA(tree)->visible; }

bool is_tree_full(proto_tree *tree, std::uint32_t left_out) {
  return tree != nullptr && PTREE_DATA(tree)->count + left_out >= prefs.gui_max_tree_items / 4 * 3;
}

// ---- TCP

std::uint32_t tcp_base_seq(conversation_t *conversation, packet_info *pinfo) {
  if (!are_tcp_seqs_relative()) return 0;
  const tcp_flow_t *flow = tcp_flow_of(pinfo, conversation);
  return flow == nullptr ? 0 : flow->base_seq;
}

// Values of TCP_COMPLETENESS_* in Wireshark's packet-tcp.c.
constexpr unsigned has_syn = 0x01;
constexpr unsigned has_ack = 0x04;  // set for any ACK, including the one in a refusal
constexpr unsigned has_reset = 0x20;

bool is_tcp_connection_refused(packet_info *pinfo) {
  const tcp_analysis *tcp = get_tcp_conversation_data(nullptr, pinfo);
  return tcp != nullptr && (tcp->conversation_completeness & ~has_ack) == (has_syn | has_reset) &&
         tcp->server_port == pinfo->srcport;
}

std::optional<std::uint32_t> tcp_first_byte_seq(packet_info *pinfo) {
  const tcp_analysis *tcp = get_tcp_conversation_data(nullptr, pinfo);
  if (tcp == nullptr || tcp->fwd == nullptr || (tcp->conversation_completeness & has_syn) == 0) return std::nullopt;
  return tcp->fwd->base_seq + 1;
}

// get_tcp_conversation_data() discards the segment's analysis if it is called with a conversation. So read the data
// directly.
const tcp_analysis *tcp_analysis_of(const conversation_t *conversation) {
  static const int proto_tcp = proto_get_id_by_filter_name("tcp");
  return static_cast<const tcp_analysis *>(conversation_get_proto_data(conversation, proto_tcp));
}

// Not from a TcpSequence, because the payload's dissectors need this before the connection's TcpSequence is updated.
bool has_gap_before_segment(const tcp_analysis *tcp) {
  constexpr unsigned lost_packet = 0x02;  // TCP_A_LOST_PACKET
  return tcp != nullptr && tcp->ta != nullptr && (tcp->ta->flags & lost_packet) != 0;
}

bool continues_tcp_reassembly(conversation_t *conversation, packet_info *pinfo, std::uint32_t seq) {
  const tcp_flow_t *flow = tcp_flow_of(pinfo, conversation);
  if (flow == nullptr) return false;
  const std::uint32_t shown = are_tcp_seqs_relative() ? seq - flow->base_seq : seq;
  const auto *message =
      static_cast<const tcp_multisegment_pdu *>(wmem_tree_lookup32_le(flow->multisegment_pdus, shown - 1));
  return message != nullptr && godot_codec::is_seq_before(shown, message->nxtpdu);
}

// ---- UDP

std::optional<PacketPorts> find_udp_ports(packet_info *pinfo) {
  static const int hf_source = proto_registrar_get_id_byname("udp.srcport");
  static const int hf_destination = proto_registrar_get_id_byname("udp.dstport");
  // The UDP dissector stores the ports of a datagram under the datagram's layer number. The innermost datagram has the
  // highest layer.
  for (std::uint32_t layer = pinfo->curr_layer_num; layer > 0; --layer) {
    const auto source = GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, hf_source, layer));
    if (source == 0) continue;
    return PacketPorts{PT_UDP, source, GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, hf_destination, layer))};
  }
  return std::nullopt;
}

// ---- tables of statistics

void remove_rows(stat_tap_table *table) {
  while (table->num_elements > 0) {
    --table->num_elements;
    g_free(table->elements[table->num_elements]);  // g_free() is a macro in newer GLib
  }
  g_free(table->elements);
  table->elements = nullptr;
}

// ---- columns

SpareColumns::SpareColumns() {
  col_setup(&columns_, 2);
  columns_.columns[protocol].col_fmt = COL_PROTOCOL;
  columns_.columns[info].col_fmt = COL_INFO;
  col_finalize(&columns_);
}

column_info *SpareColumns::exchange(packet_info *pinfo) {
  columns_.epan = pinfo->epan;
  columns_.writable = true;
  for (int i = 0; i <= info; ++i) {
    auto &column = columns_.columns[i];
    column.col_buf[0] = '\0';
    column.col_data = column.col_buf;
    column.col_fence = 0;
    column.writable = true;
  }
  return std::exchange(pinfo->cinfo, &columns_);
}

const char *SpareColumns::text(Column column) const {
  const char *text = columns_.columns[column].col_data;
  return text == nullptr ? "" : text;
}

}  // namespace godot_plugin
