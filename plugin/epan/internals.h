// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Internal state of epan and other dissectors that this plugin reads or sets, because no public function does.
///
/// All such code is here and in internals.cpp, with the reason. So it can be checked against a new Wireshark release in
/// one place. The test style.internals finds such code elsewhere. scripts/wrong_internals.py changes each value that is
/// read, and shows which tests then fail.
#pragma once

#include <epan/column-info.h>

#include <cstdint>
#include <optional>
#include <type_traits>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

// ---- the packet

/// Replaces a packet's ports until restore(). Used because conversation.h finds the conversation by the packet's ports.
/// Do not keep across a call that can throw.
class BorrowedPorts {
 public:
  BorrowedPorts(packet_info *pinfo, port_type type, std::uint32_t source, std::uint32_t destination)
      : pinfo_(pinfo), type_(pinfo->ptype), source_(pinfo->srcport), destination_(pinfo->destport) {
    set(type, source, destination);
  }
  void restore() { set(type_, source_, destination_); }

 private:
  void set(port_type type, std::uint32_t source, std::uint32_t destination) {
    pinfo_->ptype = type;
    pinfo_->srcport = source;
    pinfo_->destport = destination;
  }

  packet_info *pinfo_;
  port_type type_;
  std::uint32_t source_;
  std::uint32_t destination_;
};
static_assert(std::is_trivially_destructible_v<BorrowedPorts>);

/// The two ends of a packet.
struct PacketEnds {
  address source;
  address destination;
  std::uint32_t source_port;
  std::uint32_t destination_port;
  port_type type;
};

/// Calls a dissector with other ends in the packet, and restores the packet's ends even if the dissector throws. DTLS
/// finds its keys and its server only by the packet's ends.
int call_with_ends(dissector_handle_t handle, const PacketEnds &ends, tvbuff_t *tvb, packet_info *pinfo,
                   proto_tree *tree, void *data);

/// Queues tap data that belongs to the frame itself. epan queues nothing while it dissects a packet that an ICMP error
/// quotes.
void queue_for_frame(int tap, packet_info *pinfo, const void *data);

/// Removes a protocol from the packet's layers if it is the last one. Otherwise a dissector that passes its packet to
/// another one remains in frame.protocols. It would also remain in the layer count that reassembly uses.
void leave_layer(packet_info *pinfo, int proto);

/// True if the packet has a layer of the protocol. @param protocol name in filters
[[nodiscard]] bool has_layer(const packet_info *pinfo, const char *protocol);

/// Allows the current dissector to ask TCP for more bytes. TCP only allows that to a dissector that it has called
/// itself, but this one was called in its place.
void allow_desegment(packet_info *pinfo);

/// Calls a dissector in place of the running dissector of @p proto, as if epan had called it.
int call_instead_of(int proto, dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                    void *data);

// ---- trees

/// True if the tree is shown. epan's own proto_field_is_referenced() checks a single field, and this plugin has very
/// many fields.
[[nodiscard]] bool is_visible(proto_tree *tree);

/// True if the packet's tree is so large that all remaining items should become one item. epan aborts a dissection with
/// more items than its preference allows, and has no function that returns the number of items. A quarter of the limit
/// is left for other dissectors. A null tree is never full.
/// @param left_out number of items that were not created because nothing uses them
[[nodiscard]] bool is_tree_full(proto_tree *tree, std::uint32_t left_out = 0);

// ---- TCP

/// Returns the number that TCP subtracts from sequence numbers of the packet's direction: the number of the SYN, or of
/// the first captured segment. Returns 0 if TCP's preferences turn relative numbers off.
/// @param conversation the packet's; passed because epan would have to look it up
[[nodiscard]] std::uint32_t base_of_tcp(conversation_t *conversation, packet_info *pinfo);

/// Returns the sequence number on the wire of the first byte of the packet's direction. @returns nullopt if the SYN is
/// not in the capture
[[nodiscard]] std::optional<std::uint32_t> first_byte_of_tcp(packet_info *pinfo);

/// True for an RST in answer to a SYN: no program listens at the port that sends it.
[[nodiscard]] bool is_refusal_of_tcp(packet_info *pinfo);

/// True if the capture lacks the bytes before the segment, according to TCP's analysis.
/// @param conversation the segment's; null: epan looks it up
[[nodiscard]] bool has_gap_before_segment(packet_info *pinfo, conversation_t *conversation = nullptr);

/// True if the segment continues a message for which TCP waits. Call before TCP's dissector gets the segment.
/// @param seq the segment's sequence number on the wire
[[nodiscard]] bool is_message_of_tcp(packet_info *pinfo, std::uint32_t seq);

// ---- UDP

/// UDP ports of the packet's innermost datagram. A protocol over UDP may have replaced the packet's ports.
struct UdpPorts {
  std::uint32_t source;
  std::uint32_t destination;
};
[[nodiscard]] std::optional<UdpPorts> find_udp_ports(packet_info *pinfo);

// ---- tables of statistics

/// Removes all rows of a table. epan has a function only for adding rows.
void remove_rows(stat_tap_table *table);

// ---- columns

/// Columns that a dissector writes to in place of the packet's Protocol and Info columns. They exist even if no columns
/// are shown. They cannot be used again while they are in use.
class SpareColumns {
 public:
  enum Column : std::uint8_t { protocol, info };

  SpareColumns();
  /// Clears them, and puts them in place of the packet's columns. @returns the packet's columns; null if no columns are
  /// shown
  column_info *exchange(packet_info *pinfo);
  static void restore(packet_info *pinfo, column_info *columns) { pinfo->cinfo = columns; }
  [[nodiscard]] bool are_in_use(const packet_info *pinfo) const { return pinfo->cinfo == &columns_; }
  /// Returns the text that was written to a column; empty if there was none.
  [[nodiscard]] const char *text(Column column) const;

 private:
  column_info columns_{};
};

}  // namespace godot_plugin
