// SPDX-License-Identifier: MIT
/// @file
/// Matches acknowledgements with commands, and finds retransmissions and losses. Separately for each ENet connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/command_log.h"
#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/head_of_line_tracker.h"

namespace godot_codec {

/// A command counts as unacknowledged if its receiver still sends this long after the command, in nanoseconds. ENet
/// retransmits at least once in this time.
inline constexpr std::int64_t unacknowledged_after = 5 * nanoseconds_per_second;
/// Maximum time between a command and its acknowledgement or retransmission, in nanoseconds. By default, ENet times out
/// a peer 30 seconds after the first unanswered command (ENET_PEER_TIMEOUT_MAXIMUM). Anything later belongs to another
/// command with the same sequence number.
inline constexpr std::int64_t max_wait = 60 * nanoseconds_per_second;

/// A captured command that requests an acknowledgement.
struct ReliableCommand {
  std::uint32_t connection = 0;  ///< result of begin_connection()
  unsigned sender = 0;
  std::uint8_t channel = 0;
  std::uint16_t seq = 0;        ///< reliable sequence number
  std::uint16_t sent_time = 0;  ///< sent time of the datagram
  EnetCommandPosition position;
  std::int64_t time = 0;  ///< capture time in nanoseconds
  FragmentRole role = FragmentRole::whole;
};

/// A captured acknowledge command.
struct Acknowledgement {
  std::uint32_t connection = 0;
  unsigned sender = 0;
  std::uint8_t channel = 0;
  std::uint16_t seq = 0;        ///< acknowledged sequence number
  std::uint16_t sent_time = 0;  ///< sent time of the datagram with the acknowledged command
  EnetCommandPosition position;
  std::int64_t time = 0;
};

/// One transmission of a reliable command. Its address is stable. Later acknowledgements update it.
struct Transmission {
  std::int64_t time = 0;  ///< capture time in nanoseconds
  EnetCommandPosition position;
  Transmission *previous = nullptr;  ///< previous captured transmission of the same command; null: none
  Transmission *original = nullptr;  ///< first captured transmission of the command, or this transmission
  std::uint32_t acked_in = 0;        ///< packet number of the first packet that acknowledges this transmission; 0: none
  std::uint32_t connection = 0;
  std::uint16_t seq = 0;
  std::uint16_t sent_time = 0;
  std::uint8_t channel = 0;
  std::uint8_t sender = 0;
  bool is_command_acked = false;  ///< true if any transmission of the command is acknowledged
  FragmentRole role = FragmentRole::whole;

  [[nodiscard]] bool is_retransmission() const { return previous != nullptr; }
};
// The size is limited, because a capture may contain millions of transmissions.
static_assert(sizeof(Transmission) <= 48);

/// The transmission that an acknowledgement answers.
struct AckMatch {
  EnetCommandPosition position;                ///< position of the acknowledgement
  const Transmission *transmission = nullptr;  ///< null: the transmission was not captured
  std::int64_t round_trip_time = 0;            ///< from the transmission to the acknowledgement, in nanoseconds
  bool is_sent_time_known =
      false;  ///< true if the transmission has the acknowledged sent time; otherwise the latest transmission is used
  bool is_first = false;  ///< true if no transmission of the command was acknowledged before
  bool shows_spurious =
      false;  ///< true if the command had already been retransmitted, so the retransmission was spurious
};

/// Counts missing 16-bit sequence numbers. The numbers increase by one, wrap, and may arrive out of order.
class GapCounter {
 public:
  /// Sets the number after which the next number is expected. Numbers that were missing before remain missing.
  void start_after(std::uint16_t number);
  /// Adds a number.
  /// @param unreadable number of unreadable datagrams so far; a new unreadable datagram may contain the skipped numbers
  /// @returns the number of skipped numbers
  std::uint32_t add(std::uint16_t number, std::uint16_t unreadable = 0);
  /// True if the number was not added before. Only recent numbers are remembered.
  [[nodiscard]] bool is_new(std::uint16_t number) const;
  /// True if a higher number was added.
  [[nodiscard]] bool is_below_highest(std::uint16_t number) const;
  /// True if no higher or equal number was added.
  [[nodiscard]] bool is_above_highest(std::uint16_t number) const;
  [[nodiscard]] bool has_begun() const { return has_begun_; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }

