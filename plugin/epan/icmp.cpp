// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/icmp.h"

#include <cstddef>
#include <cstdint>
#include <functional>

#include "plugin/epan/tvb.h"

namespace godot_plugin {
namespace {

constexpr std::size_t udp_header = 8;
constexpr std::size_t icmp_header = 8;
constexpr std::size_t ip4_header = 20;  // without options, which games do not send
constexpr std::size_t ip6_header = 40;

}  // namespace

bool is_prohibited_by_icmp(const packet_info *pinfo, godot_codec::Bytes payload) {
  tvbuff_t *frame = ws_frame_tvb(pinfo);
  if (frame == nullptr) return false;
  const godot_codec::Bytes whole = bytes_of(frame);
  const std::uint8_t *begin = whole.data;
  const bool is_ip6 = pinfo->net_src.type == AT_IPv6;
  const std::size_t headers = icmp_header + (is_ip6 ? ip6_header : ip4_header) + udp_header;
  const bool is_inside = begin != nullptr && std::greater_equal<>{}(payload.data, begin + headers) &&
                         std::less_equal<>{}(payload.data, begin + whole.captured);
  if (!is_inside) return false;
  const std::uint8_t *icmp = payload.data - headers;
  // RFC 1812, 5.2.7.1 (network, host, communication prohibited); RFC 4443, 3.1.
  constexpr std::uint8_t unreachable = 3;
  constexpr std::uint8_t unreachable6 = 1;
  constexpr std::uint8_t prohibited6 = 1;
  if (is_ip6) return icmp[0] == unreachable6 && icmp[1] == prohibited6;
  return icmp[0] == unreachable && (icmp[1] == 9 || icmp[1] == 10 || icmp[1] == 13);
}

}  // namespace godot_plugin
