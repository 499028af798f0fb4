// SPDX-License-Identifier: MIT
/// @file
/// Which acknowledgement answers which command, what was sent again, and what was lost: one ENet connection, followed
/// from packet to packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/log.h"
#include "godot-codec/enet/order.h"
#include "godot-codec/enet/side.h"

namespace godot_codec {

/// A command is unacknowledged if its receiver was heard so much later. ENet asks at least once in this time.
inline constexpr std::int64_t unacknowledged_after = 5 * nanoseconds_per_second;
/// ENet gives a peer up 30 seconds after the first command that it leaves unanswered (ENET_PEER_TIMEOUT_MAXIMUM),
/// unless the game wants otherwise: what comes later than this belongs to another command of the same number.
inline constexpr std::int64_t longest_wait = 60 * nanoseconds_per_second;

/// A command that asks for an acknowledgement, as captured.
struct ReliableCommand {
  std::uint32_t connection = 0;  ///< begin_connection()'s number
  Side sender = Side::first;
  std::uint8_t channel = 0;
  std::uint16_t seq = 0;        ///< reliable sequence number
  std::uint16_t sent_time = 0;  ///< the datagram's sent time
  EnetPlace place;
  std::int64_t time = 0;  ///< the capture's time, in nanoseconds
  MessagePart part = MessagePart::whole;
};

/// An acknowledge command, as captured.
struct Acknowledgement {
  std::uint32_t connection = 0;
  Side sender = Side::first;
  std::uint8_t channel = 0;
  std::uint16_t seq = 0;        ///< the acknowledged number
  std::uint16_t sent_time = 0;  ///< the sent time of the acknowledged datagram
  EnetPlace place;
  std::int64_t time = 0;
};

/// One transmission of a reliable command. Its address stays; acknowledgements fill it in later.
struct Transmission {
  std::int64_t time = 0;  ///< the capture's time, in nanoseconds
  EnetPlace place;
  Transmission *previous = nullptr;  ///< the captured transmission of the same command before this one
  Transmission *original = nullptr;  ///< the first captured one, which points to itself
  std::uint32_t acked_in = 0;        ///< packet that first acknowledges this transmission; 0: none does
  std::uint32_t connection = 0;
  std::uint16_t seq = 0;
  std::uint16_t sent_time = 0;
  std::uint8_t channel = 0;
  Side sender = Side::first;
  bool is_command_acked = false;  ///< true if the original or any repetition of the command is acknowledged
  MessagePart part = MessagePart::whole;

  [[nodiscard]] bool is_retransmission() const { return previous != nullptr; }
};
// A capture may have millions of them.
static_assert(sizeof(Transmission) <= 48);

/// The transmission that an acknowledgement answers.
struct AckMatch {
  EnetPlace place;                             ///< the acknowledgement's place
  const Transmission *transmission = nullptr;  ///< nullptr: none that was captured
  std::int64_t round_trip_time = 0;            ///< from the transmission to the acknowledgement, in nanoseconds
  bool is_sent_time_known =
      false;              ///< the transmission has the sent time that is acknowledged; else the latest is taken
  bool is_first = false;  ///< no transmission of the command was acknowledged before
  bool is_late = false;   ///< the command had been sent again by then: in vain
};

/// Counts what is missing of 16-bit numbers that rise by one, wrap, and may arrive out of order.
class GapCounter {
 public:
  /// Expects the number after @p number next. Numbers that were missing before stay missing.
  void start_behind(std::uint16_t number);
  /// @param unread how many datagrams so far could not be read: what is passed over may have been in a new one
  /// @returns how many numbers were passed over to come to this one
  std::uint32_t add(std::uint16_t number, std::uint16_t unread = 0);
  /// True if the number was not added so far, as far as is remembered.
  [[nodiscard]] bool is_new(std::uint16_t number) const;
  /// True if a higher number was added.
  [[nodiscard]] bool is_behind(std::uint16_t number) const;
  [[nodiscard]] bool has_begun() const { return has_begun_; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }

