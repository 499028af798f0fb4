// SPDX-License-Identifier: MIT
/// @file
/// Facts about a connection: round trips, retransmissions, silences, and how the connection ended. Their size is
/// constant.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/command_log.h"
#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/frame_interval_detector.h"

namespace godot_codec {

struct Transmission;

/// Statistics of measured times, in nanoseconds. All results except percentile() are exact.
class RoundTripStatistics {
 public:
  void add(std::int64_t time);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::int64_t least() const { return shortest_; }
  [[nodiscard]] std::int64_t most() const { return longest_; }
  /// Returns 0 if there are no values.
  [[nodiscard]] std::int64_t mean() const;
  /// Returns a time that @p percent of the values do not exceed. It is at most 1/8 too high; 0 if there are no values.
  /// @param percent from 0 to 100
  [[nodiscard]] std::int64_t percentile(unsigned percent) const;

 private:
  /// Eight buckets per power of two. They cover 1 microsecond to 68 seconds.
  static constexpr unsigned steps = 8;
  static constexpr unsigned first_doubling = 10;
  static constexpr unsigned last_doubling = 36;
  static constexpr std::size_t bucket_count = std::size_t{steps} * (last_doubling - first_doubling);

  static std::size_t bucket_index(std::int64_t time);
  static std::int64_t bucket_end(std::size_t bucket);

