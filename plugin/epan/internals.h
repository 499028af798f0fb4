// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// State that epan or another dissector keeps for itself, and that this plugin reads or sets because no function of
/// theirs does. All of it stands here (and in internals.cpp), with the reason, so that a new release of Wireshark is
/// held against one page. The test style.internals looks for it elsewhere; scripts/wrong_internals.py shows, for each
/// piece that is read, which tests fail where epan keeps it in another way.
#pragma once

#include <epan/column-info.h>

#include <cstdint>
#include <optional>
#include <type_traits>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

// ---- the packet

/// A packet's ports as another protocol of it sets them; until restore(). Not over a call that can throw.
/// conversation.h finds a packet's conversation by what stands in the packet.
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

/// Two ends, as a packet goes from one to the other.
struct PacketEnds {
  address source;
  address destination;
  std::uint32_t source_port;
  std::uint32_t destination_port;
  port_type type;
};

/// Calls a dissector as if the packet had these ends, and gives the packet its own back, whatever is thrown. DTLS finds
/// its keys, and which end is the server, by the packet's ends alone.
int call_with_ends(dissector_handle_t handle, const PacketEnds &ends, tvbuff_t *tvb, packet_info *pinfo,
                   proto_tree *tree, void *data);

/// epan tells no tap of what an ICMP error quotes. This tells the tap of the frame itself.
void queue_for_frame(int tap, packet_info *pinfo, const void *data);

/// A dissector that hands its packet to another one stays in frame.protocols, and in the count of layers by which
/// reassembly is kept. This takes it out again, if it is the last.
void leave_layer(packet_info *pinfo, int proto);

/// True if the packet has a layer of the protocol, by its name in filters.
[[nodiscard]] bool has_layer(const packet_info *pinfo, const char *protocol);

/// TCP allows only the dissector that it has called itself to ask for more bytes. This allows it to one that is called
/// in place of that dissector.
void allow_desegment(packet_info *pinfo);

/// Calls a dissector as if epan had called it in place of the one of @p proto, which is running.
int call_instead_of(int proto, dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                    void *data);

// ---- trees

/// True if somebody looks at the tree. proto_field_is_referenced() answers for one field, and there are very many of
/// them here.
[[nodiscard]] bool is_visible(proto_tree *tree);

/// True if the packet's tree has so many items that the remaining ones should be one item: epan ends a dissection that
/// makes more than its preference allows, and does not tell how many there are. Leaves other dissectors room. A missing
/// tree is never full. @param left_out items that were not made, since nobody asked for them
[[nodiscard]] bool is_tree_full(proto_tree *tree, std::uint32_t left_out = 0);

// ---- TCP

/// The number that TCP subtracts from the sequence numbers of the packet's direction: that of its SYN, or of the first
/// segment seen. 0 if it subtracts nothing, by its preferences.
/// @param conversation the packet's: epan would look it up
[[nodiscard]] std::uint32_t base_of_tcp(conversation_t *conversation, packet_info *pinfo);

/// The number on the wire of a direction's first byte. @returns none where the SYN is not in the capture
[[nodiscard]] std::optional<std::uint32_t> first_byte_of_tcp(packet_info *pinfo);

/// True of the reset that answers a SYN: nobody listens at the port that it comes from.
[[nodiscard]] bool is_refusal_of_tcp(packet_info *pinfo);

/// True if the capture lacks what came right before the segment, as far as TCP has analyzed that.
/// @param conversation the segment's; null: it is looked up
[[nodiscard]] bool has_gap_before_segment(packet_info *pinfo, conversation_t *conversation = nullptr);

/// True if TCP waits for the rest of a message that began before the segment.
/// @param seq the segment's number on the wire. Before TCP itself gets the segment
[[nodiscard]] bool is_message_of_tcp(packet_info *pinfo, std::uint32_t seq);

// ---- UDP

/// UDP's ports of the packet's innermost datagram, where another protocol on top has set its own.
struct UdpPorts {
  std::uint32_t source;
  std::uint32_t destination;
};
[[nodiscard]] std::optional<UdpPorts> find_udp_ports(packet_info *pinfo);

// ---- tables of statistics

/// Rows can be added to a table, and not be taken out.
void remove_rows(stat_tap_table *table);

// ---- columns

/// Columns that a dissector may write to instead of the packet's, Protocol and Info: there are some even where nobody
/// prints columns. Nobody can write to them twice at once.
class SpareColumns {
 public:
  enum Column : std::uint8_t { protocol, info };

  SpareColumns();
  /// Puts them, empty, in the place of the packet's. @returns those; null if nobody prints columns
  column_info *exchange(packet_info *pinfo);
  static void restore(packet_info *pinfo, column_info *columns) { pinfo->cinfo = columns; }
  [[nodiscard]] bool are_in_use(const packet_info *pinfo) const { return pinfo->cinfo == &columns_; }
  /// The text that was written to a column; empty if there was none.
  [[nodiscard]] const char *text(Column column) const;

 private:
  column_info columns_{};
};

}  // namespace godot_plugin
