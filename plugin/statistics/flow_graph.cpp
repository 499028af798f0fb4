// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/flow_graph.h"

#include <cstring>

#include "plugin/epan/exception_guard.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/sequence_analysis.h"
#include "plugin/statistics/frame_record.h"

namespace godot_plugin {
namespace {

// epan identifies nodes by address. Two peers on one machine have the same IP address, so this uses the node's name as
// the address.
void set_node_name(address &node, const char *name) {
  address text;
  set_address(&text, AT_STRINGZ, static_cast<int>(std::strlen(name) + 1), name);
  free_address(&node);
  copy_address(&node, &text);
}

tap_packet_status add_arrows_to_graph(void *sequence, packet_info *pinfo, epan_dissect_t * /*edt*/, const void *data,
                                      tap_flags_t /*flags*/) {
  const FlowArrow *arrow = static_cast<const FrameRecord *>(data)->first_arrow;
  if (arrow == nullptr) return TAP_PACKET_DONT_REDRAW;
  auto *info = static_cast<seq_analysis_info_t *>(sequence);
  for (; arrow != nullptr; arrow = arrow->next) {
    seq_analysis_item_t *item = sequence_analysis_create_sai_with_addresses(pinfo, info);
    if (item == nullptr) return TAP_PACKET_DONT_REDRAW;
    sequence_analysis_use_color_filter(pinfo, item);
    set_node_name(item->src_addr, arrow->source);
    set_node_name(item->dst_addr, arrow->destination);
    item->frame_number = pinfo->num;
    item->port_src = arrow->source_port;
    item->port_dst = arrow->destination_port;
    item->frame_label = g_strdup(arrow->label);
    item->comment = arrow->delivery == nullptr ? g_strdup(arrow->comment)
                                               : g_strdup_printf("%s [%s]", arrow->comment, arrow->delivery);
    item->line_style = 1;
    item->display = true;
    g_queue_push_tail(info->items, item);
  }
  return TAP_PACKET_REDRAW;
}

}  // namespace

bool wants_arrows(packet_info *pinfo) { return frame_record_if_counted(pinfo) != nullptr; }

void add_arrow(packet_info *pinfo, const char *label, const char *comment, const char *source,
               const char *destination) {
  FrameRecord *record = frame_record_if_counted(pinfo);
  if (record == nullptr) return;
  auto *arrow = wmem_new0(pinfo->pool, FlowArrow);
  arrow->source = source != nullptr ? source : endpoint_text(pinfo->pool, pinfo->src, pinfo->srcport);
  arrow->destination = destination != nullptr ? destination : endpoint_text(pinfo->pool, pinfo->dst, pinfo->destport);
  arrow->source_port = static_cast<std::uint16_t>(pinfo->srcport);
  arrow->destination_port = static_cast<std::uint16_t>(pinfo->destport);
  arrow->label = label;
  arrow->comment = comment;
  (record->last_arrow == nullptr ? record->first_arrow : record->last_arrow->next) = arrow;
  record->last_arrow = arrow;
}

void set_arrow_delivery(packet_info *pinfo, const char *delivery) {
  const FrameRecord *record = find_frame_record(pinfo);
  FlowArrow *arrow = record == nullptr ? nullptr : record->last_arrow;
  if (arrow != nullptr && arrow->delivery == nullptr) arrow->delivery = delivery;
}

void register_flow_graph() {
  register_seq_analysis("godot", "Godot Flows", proto_get_id_by_filter_name("godot_mp"), frame_tap, TL_REQUIRES_NOTHING,
                        guarded<add_arrows_to_graph>);
}

}  // namespace godot_plugin