  std::uint64_t count_ = 0;
  std::int64_t shortest_ = 0;
  std::int64_t longest_ = 0;
  double sum_ = 0;
  std::array<std::uint32_t, bucket_count> buckets_{};
};

/// The newest rate limits that a side has announced.
struct EnetRateLimits {
  bool has_bandwidth = false;            ///< true if announced, in the connect, in the verify connect, or later
  std::uint32_t incoming_bandwidth = 0;  ///< bytes per second; 0: no limit
  std::uint32_t outgoing_bandwidth = 0;
  bool has_throttle = false;            ///< true if the side has sent settings for its peer's throttle
  std::uint32_t throttle_interval = 0;  ///< in milliseconds
  std::uint32_t throttle_acceleration = 0;
  std::uint32_t throttle_deceleration = 0;
};

/// The reason in an ICMP error, which reports that a datagram was not delivered.
enum class EnetIcmpErrorReason : std::uint8_t {
  unreachable,  ///< the port is closed
  no_route,     ///< there is no route to the host
  prohibited,   ///< a filter blocks the datagram
};

/// Facts about one side of a connection.
struct EnetSideFacts {
  std::uint32_t datagrams = 0;               ///< number of datagrams, without duplicates
  std::uint32_t retransmissions = 0;         ///< number of retransmitted commands
  std::uint32_t retransmission_rounds = 0;   ///< number of times at which unacknowledged commands were retransmitted
  std::uint32_t last_retransmission_ms = 0;  ///< the newest of these times, in milliseconds since first_heard
  std::uint64_t commands = 0;                ///< number of commands, including ENet's control commands
  std::uint64_t bytes = 0;                   ///< size of the datagrams with ENet's header
  std::uint32_t unacked_commands = 0;        ///< number of commands that still wait for an acknowledgement
  std::uint32_t max_unacknowledged = 0;
  std::uint32_t spurious_retransmissions = 0;  ///< number of spurious retransmissions, because an acknowledgement shows
                                               ///< that an earlier transmission had arrived
  std::uint32_t fragments = 0;                 ///< number of reliable fragments that fill a datagram
  std::uint32_t full_fragments_retransmitted = 0;  ///< number of retransmissions of such fragments
  std::uint32_t full_fragments_acked = 0;          ///< number of such fragments that were acknowledged
  std::int64_t first_heard = 0;
  std::int64_t last_heard = 0;
  std::int64_t longest_silence = 0;               ///< longest time between two datagrams, in nanoseconds
  std::int64_t silent_until = 0;                  ///< end of the longest silence
  std::uint32_t unreliable_count = 0;             ///< number of captured unreliable messages without fragments
  std::uint32_t last_acknowledgement_packet = 0;  ///< newest packet with an acknowledgement from this side; 0: none
  const Transmission *last_message = nullptr;     ///< newest transmission of a reliable message; nullptr: none
  RoundTripStatistics *round_trips =
      nullptr;  ///< times from the side's commands to their acknowledgements; null: none was measured
  FrameIntervalDetector *frame_interval = nullptr;  ///< null: too few datagrams
  EnetRateLimits rate_limits;
  std::uint32_t unanswered_count = 0;  ///< datagrams with retransmissions since the other side's last datagram
  PacketPosition unanswered_since;     ///< the first of these datagrams, if unanswered_count > 0
  PacketPosition last_unanswered;      ///< the newest of these datagrams, if unanswered_count > 0
  PacketPosition icmp_error;           ///< first ICMP error since the other side's last datagram; packet 0: none
  EnetIcmpErrorReason icmp_error_reason = EnetIcmpErrorReason::unreachable;  ///< the reason in this ICMP error
  bool is_like_godot3 =
      false;  ///< for a client: true if one of its messages begins like those of Godot 3's multiplayer
  bool is_like_godot4 =
      false;  ///< true if one of its messages is on a channel on which Godot 3's multiplayer sends only system messages
  std::uint32_t last_acknowledgement_ms =
      0;  ///< time of the newest acknowledgement from this side, in milliseconds since first_heard
};

/// How a connection ended.
enum class EnetConnectionEndKind : std::uint8_t {
  open,          ///< no sign of an end; see last_heard of the sides
  disconnected,  ///< a disconnect was sent
  replaced,      ///< another connection between the same hosts began
};

/// How a connection ended, as far as the capture shows.
struct EnetConnectionEnd {
  EnetConnectionEndKind kind = EnetConnectionEndKind::open;
  std::uint8_t by = 0;     ///< the side that sent the first disconnect, or began the other connection
  std::uint32_t data = 0;  ///< data of the disconnect
  PacketPosition position;
  std::int64_t time = 0;  ///< capture time in nanoseconds
};

/// What a server has sent to any of its clients.
struct EnetServerActivity {
  PacketPosition last_sent;  ///< newest datagram; packet 0: none so far
  std::int64_t last_sent_time = 0;
  std::uint32_t answered_compressions =
      0;  ///< compressions of the connects that the server has answered, one bit per Compression
};

/// Facts about a whole connection.
struct EnetConnectionFacts {
  std::array<EnetSideFacts, 2> sides;  ///< by direction: the side with the sender 0 or 1 of EnetDatagramContext
  EnetConnectionEnd end;
  std::uint32_t connects = 0;  ///< number of datagrams with a connect, including retransmissions
  Compression connect_compression = Compression::none;
  bool is_echoed = false;                  ///< true if a connect was sent back by its destination
  bool has_text_answer = false;            ///< true if the server's port answered with text
  bool is_connect_answered = false;        ///< true if there is a verify connect
  PacketPosition verify_connect_position;  ///< first datagram with a verify connect; if is_connect_answered
  std::int64_t verify_connect_time = 0;    ///< capture time in nanoseconds; if is_connect_answered
  Compression answer_compression = Compression::none;
  std::uint32_t allowed_channels = 0;  ///< number of channels in the verify connect
  bool has_client_continued = false;   ///< true if the client has sent anything except connects after the answer
  bool has_server_continued = false;   ///< true if the server has sent anything except the answer since the answer
  bool is_answer_retransmitted =
      false;  ///< true if the server has retransmitted the answer, because the client did not acknowledge it
  std::uint32_t verify_connects = 0;     ///< number of datagrams with a verify connect
  PacketPosition answer_from_elsewhere;  ///< datagram with the verify connect for this connection, from another address
                                         ///< or port; packet 0: none
  bool is_stray_answer =
      false;  ///< true if this connection is only an answer to a connect that was sent to another address or port
  std::uint32_t answering_port = 0;  ///< port that sent the answer; if answer_from_elsewhere
  std::uint32_t client_retransmissions =
      0;  ///< number of datagrams after the answer in which the client retransmitted something
  PacketPosition last_client_attempt;  ///< newest datagram with such a retransmission, or with a connect
  PacketPosition dtls;                 ///< first DTLS record instead of an answer; packet 0: none
  PacketPosition unreadable_answer;    ///< first datagram with an unknown compression; packet 0: none
  PacketPosition first_message;        ///< first datagram with a message; packet 0: none
  PacketPosition last_datagram;        ///< newest datagram of either side
};

/// Counts of a side's unreliable messages.
struct EnetUnreliableCounts {
  std::uint64_t missing = 0;  ///< messages that never arrived, or arrived without some fragments
  std::uint64_t total = 0;
  std::uint64_t skipped = 0;  ///< missing messages with skipped sequence numbers, so no byte of them was captured
};

/// True if a side's throttle probably dropped the skipped messages. Each answer with a longer delay than earlier
/// answers lowers the share of messages that ENet sends (enet_peer_throttle() in its peer.c). Dropped messages already
/// have sequence numbers (enet_protocol_check_outgoing_commands() in protocol.c). A link that loses so many messages
/// would also lose reliable messages.
/// @param late number of the side's reliable messages that waited for a lost message
[[nodiscard]] bool is_throttled(const EnetSideFacts &side, const EnetUnreliableCounts &messages, std::uint32_t late);

}  // namespace godot_codec
