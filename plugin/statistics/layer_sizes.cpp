// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstring>

#include "godot-codec/stream/tcp_segment.h"
#include "plugin/epan/tvb.h"
#include "plugin/statistics/frame_record.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;

// Maximum offset of the IP header, in bytes.
constexpr std::size_t max_lower_headers = 256;
// Maximum size of all IPv6 extension headers together, in bytes.
constexpr std::size_t max_extensions = 256;
constexpr std::size_t port_size = 2;

std::uint32_t read_be16(Bytes bytes, std::size_t offset) {
  return std::uint32_t{bytes.data[offset]} << 8 | bytes.data[offset + 1];
}

// Offsets in an IP header, in bytes.
struct IpHeaderLayout {
  std::size_t min_size;  // size without options
  std::size_t source_offset;
  std::size_t address_size;
  unsigned version;
};
constexpr IpHeaderLayout ip4 = {20, 12, 4, 4};
constexpr IpHeaderLayout ip6 = {40, 8, 16, 6};

bool is_ip_header(Bytes frame, std::size_t offset, const IpHeaderLayout &layout, const packet_info *pinfo) {
  const std::uint8_t *source = frame.data + offset + layout.source_offset;
  return frame.data[offset] >> 4 == layout.version &&
         std::memcmp(source, pinfo->net_src.data, layout.address_size) == 0 &&
         std::memcmp(source + layout.address_size, pinfo->net_dst.data, layout.address_size) == 0;
}

// Returns the offset of the IP header; the frame's captured size if it is not found.
std::size_t find_ip_header(Bytes frame, const IpHeaderLayout &layout, const packet_info *pinfo) {
  const std::size_t end = std::min(frame.captured, max_lower_headers + layout.min_size);
  for (std::size_t offset = 0; offset + layout.min_size <= end; ++offset) {
    if (is_ip_header(frame, offset, layout, pinfo)) return offset;
  }
  return frame.captured;
}

bool are_ports_at(Bytes frame, std::size_t offset, const packet_info *pinfo) {
  return offset + 2 * port_size <= frame.captured && read_be16(frame, offset) == pinfo->srcport &&
         read_be16(frame, offset + port_size) == pinfo->destport;
}

// Returns the size of the IP header with options and extension headers. Returns 0 if the packet's ports do not follow
// the header.
std::size_t measure_ip_header(Bytes frame, std::size_t start, const IpHeaderLayout &layout, const packet_info *pinfo) {
  constexpr unsigned words_mask = 15;
  constexpr unsigned word_size = 4;
  if (layout.version == ip4.version) {
    const std::size_t size = std::size_t{frame.data[start] & words_mask} * word_size;
    return are_ports_at(frame, start + size, pinfo) ? size : 0;
  }
  constexpr std::size_t extension_unit = 8;
  for (std::size_t size = ip6.min_size; size <= ip6.min_size + max_extensions; size += extension_unit) {
    if (are_ports_at(frame, start + size, pinfo)) return size;
  }
  return 0;
}

// Returns the size of the IP packet, from its length field.
std::size_t measure_ip_packet(Bytes frame, std::size_t start, const IpHeaderLayout &layout) {
  constexpr std::size_t ip4_length = 2;
  constexpr std::size_t ip6_length = 4;
  const bool is_ip4 = layout.version == ip4.version;
  const std::size_t length =
      is_ip4 ? read_be16(frame, start + ip4_length) : read_be16(frame, start + ip6_length) + ip6.min_size;
  const std::size_t rest = frame.reported - start;
  // If the network card splits the data into packets (segmentation offload), the captured length field contains 0. Then
  // use the rest of the frame.
  const bool is_valid = length > (is_ip4 ? 0 : ip6.min_size) && length <= rest;
  return is_valid ? length : rest;
}

std::size_t transport_header_size(Bytes frame, std::size_t start, const packet_info *pinfo) {
  constexpr std::size_t udp_size = 8;
  if (pinfo->ptype != PT_TCP) return udp_size;
  return godot_codec::tcp_header_size(frame.slice({start, frame.reported}));
}

}  // namespace

LayerSizes find_layer_sizes(const packet_info *pinfo, std::uint64_t carried) {
  const auto size = std::uint64_t{pinfo->fd->pkt_len};
  const LayerSizes unknown{0, 0, static_cast<std::uint32_t>(std::min(size, carried))};
  tvbuff_t *tvb = ws_frame_tvb(pinfo);
  const bool is_ip6 = pinfo->net_src.type == AT_IPv6;
  if (tvb == nullptr || (!is_ip6 && pinfo->net_src.type != AT_IPv4) || pinfo->net_dst.type != pinfo->net_src.type) {
    return unknown;
  }
  const Bytes frame = bytes_of(tvb);
  const IpHeaderLayout &layout = is_ip6 ? ip6 : ip4;
  const std::size_t start = find_ip_header(frame, layout, pinfo);
  if (start == frame.captured) return unknown;
  const std::size_t ip = measure_ip_header(frame, start, layout, pinfo);
  if (ip == 0) return unknown;
  const std::size_t transport = transport_header_size(frame, start + ip, pinfo);
  const std::size_t packet = measure_ip_packet(frame, start, layout);
  if (transport == 0 || ip + transport > packet) return unknown;
  return {static_cast<std::uint32_t>(ip), static_cast<std::uint32_t>(transport),
          static_cast<std::uint32_t>(packet - ip - transport)};
}

}  // namespace godot_plugin
