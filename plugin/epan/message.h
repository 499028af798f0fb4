// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A message as its carrier hands it on, and what it tells the Info column.
#pragma once

#include <cstdint>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/capture_time.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Who brought a message.
enum class Carrier : std::uint8_t {
  udp,        ///< or DTLS: one datagram
  stream,     ///< TCP or TLS: a length, and so many bytes
  websocket,  ///< one message
  enet,       ///< one command's data, or what its fragments make
  webrtc,     ///< one message of a data channel
};

/// The order of the bytes of a length in front of a stream's packet, which StreamPeer.big_endian sets.
enum class LengthOrder : std::uint8_t {
  little_endian,  ///< or none
  big_endian,     ///< at the other end as well
  unanswered,     ///< big-endian, and of the other end it is not known
  differs,        ///< big-endian, but not at the other end
};

/// A message of a packet.
struct Message {
  tvbuff_t *tvb;  ///< with its length prefix, if the carrier has one
  Carrier carrier;
  godot_codec::PacketPosition moment;
  /// It came before its conversation was recognised, and so is seen on later passes only.
  bool is_early;
  /// The packet's, where the carrier has looked it up.
  conversation_t *conversation = nullptr;
  LengthOrder length_order = LengthOrder::little_endian;
  godot_codec::TextBuffer *info = nullptr;  ///< ENet's: for the sentence; null where nobody reads it
  const char *channel = nullptr;  ///< how it was delivered, for the Info column; null where the carrier does not say
  bool is_text = false;           ///< a data channel's message that was sent as text
  // A data channel's ends: address and port below, since SCTP's ports are equal at both ends.
  const char *source = nullptr;       ///< null elsewhere
  const char *destination = nullptr;  ///< null elsewhere
  std::int32_t source_id = 0;         ///< the multiplayer's id of who sends it, by signalling; 0: not known
  std::int32_t destination_id = 0;    ///< the id of who gets it; 0: not known
  unsigned direction = 0;             ///< 0 or 1
  bool is_copy = false;               ///< it was captured before, and is not judged again
};

/// Counts for one packet, in this pass.
struct PacketCounts {
  std::uint32_t parts;      ///< segments of streams
  std::uint32_t messages;   ///< messages of streams
  std::uint32_t datagrams;  ///< datagrams with a Variant
  std::size_t told;         ///< bytes of the Info column that messages have told
};
[[nodiscard]] PacketCounts &counts_of(packet_info *pinfo);

/// The moment of the next datagram of this packet, in this pass. For carriers that meet all of them in every pass.
[[nodiscard]] godot_codec::PacketPosition next_moment(packet_info *pinfo);

/// True if somebody reads in the Info column what a message says.
[[nodiscard]] bool wants_sentence(const packet_info *pinfo, const Message &message);

/// Tells what a message says: several messages of one packet are joined by " | ". Within ENet the sentence is put
/// together by ENet.
void tell_message(packet_info *pinfo, const Message &message, const char *protocol, const char *sentence);

/// Cuts the Info column behind what messages have told, if they have: their carrier has appended something.
void end_told(packet_info *pinfo);

/// Sets how much of the Info column messages have told so far. @returns how much it was
std::size_t exchange_told(packet_info *pinfo, std::size_t told);

}  // namespace godot_plugin