 private:
  std::uint64_t missing_ = 0;
  std::uint64_t seen_bits_ = 0;  ///< bit i is set if the number i below the highest number was added
  std::uint16_t unreadable_datagrams_ = 0;
  std::uint16_t highest_number_ = 0;
  bool has_begun_ = false;
};

/// Counts of a connection's reliable commands. A sender retransmits a command until it has arrived.
struct EnetReliableCounts {
  std::uint64_t missing = 0;  ///< commands that were never captured, although later commands were
  std::uint64_t total = 0;
};

/// Counts of a side's unreliable commands, summed over all channels. Sequence numbers are per channel. A receiver drops
/// a command that is older than the newest command that has arrived.
struct EnetSequencedCounts {
  std::uint32_t arrived = 0;
  std::uint32_t missing = 0;  ///< never captured, although later commands were
  std::uint32_t late = 0;     ///< arrived after a newer command, so the receiver dropped them
};

/// Follows connections. Each command must be added once, in capture order, after begin_connection().
///
/// Memory: about sizeof(Transmission) and 10 bytes for each reliable command, and sizeof(AckMatch) for each
/// acknowledgement with a match. An unreliable command takes no memory, except for the first command of a channel.
class AckTracker {
 public:
  explicit AckTracker(std::pmr::memory_resource *memory = std::pmr::get_default_resource());

  /// @returns the connection's index, from 0
  /// @param is_whole true if the beginning was captured, so sequence numbers before the first captured number are
  /// missing
  std::uint32_t begin_connection(bool is_whole);

  /// Records that a datagram of a side was captured. The functions below do not record this.
  void on_datagram(std::uint32_t connection, unsigned sender, std::int64_t time);
  /// Records that a captured datagram of a side is not completely readable.
  void on_unreadable(std::uint32_t connection, unsigned sender) { ++connections_[connection].unreadable[sender]; }
  /// Processes a command with the acknowledge flag.
  const Transmission &on_reliable(const ReliableCommand &command);
  AckMatch on_acknowledge(const Acknowledgement &acknowledgement);
  /// Processes a verify connect, itself a reliable command. ENet treats it as the acknowledgement of the connect, and
  /// sends no acknowledge command for the connect (enet_protocol_handle_verify_connect).
  AckMatch on_verify_connect(std::uint32_t connection, unsigned sender, EnetCommandPosition position,
                             std::int64_t time);
  /// Processes an unreliable command, or an unreliable fragment with its start sequence number.
  /// @param reliable_seq from the command's header; unreliable sequence numbers restart at 1 after each reliable
  /// command
  /// @returns number of skipped commands: lost, late, or dropped by the sender's throttle
  std::uint32_t on_unreliable(std::uint32_t connection, unsigned sender, std::uint8_t channel,
                              std::uint16_t reliable_seq, std::uint16_t unreliable_seq);
  std::uint32_t on_unsequenced(std::uint32_t connection, unsigned sender, std::uint16_t group);

  /// True if the command was never acknowledged, although the receiver still sent something long after this
  /// transmission. The transmission must be at least the second retransmission. The sender must not have sent anything
  /// after its next retransmission was due: otherwise it has received an acknowledgement that was not captured. Final
  /// after all commands were added.
  [[nodiscard]] bool is_unacknowledged(const Transmission &transmission) const;
  /// Returns the acknowledgement in the packet `acked_in` of a transmission; null if there is none. Also null if more
  /// acknowledgements than ENet sends precede it in the packet.
  [[nodiscard]] const AckMatch *find_acknowledgement(const Transmission &transmission) const;
  /// True if all reliable commands in a packet have been acknowledged so far, by any of their transmissions.
  [[nodiscard]] bool is_packet_acknowledged(std::uint32_t packet) const;
  /// Returns the head-of-line delay of the message that the transmission completed, in nanoseconds; 0: none. Final
  /// after all commands were added.
  [[nodiscard]] std::int64_t head_of_line_delay(const Transmission &transmission) const;
  /// Returns the delays of a side's messages. Final after all commands were added.
  [[nodiscard]] EnetDelayStatistics delay_statistics(std::uint32_t connection, unsigned sender) const;
  /// Returns the fragment of a side, on any channel, that has waited longest for other fragments.
  [[nodiscard]] EnetBlockage find_blockage(std::uint32_t connection, unsigned sender) const;
  [[nodiscard]] EnetSequencedCounts sequenced_counts(std::uint32_t connection, unsigned sender) const;
  [[nodiscard]] std::uint64_t missing_unsequenced(std::uint32_t connection, unsigned sender) const;
  /// Returns the counts of both sides' reliable commands. The share of missing commands shows which share of the
  /// traffic was not captured.
  [[nodiscard]] EnetReliableCounts reliable_counts(std::uint32_t connection) const;
  /// True if a side acknowledges a command that was not captured. Considers the commands so far, from one time to
  /// another, inclusive.
  [[nodiscard]] bool has_acknowledged_uncaptured(std::uint32_t connection, unsigned sender, std::int64_t after,
                                                 std::int64_t until) const;

