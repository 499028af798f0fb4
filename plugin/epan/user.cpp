// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/user.h"

namespace godot_plugin {

bool is_decided_by_user(const packet_info *pinfo) {
  static dissector_table *const udp_ports = find_dissector_table("udp.port");
  static dissector_table *const tcp_ports = find_dissector_table("tcp.port");
  dissector_table *const ports = pinfo->ptype == PT_UDP ? udp_ports : tcp_ports;
  return dissector_is_uint_changed(ports, pinfo->srcport) || dissector_is_uint_changed(ports, pinfo->destport);
}

void Switch::register_with(const char *list, heur_dissector_t dissector, const char *description, int proto) {
  heur_dissector_add(list, dissector, description, name_, proto, HEURISTIC_ENABLE);
  entry_ = find_heur_dissector_by_unique_short_name(name_);
}

bool Switch::is_on() const {
  return entry_ != nullptr && entry_->enabled && proto_is_protocol_enabled(entry_->protocol);
}

}  // namespace godot_plugin
