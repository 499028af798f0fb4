// SPDX-License-Identifier: MIT
/// @file
/// All that a capture's ENet datagrams say of each other: connections, acknowledgements, gaps, messages in fragments,
/// how the hosts compress, which datagrams were captured twice.
///
/// Fed once, in the order of the capture; then asked about any moment of it, as known at that moment, and about what
/// became known later where the answer says so (acked_in, completed, facts).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/budget.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/duplicates.h"
#include "godot-codec/enet/facts.h"
#include "godot-codec/enet/fragments.h"
#include "godot-codec/enet/frame_interval.h"
#include "godot-codec/enet/log.h"
#include "godot-codec/enet/throttle.h"
#include "godot-codec/enet/tracker.h"

namespace godot_codec {

/// One connection of two hosts: from a connect command to the next one. Its address stays.
struct EnetConnection {
  std::uint32_t stream = 0;  ///< counts connections, from 0
  std::uint32_t server_port = 0;
  bool has_connect = false;                  ///< the connect command was captured
  unsigned client_direction = 0;             ///< index_of() the side of the client; where has_connect
  std::uint32_t connect_data = 0;            ///< the client's unique id, in Godot; where has_connect
  std::uint32_t channel_count = 0;           ///< channels that the client asked for; where has_connect
  PacketPosition begin;                      ///< its first datagram
  const EnetConnection *replaced = nullptr;  ///< the earlier connection of the same two ends, which this one replaced
  std::uint32_t connect_id = 0;
  PacketPosition connect_id_since;  ///< packet 0: not known
  EnetServer *server = nullptr;     ///< the server that the client wants to connect to; where has_connect
  EnetFacts facts;                  ///< facts from the whole capture, as far as it was fed
};

/// Two ends between which datagrams go, such as two hosts' UDP ports. Made and looked into by the session only.
class EnetHosts {
 public:
  EnetHosts(std::uint32_t number, std::pmr::memory_resource *memory)
      : number_(number),
        checksums_(memory),
        compressions_{Changes<Compression>(memory), Changes<Compression>(memory)},
        connections_(memory) {}

 private:
  friend class EnetSession;

  /// A value that is known from a moment on.
  template <typename Value>
  struct Change {
    PacketPosition since;
    Value value;
  };
  template <typename Value>
  using Changes = std::pmr::vector<Change<Value>>;

  std::uint32_t number_;
  Changes<bool> checksums_;  ///< true if datagrams have a checksum
  Changes<Compression> compressions_[side_count];
  Budget::Account account_;
  /// The first few peer slots that a side's datagrams are for, as far as that side or the other one has named them.
  struct Slots {
    static constexpr std::size_t max_count = 8;
    std::uint16_t numbers[max_count];
    std::size_t count;

