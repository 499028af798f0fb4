// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/recogniser.h"

namespace godot_plugin {

void Recogniser::register_state() {
  conversations_ = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}

bool is_decided_by_user(const packet_info *pinfo) {
  static dissector_table *const udp_ports = find_dissector_table("udp.port");
  static dissector_table *const tcp_ports = find_dissector_table("tcp.port");
  dissector_table *const ports = pinfo->ptype == PT_UDP ? udp_ports : tcp_ports;
  return dissector_is_uint_changed(ports, pinfo->srcport) || dissector_is_uint_changed(ports, pinfo->destport);
}

Recogniser::Known *Recogniser::known_of(const void *connection) const {
  auto *known = static_cast<Known *>(wmem_map_lookup(conversations_, connection));
  if (known == nullptr) {
    known = wmem_new0(wmem_file_scope(), Known);
    wmem_map_insert(conversations_, connection, known);
  }
  return known;
}

}  // namespace godot_plugin
