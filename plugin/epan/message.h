// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A message while it is being dissected, and its summary in the Info column.
#pragma once

#include <cstdint>

#include "godot-codec/core/message.h"
#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/ws_compat.h"

namespace godot_codec {
struct EnetConnection;
struct GameLink;
}  // namespace godot_codec

namespace godot_plugin {

using godot_codec::Transport;

/// The byte order of a stream packet's length, which StreamPeer.big_endian sets.
enum class LengthOrder : std::uint8_t {
  little_endian,  ///< or no length
  big_endian,     ///< at the other end as well
  unanswered,     ///< big-endian; the other end has sent no length yet
  differs,        ///< big-endian, but not at the other end
};

/// Properties that only a message of a data channel has. It names both ends, because SCTP uses the same port number at
/// both ends.
struct DataChannelInfo {
  const char *delivery = nullptr;     ///< how the channel delivers, for the Info column
  const char *source = nullptr;       ///< address and port
  const char *destination = nullptr;  ///< address and port
  std::int32_t source_id = 0;         ///< the sender's id in the multiplayer, from signalling; 0: not known
  std::int32_t destination_id = 0;    ///< the receiver's id; 0: not known
  unsigned direction = 0;             ///< 0 or 1
};

/// A message, the packet that contains it, and where the message is shown. The transport fills this in; ENet passes it
/// to its subdissectors as their data.
struct MessageContext {
  packet_info *pinfo;
  proto_tree *tree;                                   ///< parent of the message's item; null if no tree is built
  tvbuff_t *tvb;                                      ///< the message, with its length if the transport has one
  godot_codec::Message message{};                     ///< message.bytes are those of tvb
  conversation_t *conversation = nullptr;             ///< the packet's; null: not looked up
  godot_codec::GameLink *link = nullptr;              ///< connection between two peers; null: none
  const godot_codec::EnetConnection *enet = nullptr;  ///< null: not over ENet, or not known
  godot_codec::TextBuffer *info = nullptr;  ///< over ENet: gets the summary; null: the Info column is not shown
  DataChannelInfo channel{};
  LengthOrder length_order = LengthOrder::little_endian;
  bool is_early = false;  ///< captured before its protocol was detected, so shown on later passes only
  bool is_copy = false;   ///< captured before, or quoted by ICMP: state must not be updated from it
};

/// Counters for one packet, in the current pass.
struct PacketCounts {
  std::uint32_t parts;         ///< number of stream segments
  std::uint32_t messages;      ///< number of stream messages
  std::uint32_t datagrams;     ///< number of datagrams with a Variant
  std::size_t summary_length;  ///< number of bytes of the Info column that messages have written
  bool has_receiver;           ///< true if the Info column names the receiver
};
[[nodiscard]] PacketCounts &counts_of(packet_info *pinfo);

/// Returns the position of the next datagram of this packet in this pass. Only for transports that get all datagrams in
/// every pass.
[[nodiscard]] godot_codec::PacketPosition next_position(packet_info *pinfo);

/// Returns a message with its bytes, its time and the packet's size.
[[nodiscard]] godot_codec::Message message_from(tvbuff_t *tvb, const packet_info *pinfo, Transport transport,
                                                godot_codec::PacketPosition position);

/// True if the summary of a message will be shown in the Info column.
[[nodiscard]] bool wants_summary(const MessageContext &context);

/// Adds a message's summary to the Info column: several messages of one packet are joined by " | ". Within ENet, ENet
/// joins the summaries.
void add_summary(const MessageContext &context, const char *protocol, const char *sentence);

/// Cuts the Info column after the summaries of messages, if there are any, because the transport has appended text to
/// it.
void cut_info_after_summaries(packet_info *pinfo);

/// Sets how much of the Info column messages have written so far.
/// @returns the value before
std::size_t exchange_summary_length(packet_info *pinfo, std::size_t summary_length);

}  // namespace godot_plugin
