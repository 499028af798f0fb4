// SPDX-License-Identifier: MIT
/// @file
/// How a connection fared: round trips, what was sent again, silences, how it ended. Their size does not grow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/frame_interval.h"
#include "godot-codec/enet/side.h"

namespace godot_codec {

struct Transmission;

/// Statistics of measured times, in nanoseconds. All of them are exact except percentile().
class RoundTrips {
 public:
  void add(std::int64_t time);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::int64_t least() const { return least_; }
  [[nodiscard]] std::int64_t most() const { return most_; }
  /// 0 where nothing was measured.
  [[nodiscard]] std::int64_t mean() const;
  /// A time that so many percent do not exceed, at most 1/8 too high; 0 where nothing was measured.
  /// @param percent from 0 to 100
  [[nodiscard]] std::int64_t percentile(unsigned percent) const;

 private:
  /// Eight buckets for each doubling, from 1 microsecond to 68 seconds.
  static constexpr unsigned steps = 8;
  static constexpr unsigned first_doubling = 10;
  static constexpr unsigned last_doubling = 36;
  static constexpr std::size_t bucket_count = std::size_t{steps} * (last_doubling - first_doubling);

  static std::size_t bucket_of(std::int64_t time);
  static std::int64_t end_of(std::size_t bucket);

