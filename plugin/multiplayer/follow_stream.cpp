// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>
#include <unordered_map>

#include "plugin/epan/capture_state.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/packet_info.h"
#include "plugin/multiplayer/dissection.h"
#include "plugin/multiplayer/packet-godot_mp.h"

namespace godot_plugin {
namespace {

int message_tap = -1;
CaptureState<std::unordered_map<const godot_codec::MpConnection *, std::uint32_t>> streams;  // index by connection

// The stream of a packet, which Wireshark's window queries to follow the stream of the selected packet.
struct PacketStream {
  std::uint32_t stream;
  unsigned direction;
  bool is_from_server;
};

const PacketStream *packet_stream(packet_info *pinfo) { return find_packet_data<PacketStream>(pinfo); }

std::uint32_t stream_count() { return static_cast<std::uint32_t>(streams->size()); }

char *stream_filter(unsigned stream, unsigned /*sub_stream*/) {
  return g_strdup_printf("godot_mp.stream eq %u", stream);
}

char *packet_stream_filter(epan_dissect_t * /*edt*/, packet_info *pinfo, unsigned *stream, unsigned *sub_stream) {
  const PacketStream *known = packet_stream(pinfo);
  if (known == nullptr) return nullptr;
  *stream = known->stream;
  *sub_stream = 0;
  return stream_filter(*stream, 0);
}

// epan distinguishes the two sides by address and port. For SCTP on one host, both sides have the same address and
// port, so this function temporarily changes the ports.
tap_packet_status follow_message(void *follow, packet_info *pinfo, epan_dissect_t *edt, const void *text,
                                 tap_flags_t flags) {
  const bool is_alike = addresses_equal(&pinfo->src, &pinfo->dst) && pinfo->srcport == pinfo->destport;
  const PacketStream *known = packet_stream(pinfo);
  const unsigned direction = known == nullptr ? 0 : known->direction;
  const std::uint32_t port = pinfo->srcport;
  const PacketPorts own = exchange_ports(
      pinfo, {pinfo->ptype, is_alike ? port + direction : port, is_alike ? port + 1 - direction : pinfo->destport});
  const bool is_from_server = known != nullptr && known->is_from_server;
  set_followed_client(follow, pinfo, !is_from_server);
  const tap_packet_status status = follow_tvb_tap_listener(follow, pinfo, edt, text, flags);
  exchange_ports(pinfo, own);
  return status;
}

// Returns the filter of one direction, over UDP or TCP.
char *direction_filter(const char *ip, const char *from, int source_port, const char *to, int destination_port) {
  return g_strdup_printf(
      "(%s.src eq %s and %s.dst eq %s and ((udp.srcport eq %d and udp.dstport eq %d) or "
      "(tcp.srcport eq %d and tcp.dstport eq %d)))",
      ip, from, ip, to, source_port, destination_port, source_port, destination_port);
}

char *address_filter(address *source, address *destination, int source_port, int destination_port) {
  const char *ip = source->type == AT_IPv6 ? "ipv6" : "ip";
  char *from = address_to_str(nullptr, source);
  char *to = address_to_str(nullptr, destination);
  char *there = direction_filter(ip, from, source_port, to, destination_port);
  char *back = direction_filter(ip, to, destination_port, from, source_port);
  char *filter = g_strdup_printf("godot_mp and (%s or %s)", there, back);
  g_free(there);
  g_free(back);
  wmem_free(nullptr, from);
  wmem_free(nullptr, to);
  return filter;
}

}  // namespace

std::uint32_t mp_stream_index(const godot_codec::MpConnection &connection) {
  return streams->try_emplace(&connection, stream_count()).first->second;
}

bool is_mp_stream_followed() { return have_tap_listener(message_tap) != 0; }

void tap_followed_message(packet_info *pinfo, tvbuff_t *message, const char *text) {
  if (text == nullptr) return;
  const auto size = static_cast<unsigned>(std::strlen(text));
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(text);
  tap_queue_packet(message_tap, pinfo, tvb_new_child_real_data(message, bytes, size, static_cast<int>(size)));
}

void record_mp_stream(packet_info *pinfo, std::uint32_t stream, unsigned direction, bool is_from_server) {
  packet_data<PacketStream>(pinfo) = {stream, direction, is_from_server};
}

void register_mp_follow_stream(int proto) {
  message_tap = register_tap("godot_mp_follow");
  ws_register_follow_stream(proto, "godot_mp_follow", packet_stream_filter, stream_filter, address_filter,
                            udp_port_to_display, follow_message, stream_count);
}

}  // namespace godot_plugin