    void add(std::uint32_t number);
    /// True if a datagram may be for one of them.
    [[nodiscard]] bool may_be_for(Bytes datagram) const;
  };
  Slots slots_[side_count] = {};
  std::pmr::vector<EnetConnection *> connections_;  ///< by their beginning
};

/// A datagram, as it was captured.
struct EnetArrival {
  PacketPosition moment;
  std::int64_t time = 0;  ///< in nanoseconds
  Side sender = Side::first;
  std::uint32_t destination_port = 0;  ///< who gets a connect is the server
  std::uint32_t server_port = 0;       ///< a guess, if none is known for certain
  std::uint32_t destination = 0;       ///< for a connect: a number that stands for address and port
  std::uint32_t wire_size = 0;         ///< bytes of the packet that brought it; 0: those of the datagram
  std::uint32_t source_port = 0;
};

/// Numbers that a command passed over.
struct EnetGap {
  EnetPlace place;
  std::uint32_t missing = 0;      ///< before this command: lost, late, or never sent
  std::uint64_t all_missing = 0;  ///< missing so far in this direction of the connection
};

/// The findings about a datagram.
struct EnetFindings {
  /// nullptr where nothing of these hosts was learned, as where they are only quoted.
  const EnetConnection *connection = nullptr;
  PacketPosition moment;        ///< the datagram's moment
  PacketPosition duplicate_of;  ///< the first capture of the same datagram; packet 0: this is the first
  /// The connect id, which takes the checksum's place while that is computed.
  std::uint32_t connect_id = 0;
  bool is_connect_id_known = false;
  EnetLog<Transmission>::Part transmissions;
  EnetLog<AckMatch>::Part matches;
  EnetLog<EnetGap>::Part gaps;
  EnetLog<EnetHitch>::Part hitches;
  std::int64_t frame_time = 0;  ///< between the sender's frames, in nanoseconds, where this datagram makes it known
  EnetLog<EnetFragmentRecord>::Part fragments;
};

/// The findings about one of a datagram's commands.
struct EnetCommandFindings {
  const Transmission *transmission = nullptr;      ///< for a command that asks for an acknowledgement
  const AckMatch *answer = nullptr;                ///< the command that an acknowledge or verify connect answers
  const EnetHitch *hitch = nullptr;                ///< that ends with this answer
  const EnetGap *gap = nullptr;                    ///< before an unreliable or unsequenced one
  const EnetFragmentedMessage *message = nullptr;  ///< the fragment's message
  bool is_last_fragment = false;                   ///< it completed the message
};

/// Everything of one capture. Memory is given back when it is destroyed.
///
/// A datagram costs what its commands teach: see AckTracker and EnetFragments; a gap 32 bytes, one seen twice 20;
/// an unreliable one in order nothing. All of it stays within a Budget; what does not is as if it had not been fed.
class EnetSession {
 public:
  explicit EnetSession(std::pmr::memory_resource *memory = std::pmr::get_default_resource());

  /// @returns hosts that nothing is known of; lives as long as the session
  EnetHosts &add_hosts();

  /// How to read a datagram of a moment, by those before it: the same whenever it is asked.
  /// @param told the user's settings, which go before what was learned
  [[nodiscard]] static EnetExpectation expectation(const EnetHosts &hosts, Side sender, PacketPosition moment,
                                                   const EnetExpectation &told);

  /// True if a datagram between the ports of a connection belongs to another protocol: it is none of ENet's, and for no
  /// slot of its sender, as far as was learned.
  /// @param whole its bytes, the header included
  [[nodiscard]] static bool is_foreign(const EnetHosts &hosts, Side sender, Bytes whole, const EnetDatagram &datagram);

  /// Learns from a datagram. Moments have to rise from call to call.
  /// @param whole its bytes, the header included
  void learn(EnetHosts &hosts, const EnetArrival &arrival, Bytes whole, const EnetDatagram &datagram) noexcept;

  /// ICMP says that a datagram between the hosts did not get there.
  static void learn_refusal(EnetHosts &hosts, Side sender, PacketPosition moment, EnetRefusal refusal);

  /// The first datagram of which something was left out, as the budget was spent; packet 0: there is none.
  [[nodiscard]] PacketPosition first_left_out() const { return budget_.spent(); }

  /// Finds the datagram of a moment. One that was captured twice has the findings of the first.
  [[nodiscard]] EnetFindings find(const EnetHosts &hosts, PacketPosition moment) const;
  /// Finds what is known about one of its commands, by its index.
  [[nodiscard]] EnetCommandFindings find(const EnetFindings &datagram, std::size_t command) const;