  std::uint64_t count_ = 0;
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
  double sum_ = 0;
  std::array<std::uint32_t, bucket_count> buckets_{};
};

/// The limits of its rate that a side has announced last.
struct EnetPace {
  bool has_bandwidth = false;            ///< said with the connect, its answer, or since
  std::uint32_t incoming_bandwidth = 0;  ///< bytes per second; 0: any
  std::uint32_t outgoing_bandwidth = 0;
  bool has_throttle = false;            ///< the side has sent settings for its peer's throttle
  std::uint32_t throttle_interval = 0;  ///< milliseconds
  std::uint32_t throttle_acceleration = 0;
  std::uint32_t throttle_deceleration = 0;
};

/// How ICMP says that a datagram did not get to its receiver.
enum class EnetRefusal : std::uint8_t {
  unreachable,  ///< nobody listens at the port
  no_route,     ///< no way leads to the host, or there is none
  prohibited,   ///< a filter on the way does not let it pass
};

/// Facts about one side of a connection.
struct EnetSideFacts {
  std::uint32_t datagrams = 0;    ///< captured; one that was captured twice counts once
  std::uint32_t resent = 0;       ///< commands that had been sent before
  std::uint32_t resendings = 0;   ///< moments at which it sent some again that were not acknowledged by then
  std::uint32_t last_resent = 0;  ///< the newest of them, in milliseconds since it was first heard
  std::uint64_t commands = 0;     ///< in its datagrams, ENet's own commands included
  std::uint64_t bytes = 0;        ///< bytes of its datagrams, ENet's header included
  std::uint32_t waiting = 0;      ///< commands that ask for an acknowledgement and have none by now
  std::uint32_t most_waiting = 0;
  std::uint32_t needless = 0;   ///< commands sent again whose earlier sending had come, as its acknowledgement says
  std::uint32_t fragments = 0;  ///< fragments of reliable messages that fill a datagram
  std::uint32_t fragments_resent = 0;  ///< how often such fragments were sent again
  std::uint32_t fragments_acked = 0;   ///< those that were acknowledged
  std::int64_t first_heard = 0;
  std::int64_t last_heard = 0;
  std::int64_t longest_silence = 0;            ///< between two datagrams, in nanoseconds
  std::int64_t silent_until = 0;               ///< when that ended
  std::uint32_t unreliable = 0;                ///< unreliable messages that were captured, except those in fragments
  std::uint32_t last_acknowledgement = 0;      ///< the newest packet in which it acknowledges something; 0: none
  const Transmission *last_message = nullptr;  ///< the newest sending of a reliable message; nullptr: there was none
  RoundTrips *round_trips = nullptr;        ///< from its commands to their acknowledgements; nullptr: none was measured
  FrameInterval *frame_interval = nullptr;  ///< nullptr: there were too few datagrams
  EnetPace pace;
  std::uint32_t unanswered = 0;  ///< datagrams in which it has repeated something since the other side was last heard
  PacketPosition unanswered_since;  ///< the first of them, if unanswered > 0
  PacketPosition last_unanswered;   ///< the newest of them, if unanswered > 0
  PacketPosition refused;           ///< the first ICMP error since the other side was last heard; packet 0: none
  EnetRefusal refusal = EnetRefusal::unreachable;  ///< the meaning of the ICMP error
  bool is_like_godot3 = false;  ///< a client: a message of it begins as those of Godot 3's multiplayer
  bool is_like_godot4 = false;  ///< a message of it is on a channel where Godot 3's multiplayer has only its own
  std::uint32_t acknowledging_until = 0;  ///< when it last acknowledged something, in milliseconds since it was first
                                          ///< heard
};

/// How a connection ended, as far as the capture tells.
struct EnetEnd {
  enum class Kind : std::uint8_t {
    open,          ///< nothing says that it has ended: compare last_heard of its sides
    disconnected,  ///< a disconnect was sent
    replaced,      ///< another connection of the same two ends began
  };
  Kind kind = Kind::open;
  Side by = Side::first;   ///< who sent the first disconnect, or began the other connection
  std::uint32_t data = 0;  ///< the disconnect's data
  PacketPosition moment;
  std::int64_t time = 0;  ///< the capture's time, in nanoseconds
};

/// Facts that a server has told any of its clients.
struct EnetServer {
  PacketPosition last_said;  ///< packet 0: nothing so far
  std::int64_t last_said_time = 0;
  std::uint32_t answered_compressions = 0;  ///< a bit for each Compression of connects that it has answered
};

/// A connection as a whole.
struct EnetFacts {
  std::array<EnetSideFacts, side_count> sides;
  EnetEnd end;
  std::uint32_t connects = 0;  ///< datagrams with a connect command, repeated ones included
  Compression connect_compression = Compression::none;
  bool is_echoed = false;                  ///< a connect came back from where it was sent to
  bool is_text_answer = false;             ///< text came in an answer's place
  bool is_connect_answered = false;        ///< a verify connect came
  PacketPosition connect_answered;         ///< the first one; where is_connect_answered
  std::int64_t connect_answered_time = 0;  ///< where is_connect_answered: the capture's time, in nanoseconds
  Compression answer_compression = Compression::none;
  std::uint32_t allowed_channels = 0;  ///< the number of channels in the verify connect
  bool is_answer_heard = false;        ///< the client has said something else since the answer
  bool has_server_gone_on = false;     ///< the server has said something else since the answer
  bool is_answer_repeated = false;     ///< the server has repeated the answer, as the client did not acknowledge it
  std::uint32_t answers = 0;           ///< datagrams with a verify connect
  PacketPosition
      answered_elsewhere;        ///< a verify connect for this connect came from another address or port; packet 0: no
  bool is_stray_answer = false;  ///< this is only the answer to a connect that was sent to another address or port
  std::uint32_t answering_port = 0;  ///< the port of that answer; where answered_elsewhere
  std::uint32_t asked_again = 0;     ///< datagrams since the answer in which the client has repeated something
  PacketPosition last_asked;         ///< the newest of them, or of those with a connect
  PacketPosition dtls;               ///< a record of DTLS in an answer's place; packet 0: none
  PacketPosition unreadable;         ///< a datagram in an answer's place, with an unknown compression; packet 0: none
  PacketPosition first_message;      ///< the first datagram with a message; packet 0: there was none
  PacketPosition last;               ///< the newest datagram of either side

  [[nodiscard]] const EnetSideFacts &of(Side side) const { return sides[index_of(side)]; }
  [[nodiscard]] EnetSideFacts &of(Side side) { return sides[index_of(side)]; }
};

}  // namespace godot_codec
