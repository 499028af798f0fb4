// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/owned_ports.h"

#include <array>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "plugin/carriers/udp.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/message.h"
#include "plugin/epan/user.h"
#include "plugin/godot/draw.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Cursor;

constexpr const char *table_name = "ip.proto";

ws_bool pref_owned_ports = true;

// A transport protocol, and how its payload is found.
struct Transport {
  std::uint32_t number;  // IANA's
  port_type type;
  const char *ports;  // the dissector table
  std::size_t (*header_size)(Bytes segment);
  void (*claim)(tvbuff_t *payload, packet_info *pinfo);
  const char *name;  // of the wrapper
  dissector_t dissect;
  dissector_table_t port_table;
  dissector_handle_t original;
  dissector_handle_t wrapper;
};

std::size_t udp_header_size(Bytes /*datagram*/) { return 8; }

int dissect_before(Transport &transport, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);
int dissect_before_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

std::array<Transport, 1> transports = {{{17, PT_UDP, "udp.port", udp_header_size, claim_datagram, "godot_before_udp",
                                         dissect_before_udp, nullptr, nullptr, nullptr}}};

int dissect_before_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect_before(transports[0], tvb, pinfo, tree, data);
}

// Whether a protocol that is not the user's choice has the port.
bool is_owned(const Transport &transport, std::uint32_t port) {
  return dissector_get_uint_handle(transport.port_table, port) != nullptr;
}

void look_at(const Transport &transport, tvbuff_t *tvb, packet_info *pinfo) {
  const Bytes segment = bytes_of(tvb);
  Cursor cursor(segment);
  const auto source = cursor.read_be<std::uint16_t>();
  const auto destination = cursor.read_be<std::uint16_t>();
  if (!cursor.ok() || (!is_owned(transport, source) && !is_owned(transport, destination))) return;
  const std::size_t header = transport.header_size(segment);
  if (header == 0 || header >= segment.captured) return;
  BorrowedPorts ports(pinfo, transport.type, source, destination);
  if (!is_decided_by_user(pinfo)) transport.claim(tvb_new_subset_remaining(tvb, static_cast<int>(header)), pinfo);
  ports.restore();
}

int dissect_before(Transport &transport, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (may_learn(pinfo)) look_at(transport, tvb, pinfo);
  return call_dissector_with_data(transport.original, tvb, pinfo, tree, data);
}

}  // namespace

void register_owned_ports() {
  prefs_register_bool_preference(prefs_find_module("godot"), "owned_ports",
                                 "Recognise Godot on ports that other protocols own",
                                 "Looks at packets before the owner of their port gets them, and takes conversations "
                                 "that can be nothing but Godot's.",
                                 &pref_owned_ports);
}

void handoff_owned_ports() {
  dissector_table_t protocols = find_dissector_table(table_name);
  for (Transport &transport : transports) {
    transport.port_table = find_dissector_table(transport.ports);
    transport.original = dissector_get_uint_handle(protocols, transport.number);
    // Of no protocol: it adds no layer of its own.
    transport.wrapper = register_dissector_with_description(transport.name, transport.name, transport.dissect, -1);
  }
  apply_owned_ports();
}

void apply_owned_ports() {
  for (const Transport &transport : transports) {
    if (transport.wrapper == nullptr || transport.original == nullptr) continue;
    dissector_add_uint(table_name, transport.number, pref_owned_ports ? transport.wrapper : transport.original);
  }
}

}  // namespace godot_plugin
