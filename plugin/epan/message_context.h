// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A message while it is being dissected, and its summary in the Info column.
#pragma once

#include <cstdint>
#include <variant>

#include "godot-codec/core/message.h"
#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/ws_compat.h"

namespace godot_codec {
struct GameConnection;
}  // namespace godot_codec

namespace godot_plugin {

struct EnetPacketState;

using godot_codec::Transport;

/// The byte order of a stream packet's length, which StreamPeer.big_endian sets.
enum class LengthByteOrder : std::uint8_t {
  little_endian,  ///< or no length
  big_endian,     ///< both sides use big-endian
  unanswered,     ///< big-endian; the other side has not sent a length yet
  differs,        ///< big-endian, but the other side uses little-endian
};

/// Properties of a message in a WebRTC data channel. Texts identify the two sides, because SCTP uses the same port
/// number on both sides.
struct DataChannelInfo {
  const char *delivery = nullptr;     ///< delivery mode of the channel, for the Info column
  const char *source = nullptr;       ///< address and port
  const char *destination = nullptr;  ///< address and port
  std::int32_t source_id = 0;         ///< the sender's peer id, from signalling; 0: not known
  std::int32_t destination_id = 0;    ///< the receiver's peer id; 0: not known
  unsigned direction = 0;             ///< 0 or 1
};

/// Properties of a message over ENet.
struct EnetMessageInfo {
  EnetPacketState *packet_state;
  std::uint32_t server_port;
  bool is_fragmented;  ///< true for an unreliable message in fragments: it is lost if one fragment is lost
  godot_codec::TextBuffer *info_buffer;  ///< receives the summary; null: the Info column is not shown
};

/// A message, its packet, and the tree and column that show the message. The transport creates the context. ENet passes
/// it to subdissectors as their `data` argument.
struct MessageContext {
  packet_info *pinfo;
  proto_tree *tree;                        ///< parent of the message's item; null if no tree is built
  tvbuff_t *tvb;                           ///< the message, including the length field if the transport has it
  godot_codec::Message message{};          ///< message.bytes is a view of tvb
  conversation_t *conversation = nullptr;  ///< the packet's conversation; null: not looked up
  godot_codec::GameConnection *game_link = nullptr;  ///< connection between two peers; null: none
  /// Properties that only one transport has: streams, ENet or WebRTC.
  std::variant<std::monostate, LengthByteOrder, EnetMessageInfo, DataChannelInfo> transport_info{};
  bool is_pre_detection = false;        ///< captured before its protocol was detected, so only later passes show it
  bool is_duplicate_or_quoted = false;  ///< a duplicate, or quoted by ICMP, so the message must not update state

  /// Returns null for other transports than ENet.
  [[nodiscard]] const EnetMessageInfo *enet() const { return std::get_if<EnetMessageInfo>(&transport_info); }
  /// Returns an empty struct for other transports than WebRTC.
  [[nodiscard]] DataChannelInfo data_channel() const {
    const auto *info = std::get_if<DataChannelInfo>(&transport_info);
    return info == nullptr ? DataChannelInfo{} : *info;
  }
  [[nodiscard]] LengthByteOrder length_order() const {
    const auto *order = std::get_if<LengthByteOrder>(&transport_info);
    return order == nullptr ? LengthByteOrder::little_endian : *order;
  }
};

/// Counters for one packet, in the current pass.
struct PacketCounts {
  std::uint32_t stream_segments;  ///< number of stream segments
  std::uint32_t messages;         ///< number of stream messages
  std::uint32_t datagrams;        ///< number of datagrams with a Variant
  std::size_t summary_length;     ///< number of bytes that messages have written to the Info column
};
[[nodiscard]] PacketCounts &packet_counts_of(packet_info *pinfo);

/// Returns the position of the packet's next datagram in this pass. Use it only if the transport's dissector is called
/// for all datagrams in every pass.
[[nodiscard]] godot_codec::PacketPosition next_datagram_position(packet_info *pinfo);

/// Returns a Message with the bytes of tvb, the capture time and the packet's size.
[[nodiscard]] godot_codec::Message make_message(tvbuff_t *tvb, const packet_info *pinfo, Transport transport,
                                                godot_codec::PacketPosition position);

/// True if the summary of a message will be shown in the Info column.
[[nodiscard]] bool wants_summary(const MessageContext &context);

/// Adds a message's summary to the Info column, after a " | " if the packet has an earlier message. Over ENet, the ENet
/// dissector joins the summaries instead.
void add_summary(const MessageContext &context, const char *protocol, const char *sentence);

/// Removes the text that the transport has appended to the Info column after the summaries of messages. Does nothing if
/// there are no summaries.
void truncate_info_after_summaries(packet_info *pinfo);

/// Sets the number of bytes that messages have written to the Info column.
/// @returns the previous value
std::size_t exchange_summary_length(packet_info *pinfo, std::size_t summary_length);

}  // namespace godot_plugin
