// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/multiplayer/packet-godot_mp.h"

#if WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR >= 4

#include <epan/funnel.h>

#include <array>
#include <cstring>
#include <string>

namespace godot_plugin {
namespace {

// A menu entry, which filters for packets with the same values in certain fields.
struct SimilarPacketsEntry {
  const char *menu_path;
  const char *required_fields;  // the fields that a packet must have for this entry, separated by commas
  std::array<const char *, 2> fields;
};

constexpr SimilarPacketsEntry entries[] = {
    {"Godot/Show this method's calls at this node",
     "godot_mp.path,godot_mp.rpc.method",
     {"godot_mp.path", "godot_mp.rpc.method"}},
    {"Godot/Show this method's calls, by its number",
     "godot_mp.path,godot_mp.rpc.method_id",
     {"godot_mp.path", "godot_mp.rpc.method_id"}},
    {"Godot/Show this node", "godot_mp.path", {"godot_mp.path", nullptr}},
    {"Godot/Show this spawned node", "godot_mp.node", {"godot_mp.node", nullptr}},
    {"Godot/Show this property", "godot_mp.property_path", {"godot_mp.property_path", nullptr}},
};

// Returns the first item of a field; null if the packet has no such field.
field_info *find_item(const GPtrArray &items, const char *field) {
  for (unsigned i = 0; i < items.len; ++i) {
    auto *item = static_cast<field_info *>(items.pdata[i]);
    if (std::strcmp(item->hfinfo->abbrev, field) == 0) return item;
  }
  return nullptr;
}

// Filters for packets with the same values as the selected packet. @param items all items of the selected packet
void filter_similar_packets(void *data, GPtrArray *items) {
  const auto &entry = *static_cast<const SimilarPacketsEntry *>(data);
  std::string filter;
  for (const char *field : entry.fields) {
    field_info *item = field == nullptr ? nullptr : find_item(*items, field);
    if (item == nullptr) continue;
    char *comparison = proto_construct_match_selected_string(item, nullptr);
    if (comparison == nullptr) continue;
    if (!filter.empty()) filter += " && ";
    filter += comparison;
    wmem_free(nullptr, comparison);
  }
  const funnel_ops_t *window = funnel_get_funnel_ops();
  if (filter.empty() || window == nullptr) return;
  window->set_filter(window->ops_id, filter.c_str());
  window->apply_filter(window->ops_id);
}

}  // namespace

void register_packet_menu() {
  // epan frees the data of each entry when the program ends.
  for (const SimilarPacketsEntry &entry : entries) {
    funnel_register_packet_menu(entry.menu_path, entry.required_fields, guarded<filter_similar_packets>,
                                g_memdup2(&entry, sizeof entry), false);
  }
}

}  // namespace godot_plugin

#else

namespace godot_plugin {

void register_packet_menu() {}

}  // namespace godot_plugin

#endif
