// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// epan's flow graphs (Statistics, Flow Graph). All supported Wireshark releases export these functions, but do not
/// install the header. Outside Wireshark's source tree, the declarations below replace epan/sequence_analysis.h. In the
/// source tree, static_asserts compare them with that header. The tests FlowGraph.* fail if a release differs.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin::declared {

/// The members of an arrow that this plugin uses. epan allocates arrows, and may have more members after these.
struct SequenceItem {
  std::uint32_t frame_number;
  address src_addr;  ///< the arrow's start; epan compares addresses of any type
  std::uint16_t port_src;
  address dst_addr;
  std::uint16_t port_dst;
  char *frame_label;  ///< text above the arrow. epan frees this text and the next two with g_free().
  char *time_str;
  char *comment;  ///< text on the right
  std::uint16_t conv_num;
  unsigned fg_color;
  unsigned bg_color;
  ws_bool has_color_filter;
  ws_bool display;
  unsigned src_node;
  unsigned dst_node;
  std::uint16_t line_style;  ///< the arrow's width
};

/// The members of a graph that this plugin uses.
struct SequenceInfo {
  const char *name;
  ws_bool any_addr;
  int nconv;
  GQueue *items;
};

}  // namespace godot_plugin::declared

#if __has_include(<epan/sequence_analysis.h>)
extern "C" {
#include <epan/sequence_analysis.h>
}
#define GODOT_HELD_AGAINST(ours, theirs, member)                                              \
  static_assert(offsetof(godot_plugin::declared::ours, member) == offsetof(theirs, member) && \
                sizeof(godot_plugin::declared::ours::member) == sizeof(theirs::member))
GODOT_HELD_AGAINST(SequenceItem, seq_analysis_item_t, frame_number);
GODOT_HELD_AGAINST(SequenceItem, seq_analysis_item_t, src_addr);
GODOT_HELD_AGAINST(SequenceItem, seq_analysis_item_t, port_src);
GODOT_HELD_AGAINST(SequenceItem, seq_analysis_item_t, dst_addr);
GODOT_HELD_AGAINST(SequenceItem, seq_analysis_item_t, port_dst);
GODOT_HELD_AGAINST(SequenceItem, seq_analysis_item_t, frame_label);
GODOT_HELD_AGAINST(SequenceItem, seq_analysis_item_t, comment);
GODOT_HELD_AGAINST(SequenceItem, seq_analysis_item_t, display);
GODOT_HELD_AGAINST(SequenceItem, seq_analysis_item_t, line_style);
GODOT_HELD_AGAINST(SequenceInfo, seq_analysis_info_t, items);
#undef GODOT_HELD_AGAINST
#else
// NOLINTBEGIN(readability-identifier-naming): epan's names
using seq_analysis_item_t = godot_plugin::declared::SequenceItem;
using seq_analysis_info_t = godot_plugin::declared::SequenceInfo;
extern "C" {
WS_DLL_PUBLIC void register_seq_analysis(const char *name, const char *ui_name, int proto_id, const char *tap_listener,
                                         unsigned tap_flags, tap_packet_cb tap_func);
/// Allocates an item, and sets its addresses and time.
/// @returns null if the packet has no addresses
WS_DLL_PUBLIC seq_analysis_item_t *sequence_analysis_create_sai_with_addresses(packet_info *pinfo,
                                                                               seq_analysis_info_t *sainfo);
/// Gives the item the colours of the packet's row in the packet list.
WS_DLL_PUBLIC void sequence_analysis_use_color_filter(packet_info *pinfo, seq_analysis_item_t *sai);
}
// NOLINTEND(readability-identifier-naming)
#endif
