// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/heuristics.h"

#include "plugin/epan/internals.h"

namespace godot_plugin {
namespace {

int proto_detect = -1;

}  // namespace

void register_detection_protocol() {
  proto_detect = proto_register_protocol("Godot detection", "GodotDetect", "godot_detect");
}

int detection_protocol_id() { return proto_detect; }

const heur_dtbl_entry_t *register_heuristic(const char *list, const char *name, heur_dissector_t dissector,
                                            const char *description) {
  heur_dissector_add(list, dissector, description, name, proto_detect, HEURISTIC_ENABLE);
  return find_heur_dissector_by_unique_short_name(name);
}

bool is_enabled(const heur_dtbl_entry_t *heuristic) {
  return heuristic->enabled && proto_is_protocol_enabled(heuristic->protocol);
}

bool is_enabled(int proto) { return proto_is_protocol_enabled(find_protocol_by_id(proto)) != 0; }

int call_detected_dissector(dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                            void *data) {
  return call_instead_of(proto_detect, dissector, tvb, pinfo, tree, data);
}

dissector_table_t port_table_of(port_type type) {
  static dissector_table *const udp_ports = find_dissector_table("udp.port");
  static dissector_table *const tcp_ports = find_dissector_table("tcp.port");
  return type == PT_UDP ? udp_ports : tcp_ports;
}

bool is_dissector_chosen_by_user(const packet_info *pinfo) {
  dissector_table_t ports = port_table_of(pinfo->ptype);
  return dissector_is_uint_changed(ports, pinfo->srcport) || dissector_is_uint_changed(ports, pinfo->destport);
}

}  // namespace godot_plugin
