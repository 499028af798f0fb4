// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/icmp.h"

#include <cstddef>
#include <functional>

#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetIcmpErrorReason;

constexpr std::size_t udp_header = 8;
constexpr std::size_t icmp_header = 8;
constexpr std::size_t ip4_header = 20;  // without options, which games do not send
constexpr std::size_t ip6_header = 40;

}  // namespace

EnetIcmpErrorReason icmp_error_reason(const packet_info *pinfo, godot_codec::Bytes payload) {
  tvbuff_t *frame = ws_frame_tvb(pinfo);
  if (frame == nullptr) return EnetIcmpErrorReason::unreachable;
  const godot_codec::Bytes whole = bytes_of(frame);
  const std::uint8_t *begin = whole.data;
  const bool is_ip6 = pinfo->net_src.type == AT_IPv6;
  const std::size_t headers = icmp_header + (is_ip6 ? ip6_header : ip4_header) + udp_header;
  const bool is_inside = begin != nullptr && std::greater_equal<>{}(payload.data, begin + headers) &&
                         std::less_equal<>{}(payload.data, begin + whole.captured);
  if (!is_inside) return EnetIcmpErrorReason::unreachable;
  const std::uint8_t *icmp = payload.data - headers;
  // RFC 1812, 5.2.7.1 (network, host, communication prohibited); RFC 4443, 3.1.
  constexpr std::uint8_t unreachable = 3;
  constexpr std::uint8_t unreachable6 = 1;
  if (icmp[0] != (is_ip6 ? unreachable6 : unreachable)) return EnetIcmpErrorReason::unreachable;
  switch (icmp[1]) {
    case 0:
      return EnetIcmpErrorReason::no_route;
    case 1:
      return is_ip6 ? EnetIcmpErrorReason::prohibited : EnetIcmpErrorReason::no_route;
    case 3:
      return is_ip6 ? EnetIcmpErrorReason::no_route : EnetIcmpErrorReason::unreachable;
    case 9:
    case 10:
    case 13:
      return is_ip6 ? EnetIcmpErrorReason::unreachable : EnetIcmpErrorReason::prohibited;
    default:
      return EnetIcmpErrorReason::unreachable;
  }
}

tvbuff_t *with_original_length(tvbuff_t *datagram, const packet_info *pinfo) {
  if (is_outside_icmp_error(pinfo) || pinfo->ptype != PT_UDP) return datagram;
  constexpr int header_size = 8;
  constexpr int length_offset = 4;
  const int header = tvb_raw_offset(datagram) - header_size;
  if (header < 0) return datagram;
  const int sent = tvb_get_ntohs(tvb_get_ds_tvb(datagram), header + length_offset) - header_size;
  if (sent <= static_cast<int>(tvb_reported_length(datagram))) return datagram;
  return tvb_new_subset_length_caplen(datagram, 0, static_cast<int>(tvb_captured_length(datagram)), sent);
}

}  // namespace godot_plugin
