// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Queries of a packet: its time, direction and endpoints, and whether it may update the state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns the capture time in nanoseconds since 1970; the nearest possible value if the time does not fit.
[[nodiscard]] inline std::int64_t capture_time_of(const packet_info *pinfo) {
  return godot_codec::to_nanoseconds(static_cast<std::int64_t>(pinfo->abs_ts.secs), pinfo->abs_ts.nsecs);
}

/// True if the dissected bytes were sent in this packet. False if an ICMP error quotes them, because they were then
/// sent earlier or elsewhere.
[[nodiscard]] inline bool is_outside_icmp_error(const packet_info *pinfo) { return pinfo->flags.in_error_pkt == 0; }

/// True if the packet may update state. That holds on the first pass only, when packets arrive in capture order.
[[nodiscard]] inline bool may_update_state(const packet_info *pinfo) {
  return !PINFO_FD_VISITED(pinfo) && is_outside_icmp_error(pinfo);
}

/// Compares two addresses like cmp_address(), but without a call for IPv4.
[[nodiscard]] inline int compare_addresses(const address &one, const address &other) {
  if (one.type != AT_IPv4 || other.type != AT_IPv4) return cmp_address(&one, &other);
  const auto first = godot_codec::Cursor::load_be<std::uint32_t>(static_cast<const std::uint8_t *>(one.data));
  const auto second = godot_codec::Cursor::load_be<std::uint32_t>(static_cast<const std::uint8_t *>(other.data));
  return first < second ? -1 : static_cast<int>(first > second);
}

/// Returns the packet's direction, 0 or 1. All packets from one side of a conversation have the same direction.
[[nodiscard]] inline unsigned direction_of(const packet_info *pinfo) {
  const int order = compare_addresses(pinfo->src, pinfo->dst);
  // If both sides have the same address and port, use the direction that pcapng may store for each packet.
  const bool is_alike = order == 0 && pinfo->srcport == pinfo->destport;
  if (is_alike && pinfo->p2p_dir != P2P_DIR_UNKNOWN) return pinfo->p2p_dir == P2P_DIR_SENT ? 0 : 1;
  const bool is_first = order < 0 || (order == 0 && pinfo->srcport < pinfo->destport);
  return is_first ? 0 : 1;
}

/// Sets the client of a followed stream, because epan takes the first sender for the client, but in a game the server
/// often sends first. Call before follow_tvb_tap_listener() gets the stream's first packet.
inline void set_followed_client(void *follow, const packet_info *pinfo, bool is_from_client) {
  follow_info_t &info = *static_cast<follow_info_t *>(follow);
  if (info.client_port != 0 || is_from_client) return;
  info.client_port = pinfo->destport;
  copy_address(&info.client_ip, &pinfo->dst);
  info.server_port = pinfo->srcport;
  copy_address(&info.server_ip, &pinfo->src);
}

/// Returns text such as "192.168.0.7:9999" or "[fe80::1]:9999".
[[nodiscard]] inline std::string endpoint_text(const address &host, std::uint32_t port) {
  char *text = address_to_str(nullptr, &host);
  const bool is_ip6 = host.type == AT_IPv6;
  std::string result = (is_ip6 ? "[" : "") + std::string(text) + (is_ip6 ? "]:" : ":") + std::to_string(port);
  wmem_free(nullptr, text);
  return result;
}

/// Returns the same text in the memory of a scope.
[[nodiscard]] inline const char *endpoint_text(wmem_allocator_t *scope, const address &host, std::uint32_t port) {
  return wmem_strdup(scope, endpoint_text(host, port).c_str());
}

/// Returns text such as "192.168.0.7:9999 → 192.168.0.1:5000", in the packet's memory.
[[nodiscard]] inline const char *endpoints_text(packet_info *pinfo) {
  return wmem_strdup_printf(pinfo->pool, "%s → %s", endpoint_text(pinfo->pool, pinfo->src, pinfo->srcport),
                            endpoint_text(pinfo->pool, pinfo->dst, pinfo->destport));
}

/// Returns the port that called the packet's dissector; the lower port if the dissector was not called by port.
[[nodiscard]] inline std::uint32_t server_port_of(const packet_info *pinfo) {
  const bool is_match = pinfo->match_uint == pinfo->srcport || pinfo->match_uint == pinfo->destport;
  return is_match ? pinfo->match_uint : std::min(pinfo->srcport, pinfo->destport);
}

}  // namespace godot_plugin