  /// Returns all transmissions so far, by position.
  [[nodiscard]] const EnetCommandLog<Transmission> &transmissions() const { return transmissions_; }
  /// Returns all acknowledgements with a match, by position.
  [[nodiscard]] const EnetCommandLog<AckMatch> &matches() const { return matches_; }

 private:
  /// One direction of a channel.
  struct Channel {
    std::uint16_t reliable_seq = 0;  ///< newest reliable sequence number; unreliable sequence numbers restart after it
    GapCounter unreliable;
    GapCounter reliable;
  };
  struct Connection {
    bool is_whole = false;
    bool has_sent[2] = {};
    std::uint16_t unreadable[2] = {};  ///< number of datagrams that could not be read completely
    std::int64_t last_heard[2] = {};
    EnetSequencedCounts ordered[2];  ///< summed over all channels
    GapCounter unsequenced[2];
    std::uint64_t reliable = 0;                ///< number of captured reliable commands, from both sides
    std::uint64_t missing_reliable_count = 0;  ///< number of missing reliable sequence numbers, from both sides
  };

  /// Returns the slot of a command's latest transmission, or a slot in which to store it. @param key from command_key()
  std::uint32_t &find_or_reserve_slot(std::uint64_t key);
  [[nodiscard]] Transmission *find_transmission(std::uint64_t key);
  void grow_slots();
  /// Returns the latest transmission of a command that an event at @p time may answer; null if there is none.
  Transmission *find_latest_transmission(std::uint64_t key, std::int64_t time);
  void count_reliable_command(Channel &channel, const ReliableCommand &command);
  AckMatch add_match(Transmission &transmission, EnetCommandPosition position, std::int64_t time,
                     bool is_sent_time_known);
  void record_arrival(const Transmission &arrived, std::int64_t time, bool is_sent_time_known);
  void record_uncaptured(const Acknowledgement &acknowledgement);
  [[nodiscard]] HeadOfLineTracker &order_of(std::uint32_t connection, unsigned sender, std::uint8_t channel) {
    return head_of_line_.try_emplace(channel_key(connection, sender, channel), memory_).first->second;
  }
  /// Calls a function with the tracker of each channel of a side. Not a subrange, because Clang 14 cannot compile it.
  template <typename Function>
  void for_each_order(std::uint32_t connection, unsigned sender, Function function) const {
    const auto end = head_of_line_.upper_bound(channel_key(connection, sender, enet_control_channel));
    for (auto order = head_of_line_.lower_bound(channel_key(connection, sender, 0)); order != end; ++order) {
      function(order->second);
    }
  }

  static std::uint64_t channel_key(std::uint32_t connection, unsigned sender, std::uint8_t channel);
  static std::uint64_t command_key(std::uint64_t channel, std::uint16_t seq) { return channel << 16 | seq; }
  static std::uint64_t key_of(const Transmission &transmission) {
    return command_key(channel_key(transmission.connection, transmission.sender, transmission.channel),
                       transmission.seq);
  }

  std::pmr::memory_resource *memory_;
  EnetCommandLog<Transmission> transmissions_;
  EnetCommandLog<AckMatch> matches_;
  std::pmr::deque<Connection> connections_;
  /// Hash table of latest transmissions. A slot contains the index of a transmission, from 1; 0 if the slot is unused.
  /// The size is a power of two.
  std::pmr::vector<std::uint32_t> slots_;
  std::size_t used_slots_ = 0;
  std::pmr::map<std::uint64_t, Channel> channels_;                ///< by channel_key()
  std::pmr::map<std::uint64_t, HeadOfLineTracker> head_of_line_;  ///< by channel_key(), without control channels
  /// By connection and side: the times of acknowledgements for commands that were not captured.
  std::pmr::map<std::uint64_t, std::pmr::vector<std::int64_t>> uncaptured_ack_times_;
  HeadOfLineTracker::Delays delays_;
};

}  // namespace godot_codec
