// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/multiplayer/packet-godot_mp.h"

#if WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR >= 4

#include <epan/funnel.h>

#include <string>
#include <string_view>

#include "godot-codec/project/text_utils.h"

namespace godot_plugin {
namespace {

// A menu entry, which filters for packets with the same values in certain fields.
struct SimilarPacketsEntry {
  const char *menu_path;
  const char *fields;  // the fields that a packet must have for this entry, separated by commas
};

constexpr SimilarPacketsEntry entries[] = {
    {"Godot/Show this method's calls at this node", "godot_mp.path,godot_mp.rpc.method"},
    {"Godot/Show this method's calls, by its number", "godot_mp.path,godot_mp.rpc.method_id"},
    {"Godot/Show this node", "godot_mp.path"},
    {"Godot/Show this spawned node", "godot_mp.node"},
    {"Godot/Show this property", "godot_mp.property_path"},
};

// Returns the first item of a field; null if the packet has no such field.
field_info *find_item(const GPtrArray &items, std::string_view field) {
  for (unsigned i = 0; i < items.len; ++i) {
    auto *item = static_cast<field_info *>(items.pdata[i]);
    if (item->hfinfo->abbrev == field) return item;
  }
  return nullptr;
}

// Filters for packets with the same values as the selected packet. @param items all items of the selected packet
void filter_similar_packets(void *data, GPtrArray *items) {
  const auto &entry = *static_cast<const SimilarPacketsEntry *>(data);
  std::string filter;
  godot_codec::project::for_each_part(entry.fields, ',', [&](std::string_view field) {
    field_info *item = find_item(*items, field);
    char *comparison = item == nullptr ? nullptr : proto_construct_match_selected_string(item, nullptr);
    if (comparison == nullptr) return;
    if (!filter.empty()) filter += " && ";
    filter += comparison;
    wmem_free(nullptr, comparison);
  });
  const funnel_ops_t *window = funnel_get_funnel_ops();
  if (filter.empty() || window == nullptr) return;
  window->set_filter(window->ops_id, filter.c_str());
  window->apply_filter(window->ops_id);
}

}  // namespace

void register_packet_menu() {
  // epan frees the data of each entry when the program ends.
  for (const SimilarPacketsEntry &entry : entries) {
    funnel_register_packet_menu(entry.menu_path, entry.fields, guarded<filter_similar_packets>,
                                g_memdup2(&entry, sizeof entry), false);
  }
}

}  // namespace godot_plugin

#else

namespace godot_plugin {

void register_packet_menu() {}

}  // namespace godot_plugin

#endif