 private:
  std::uint64_t missing_ = 0;
  std::uint64_t seen_ = 0;  ///< bit i: the number i below the highest
  std::uint16_t unread_ = 0;
  std::uint16_t highest_ = 0;
  bool has_begun_ = false;
};

/// Reliable commands of a connection, which a sender repeats until they have come, in numbers.
struct EnetCaptured {
  std::uint64_t missing = 0;  ///< never captured, though later ones were
  std::uint64_t all = 0;
};

/// Counts a side's unreliable commands that are numbered by channel, over all channels. A receiver drops those that are
/// older than the newest one it has.
struct EnetOrdered {
  std::uint32_t came = 0;
  std::uint32_t missing = 0;  ///< never captured, though later ones were
  std::uint32_t late = 0;     ///< came after a newer one, so the receiver dropped it
};

/// Follows connections. To be fed once, in the order of the capture; what nobody began is no connection.
///
/// Every reliable command fed takes about sizeof(Transmission) and 10 bytes, an acknowledgement that answers one
/// sizeof(AckMatch); unreliable ones nothing, once their channel is known.
class AckTracker {
 public:
  explicit AckTracker(std::pmr::memory_resource *memory = std::pmr::get_default_resource());

  /// A new connection.
  /// @param is_whole its beginning was captured: a number that is missing before the first one is missing
  /// @returns its number, from 0
  std::uint32_t begin_connection(bool is_whole);

  /// A datagram of a side was captured. The calls below do not imply it.
  void on_datagram(std::uint32_t connection, Side sender, std::int64_t time);
  /// A datagram of a side was captured of which not all could be read.
  void on_unread(std::uint32_t connection, Side sender) { ++connections_[connection].unread[index_of(sender)]; }
  /// A command with the acknowledge flag.
  const Transmission &on_reliable(const ReliableCommand &command);
  AckMatch on_acknowledge(const Acknowledgement &acknowledgement);
  /// A verify connect. It answers the connect, which gets no acknowledge command (ENet's
  /// enet_protocol_handle_verify_connect), and is a reliable command itself.
  AckMatch on_verify_connect(std::uint32_t connection, Side sender, EnetPlace place, std::int64_t time);
  /// A send unreliable, or a fragment of one with its start sequence number.
  /// @param reliable_seq of the command's header: unreliable numbers begin at 1 behind each reliable command
  /// @returns how many numbers were passed over: lost, late, or dropped by the sender's own throttle
  std::uint32_t on_unreliable(std::uint32_t connection, Side sender, std::uint8_t channel, std::uint16_t reliable_seq,
                              std::uint16_t unreliable_seq);
  std::uint32_t on_unsequenced(std::uint32_t connection, Side sender, std::uint16_t group);

