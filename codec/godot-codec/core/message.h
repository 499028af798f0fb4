// SPDX-License-Identifier: MIT
/// @file
/// A message as its transport delivers it. Detection, protocols and dissectors share this description.
#pragma once

#include <cstdint>
#include <limits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"

namespace godot_codec {

enum class Transport : std::uint8_t {
  udp,        ///< one UDP datagram, or the payload of one DTLS record
  stream,     ///< one packet of a TCP or TLS stream: a length prefix and the bytes that it counts
  websocket,  ///< one WebSocket message
  enet,       ///< the data of one ENet command, or of all fragments of one message
  webrtc,     ///< one message of a WebRTC data channel
};

/// The kind of payload that the transport declares.
enum class PayloadFormat : std::uint8_t { unspecified, text, binary };

/// The sequence numbers of a message on a reliable channel, that is, on an ENet channel or an SCTP stream. The
/// transport delivers the messages in the order of these numbers.
struct SequenceRange {
  std::uint16_t channel = 0;        ///< ENet's channel or SCTP's stream; set for unreliable messages, too
  std::uint16_t first_number = 0;   ///< sequence number of the message, or of its first fragment
  std::uint32_t count = 0;          ///< number of sequence numbers of the message; 0 if the transport has none
  std::uint16_t channel_start = 1;  ///< sequence number of the channel's first message
  bool may_overtake = false;        ///< true if the message does not wait for earlier messages
};

/// Losses among the unreliable messages of one side.
struct UnreliableLosses {
  std::uint64_t missing = 0;  ///< number of lost messages, without those that probably arrived uncaptured
  std::uint64_t total = 0;
  /// Number of messages that the engine delivers in order ("unreliable_ordered").
  std::uint64_t ordered = 0;
  std::uint64_t ordered_missing = 0;
  std::uint64_t ordered_late = 0;    ///< ordered messages that arrived after a newer message, so ENet dropped them
  bool has_reliable_losses = false;  ///< true if reliable messages were lost, too
  bool is_throttled = false;         ///< true if ENet's throttle dropped the missing messages at their sender
};

/// Round-trip times of a sender's messages, in nanoseconds; 0: not measured.
struct RoundTripRange {
  std::int64_t min = 0;
  std::int64_t percentile_95 = 0;
  std::int64_t max = 0;
};

/// The disconnect that ended a connection.
struct DisconnectInfo {
  bool is_captured = false;
  bool is_by_client = false;
  PacketPosition position{};
  std::int64_t connection_age = 0;  ///< time since the connection was established, in nanoseconds
};

/// What the transport knows about the delivery of one side's messages, as of the newest packet that was read. The
/// functions of this class return that nothing is known, so every message counts as delivered.
class DeliveryInfo {
 public:
  static constexpr std::int64_t unknown_time = std::numeric_limits<std::int64_t>::min();

  /// @param packet as in PacketPosition
  /// @returns false if the receiver has not acknowledged everything in the packet
  [[nodiscard]] virtual bool is_delivered(std::uint32_t /*packet*/) const { return true; }
  /// Returns the time of the last packet from the receiver, as Message::time; or unknown_time.
  [[nodiscard]] virtual std::int64_t receiver_last_packet_time() const { return unknown_time; }
  /// Counts the unreliable messages that the sender has sent, and those of them that are missing.
  [[nodiscard]] virtual UnreliableLosses count_unreliable_losses() const { return {}; }
  /// Returns the round-trip times from the sender's messages to their acknowledgements.
  [[nodiscard]] virtual RoundTripRange round_trip_range() const { return {}; }
  /// True if one side acknowledged a message that was not captured. Considers times after @p after and up to @p until.
  /// @param by_sender true: the sender acknowledged it; false: the receiver
  [[nodiscard]] virtual bool has_acknowledged_uncaptured(bool /*by_sender*/, std::int64_t /*after*/,
                                                         std::int64_t /*until*/) const {
    return false;
  }
  [[nodiscard]] virtual DisconnectInfo disconnect_info() const { return {}; }

 protected:
  ~DeliveryInfo() = default;
};

struct UnknownDelivery final : DeliveryInfo {};
inline constexpr UnknownDelivery unknown_delivery;

/// A message, and what its transport knows about it. Trivially destructible; valid while the packet is dissected.
struct Message {
  Bytes bytes;
  PacketPosition position{};
  std::int64_t time = 0;  ///< capture time in nanoseconds; untrusted, because a file may contain any value
  Transport transport = Transport::enet;
  PayloadFormat format = PayloadFormat::unspecified;
  unsigned sender_side = 0;  ///< 0 or 1; the server is 0, if the transport knows which side is the server
  SequenceRange sequence{};
  std::uint32_t wire_size = 0;  ///< size of the packet in bytes; 0: not known. Used on the first pass only
  const DeliveryInfo *delivery = &unknown_delivery;  ///< never null
};

}  // namespace godot_codec