  /// True if a command was never acknowledged, though its receiver was heard long after. Certain at the capture's end.
  [[nodiscard]] bool is_unacknowledged(const Transmission &transmission) const {
    return tracker_.is_unacknowledged(transmission);
  }
  /// The acknowledgement in the transmission's acked_in; see AckTracker::find_answer().
  [[nodiscard]] const AckMatch *find_answer(const Transmission &transmission) const {
    return tracker_.find_answer(transmission);
  }
  /// True if all reliable commands that a packet brought are acknowledged, as far as has been learned.
  [[nodiscard]] bool is_acknowledged(std::uint32_t packet) const { return tracker_.is_acknowledged(packet); }
  /// How long the message that the transmission completed had to wait for earlier ones of its channel, in nanoseconds;
  /// 0: it did not, or that is not known. Certain at the capture's end.
  [[nodiscard]] std::int64_t waited(const Transmission &transmission) const { return tracker_.waited(transmission); }
  /// Returns a side's unreliable and unsequenced messages, as far as has been learned.
  [[nodiscard]] EnetUnreliable unreliable(const EnetConnection &connection, Side sender) const;
  /// How a side's reliable messages had to wait for others, and how many were in fragments that never became whole.
  /// See AckTracker::ordered().
  [[nodiscard]] EnetOrdered ordered(const EnetConnection &connection, Side sender) const {
    return tracker_.ordered(connection.stream, sender);
  }
  /// See AckTracker::captured().
  [[nodiscard]] EnetCaptured captured(const EnetConnection &connection) const {
    return tracker_.captured(connection.stream);
  }
  /// See AckTracker::has_acknowledged_uncaptured().
  [[nodiscard]] bool has_acknowledged_uncaptured(const EnetConnection &connection, Side sender, std::int64_t after,
                                                 std::int64_t until) const {
    return tracker_.has_acknowledged_uncaptured(connection.stream, sender, after, until);
  }
  [[nodiscard]] EnetWaits waits(const EnetConnection &connection, Side sender) const {
    return tracker_.waits(connection.stream, sender);
  }
  /// See HeadOfLine::stuck().
  [[nodiscard]] EnetStuck stuck(const EnetConnection &connection, Side sender) const {
    return tracker_.stuck(connection.stream, sender);
  }
  /// Unreliable messages in fragments: those that came as a whole, and all of which a fragment came.
  [[nodiscard]] EnetFragmentCount fragmented(const EnetConnection &connection, Side sender) const {
    return fragments_.count(connection.stream, sender);
  }
  /// Connections, by stream.
  [[nodiscard]] const std::pmr::deque<EnetConnection> &connections() const { return connections_; }

 private:
  struct Duplicate {
    EnetPlace place;
    PacketPosition of;
  };

  static void learn_reading(EnetHosts &hosts, const EnetArrival &arrival, const EnetDatagram &datagram);
  EnetConnection &begin_connection(EnetHosts &hosts, const EnetArrival &arrival, const EnetDatagram &datagram,
                                   const EnetCommand *connect);
  void learn_answer_from_elsewhere(EnetConnection &connection, const EnetArrival &arrival,
                                   const EnetDatagram &datagram);
  EnetConnection &connection_of(EnetHosts &hosts, const EnetArrival &arrival, const EnetDatagram &datagram);
  void learn_datagram(EnetConnection &connection, const EnetArrival &arrival, std::size_t size);
  void learn_command(EnetConnection &connection, const EnetArrival &arrival, const EnetDatagram &datagram,
                     std::size_t index);
  static void learn_life(EnetConnection &connection, const EnetArrival &arrival, const EnetCommand &command);
  static void learn_pace(EnetPace &pace, const EnetCommand &command);
  void learn_answer(EnetConnection &connection, const EnetArrival &arrival, const EnetCommand &command,
                    EnetPlace place);
  void learn_frame_interval(EnetSideFacts &side, const EnetArrival &arrival);
  void learn_hitch(EnetConnection &connection, const EnetArrival &arrival, const AckMatch &match, EnetPlace place);
  void learn_gap(EnetConnection &connection, Side sender, const EnetCommand &command, EnetPlace place);
  static const EnetConnection *connection_at(const EnetHosts &hosts, PacketPosition moment);

  Budget budget_;
  Budget::Memory memory_;
  std::pmr::deque<EnetHosts> hosts_;
  std::pmr::deque<EnetConnection> connections_;
  std::pmr::map<std::uint32_t, EnetServer> servers_;              // by EnetArrival::destination
  std::pmr::map<std::uint32_t, EnetConnection *> by_connect_id_;  // the newest of each connect
  std::pmr::deque<RoundTrips> round_trips_;
  std::pmr::deque<FrameInterval> frame_intervals_;
  AckTracker tracker_;
  EnetFragments fragments_;
  EnetLog<EnetGap> gaps_;
  EnetLog<EnetHitch> hitches_;
  EnetLog<EnetFrameTime> frame_times_;
  DuplicateWindow window_;
  EnetLog<Duplicate> duplicates_;
};

}  // namespace godot_codec
