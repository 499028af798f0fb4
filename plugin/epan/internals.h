// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Accesses the internal state of epan and of other dissectors, where no public function exists.
///
/// All such code is in this header and in internals.cpp, with its reason, so that a new Wireshark release can be
/// checked in one place. The test style.internals fails if such code is elsewhere. scripts/wrong_internals.py changes
/// each value that is read, and shows which tests then fail.
#pragma once

#include <epan/column-info.h>

#include <cstdint>
#include <optional>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

// ---- the packet

/// The ports of a packet.
struct PacketPorts {
  port_type type;
  std::uint32_t source;
  std::uint32_t destination;
};

[[nodiscard]] inline PacketPorts ports_of(const packet_info *pinfo) {
  return {pinfo->ptype, pinfo->srcport, pinfo->destport};
}

/// Replaces a packet's ports, because functions such as conversation_of() use the packet's ports. Restore the ports by
/// a second call, before any call that can throw.
/// @returns the previous ports
inline PacketPorts exchange_ports(packet_info *pinfo, const PacketPorts &ports) {
  const PacketPorts before = ports_of(pinfo);
  pinfo->ptype = ports.type;
  pinfo->srcport = ports.source;
  pinfo->destport = ports.destination;
  return before;
}

/// Addresses and ports of a packet.
struct PacketEndpoints {
  address source;
  address destination;
  PacketPorts ports;
};

/// Calls a dissector with other endpoints in the packet. Restores the endpoints even if the dissector throws. The DTLS
/// dissector needs this: it finds keys and server only by the endpoints.
int call_with_endpoints(dissector_handle_t handle, const PacketEndpoints &ends, tvbuff_t *tvb, packet_info *pinfo,
                        proto_tree *tree, void *data);

/// Queues tap data even while a packet is dissected that an ICMP error quotes. epan's function queues nothing there.
void queue_tap_data(int tap, packet_info *pinfo, const void *data);

/// Removes a protocol from the packet's layers if it is the last layer. Call this before passing the packet to another
/// dissector: frame.protocols and the layer count for reassembly then omit the protocol.
void remove_last_layer(packet_info *pinfo, int proto);

/// True if the packet has a layer of the protocol. @param protocol the protocol's name in display filters
[[nodiscard]] bool has_layer(const packet_info *pinfo, const char *protocol);

/// Allows the current dissector to request more bytes from TCP. TCP allows this only to dissectors that it called
/// itself, and here a heuristic called the dissector.
void allow_desegment(packet_info *pinfo);

/// Calls a dissector in place of the running dissector of @p proto, as if epan had called it.
int call_instead_of(int proto, dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                    void *data);

// ---- trees

/// True if the whole tree is shown. epan has only proto_field_is_referenced() for one field, and checking each field of
/// this plugin would be slow.
[[nodiscard]] bool is_visible(proto_tree *tree);

/// True if the packet's tree is so large that one item must replace all remaining items. Otherwise epan would abort the
/// dissection at the limit of its preference. A quarter of the limit is left for other dissectors. A null tree is never
/// full.
/// @param left_out number of items that were not created because nothing uses them
[[nodiscard]] bool is_tree_full(proto_tree *tree, std::uint32_t left_out = 0);

// ---- TCP

/// Returns the base of relative TCP sequence numbers in the packet's direction. The base is the sequence number of the
/// SYN or of the first captured segment. Returns 0 if the preferences turn relative sequence numbers off.
/// @param conversation the packet's conversation; saves a look-up in epan
[[nodiscard]] std::uint32_t tcp_base_seq(conversation_t *conversation, packet_info *pinfo);

/// Returns the absolute sequence number of the first byte in the packet's direction. @returns nullopt if the SYN is not
/// in the capture
[[nodiscard]] std::optional<std::uint32_t> tcp_first_byte_seq(packet_info *pinfo);

/// Returns TCP's data of a conversation; null if TCP has not dissected it.
[[nodiscard]] const tcp_analysis *tcp_analysis_of(const conversation_t *conversation);

/// True for an RST that answers a SYN, which means that no program listens at the port.
[[nodiscard]] bool is_tcp_connection_refused(packet_info *pinfo);

/// True if the bytes before the segment are not in the capture, according to tcp.analysis.
/// @param tcp TCP's data of the segment's conversation; may be null
[[nodiscard]] bool has_gap_before_segment(const tcp_analysis *tcp);

/// True if the segment continues a message that TCP is reassembling. Call before TCP's dissector processes the segment.
/// @param conversation the packet's conversation; null: epan looks it up
/// @param seq the segment's sequence number on the wire
[[nodiscard]] bool continues_tcp_reassembly(conversation_t *conversation, packet_info *pinfo, std::uint32_t seq);

// ---- UDP

/// Returns the UDP ports of the packet's innermost datagram. pinfo may contain other ports, because a protocol over UDP
/// may replace them.
[[nodiscard]] std::optional<PacketPorts> find_udp_ports(packet_info *pinfo);

// ---- tables of statistics

/// Removes all rows of a table. epan only has a function to add rows.
void remove_rows(stat_tap_table *table);

// ---- columns

/// Replacements for the packet's Protocol and Info columns, so that the texts of a dissector can be read, even if no
/// columns are shown. Call restore() before the next exchange().
class SpareColumns {
 public:
  enum Column : std::uint8_t { protocol, info };

  SpareColumns();
  /// Clears the spare columns and replaces the packet's columns by them. @returns the packet's columns, for restore();
  /// null if no columns are shown
  column_info *exchange(packet_info *pinfo);
  static void restore(packet_info *pinfo, column_info *columns) { pinfo->cinfo = columns; }
  [[nodiscard]] bool are_in_use(const packet_info *pinfo) const { return pinfo->cinfo == &columns_; }
  /// Returns the text that was written to a column; empty if there was none.
  [[nodiscard]] const char *text(Column column) const;

 private:
  column_info columns_{};
};

}  // namespace godot_plugin