  /// True if no transmission of the command was acknowledged though the receiver was heard long after this one. This
  /// one has to be at least the second repetition, and its sender must not have gone on without repeating when it
  /// should have: such a sender got an acknowledgement that the capture lacks. Certain only when everything has been
  /// fed.
  [[nodiscard]] bool is_unacknowledged(const Transmission &transmission) const;
  /// Finds the acknowledgement of a transmission, by its acked_in; nullptr: there is none, or it stands after more
  /// acknowledgements than ENet sends in a packet.
  [[nodiscard]] const AckMatch *find_answer(const Transmission &transmission) const;
  /// True if all reliable commands that a packet brought are acknowledged, by any of their transmissions, as far as has
  /// been fed.
  [[nodiscard]] bool is_acknowledged(std::uint32_t packet) const;
  /// How long the message that the transmission completed had to wait for earlier ones, in nanoseconds; 0: it did not.
  /// Certain only when everything has been fed.
  [[nodiscard]] std::int64_t waited(const Transmission &transmission) const { return order_.waited(transmission); }
  [[nodiscard]] EnetWaits waits(std::uint32_t connection, Side sender) const {
    return order_.waits(channel_key(connection, sender, 0) >> channel_bits);
  }
  [[nodiscard]] EnetStuck stuck(std::uint32_t connection, Side sender) const {
    return order_.stuck(channel_key(connection, sender, 0) >> channel_bits);
  }
  [[nodiscard]] EnetOrdered ordered(std::uint32_t connection, Side sender) const;
  /// Unreliable numbers that never came, of all channels.
  [[nodiscard]] std::uint64_t missing_unreliable(std::uint32_t connection, Side sender) const;
  [[nodiscard]] std::uint64_t missing_unreliable(std::uint32_t connection, Side sender, std::uint8_t channel) const;
  [[nodiscard]] std::uint64_t missing_unsequenced(std::uint32_t connection, Side sender) const;
  /// Counts both sides' reliable commands: the share that is missing is about the share of everything that was not
  /// captured.
  [[nodiscard]] EnetCaptured captured(std::uint32_t connection) const;
  /// True if a side acknowledges a command that was never captured after a time, and no later than another; as far as
  /// has been fed.
  [[nodiscard]] bool has_acknowledged_uncaptured(std::uint32_t connection, Side sender, std::int64_t after,
                                                 std::int64_t until) const;

  /// All transmissions that were fed, by place.
  [[nodiscard]] const EnetLog<Transmission> &transmissions() const { return transmissions_; }
  /// Acknowledgements that answer something.
  [[nodiscard]] const EnetLog<AckMatch> &matches() const { return matches_; }

 private:
  /// One direction of a channel.
  struct Channel {
    bool has_reliable = false;
    std::uint16_t highest_seq = 0;   ///< reliable number, allowing for wraps
    std::uint16_t reliable_seq = 0;  ///< the newest reliable number; unreliable numbers begin anew after it
    GapCounter unreliable;
    GapCounter reliable;
  };
  struct Connection {
    bool is_whole = false;
    bool is_heard[side_count] = {};
    std::uint16_t unread[side_count] = {};  ///< datagrams of which not all could be read
    std::int64_t last_heard[side_count] = {};
    EnetOrdered ordered[side_count];  ///< on all channels together
    GapCounter unsequenced[side_count];
    std::uint64_t reliable = 0;          ///< numbers that were captured from both sides
    std::uint64_t missing_reliable = 0;  ///< from both sides
  };
  /// Identifies a command by its connection, side, channel and number.
  struct Key {
    std::uint32_t connection;
    Side sender;
    std::uint8_t channel;
    std::uint16_t seq;
  };

  /// The slot of a command's latest transmission, or for it.
  std::uint32_t &slot_of(const Key &key);
  [[nodiscard]] Transmission *find_slot(const Key &key);
  void grow_slots();
  /// The latest transmission of a command that something at @p time may answer; nullptr if there is none.
  Transmission *find_latest(const Key &key, std::int64_t time);
  void count_reliable(Channel &channel, const ReliableCommand &command);
  AckMatch answer(Transmission &transmission, EnetPlace place, std::int64_t time, bool is_sent_time_known);
  void learn_arrival(const Transmission &transmission, std::int64_t time, bool is_sent_time_known);

  static constexpr unsigned channel_bits = 8;
  static std::uint64_t channel_key(std::uint32_t connection, Side sender, std::uint8_t channel);

  EnetLog<Transmission> transmissions_;
  EnetLog<AckMatch> matches_;
  std::pmr::deque<Connection> connections_;
  /// Latest transmissions by what is hashed of their keys: indices, from 1; 0: none. A power of two of them.
  std::pmr::vector<std::uint32_t> slots_;
  std::size_t slots_used_ = 0;
  std::pmr::map<std::uint64_t, Channel> channels_;
  /// By connection and side: when it acknowledged what was not captured.
  std::pmr::map<std::uint64_t, std::pmr::vector<std::int64_t>> uncaptured_;
  HeadOfLine order_;
};

}  // namespace godot_codec
