// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Who is who in a conversation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// 0 or 1: the same for all packets of a conversation that go the same way.
[[nodiscard]] inline unsigned direction_of(const packet_info *pinfo) {
  const int order = cmp_address(&pinfo->src, &pinfo->dst);
  // A capture without addresses may have a flag of pcapng's for each packet.
  const bool is_alike = order == 0 && pinfo->srcport == pinfo->destport;
  if (is_alike && pinfo->p2p_dir != P2P_DIR_UNKNOWN) return pinfo->p2p_dir == P2P_DIR_SENT ? 0 : 1;
  const bool is_first = order < 0 || (order == 0 && pinfo->srcport < pinfo->destport);
  return is_first ? 0 : 1;
}

/// "192.168.0.7:9999", "[fe80::1]:9999".
[[nodiscard]] inline std::string endpoint_text(const address &host, std::uint32_t port) {
  char *text = address_to_str(nullptr, &host);
  const bool is_ip6 = host.type == AT_IPv6;
  std::string result = (is_ip6 ? "[" : "") + std::string(text) + (is_ip6 ? "]:" : ":") + std::to_string(port);
  wmem_free(nullptr, text);
  return result;
}

/// "192.168.0.7:9999 → 192.168.0.1:5000", in the packet's memory.
[[nodiscard]] inline const char *way_text(packet_info *pinfo) {
  const std::string from = endpoint_text(pinfo->src, pinfo->srcport);
  const std::string to = endpoint_text(pinfo->dst, pinfo->destport);
  return wmem_strdup_printf(pinfo->pool, "%s → %s", from.c_str(), to.c_str());
}

/// The port by which the packet came to its dissector is the server's; without one, the lower one is taken for it.
[[nodiscard]] inline std::uint32_t server_port_of(const packet_info *pinfo) {
  const bool is_match = pinfo->match_uint == pinfo->srcport || pinfo->match_uint == pinfo->destport;
  return is_match ? pinfo->match_uint : std::min(pinfo->srcport, pinfo->destport);
}

}  // namespace godot_plugin
