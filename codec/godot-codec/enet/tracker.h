// SPDX-License-Identifier: MIT
/// @file
/// Which acknowledgement answers which command, what was sent again, and what was lost: one ENet connection, followed
/// from packet to packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "godot-codec/core/moment.h"

namespace godot_codec {

/// One of a connection's two ends.
enum class Side : std::uint8_t { first, second };

inline constexpr std::size_t side_count = 2;

[[nodiscard]] constexpr Side other_side(Side side) { return side == Side::first ? Side::second : Side::first; }

/// A command is unacknowledged if its receiver was heard so much later. ENet asks at least once in this time.
inline constexpr std::int64_t unacknowledged_after = 5 * nanoseconds_per_second;
/// ENet gives a peer up 30 seconds after the first command that it leaves unanswered (ENET_PEER_TIMEOUT_MAXIMUM),
/// unless the game wants otherwise: what comes later than this belongs to another command of the same number.
inline constexpr std::int64_t longest_wait = 60 * nanoseconds_per_second;

/// A command that asks for an acknowledgement, as captured.
struct ReliableCommand {
  Side sender = Side::first;
  std::uint8_t channel = 0;
  std::uint16_t seq = 0;        ///< reliable sequence number
  std::uint16_t sent_time = 0;  ///< of the datagram
  std::uint32_t frame = 0;
  std::int64_t time = 0;  ///< of the capture, in nanoseconds
};

/// An acknowledge command, as captured.
struct Acknowledgement {
  Side sender = Side::first;
  std::uint8_t channel = 0;
  std::uint16_t seq = 0;        ///< the acknowledged number
  std::uint16_t sent_time = 0;  ///< as the acknowledged datagram had it
  std::uint32_t frame = 0;
  std::int64_t time = 0;
};

/// One transmission of a reliable command. Its address stays; acknowledgements fill it in later.
struct Transmission {
  ReliableCommand command;
  Transmission *previous = nullptr;  ///< the captured transmission of the same command before this one
  Transmission *original = nullptr;  ///< the first captured one; of that, itself
  std::uint32_t acked_in = 0;        ///< frame that first acknowledges this transmission; 0: none does
  bool is_command_acked = false;     ///< of the original: some transmission of the command is acknowledged
  std::size_t life = 0;              ///< how often the connection had been reset

  [[nodiscard]] bool is_retransmission() const { return previous != nullptr; }
};

/// What an acknowledgement answers.
struct AckMatch {
  const Transmission *transmission = nullptr;  ///< nullptr: none that was captured
  std::int64_t round_trip_time = 0;            ///< from the transmission to the acknowledgement, in nanoseconds
  bool is_sent_time_known =
      false;  ///< the transmission has the sent time that is acknowledged; else the latest is taken
};

/// Counts what is missing of 16-bit numbers that rise by one, wrap, and may arrive out of order.
class GapCounter {
 public:
  /// The next number should be the one behind @p number. What was missing so far stays so.
  void start_behind(std::uint16_t number);
  /// @returns how many numbers were passed over to come to this one
  std::uint32_t add(std::uint16_t number);
  [[nodiscard]] bool has_begun() const { return has_begun_; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }

 private:
  std::uint64_t missing_ = 0;
  std::uint64_t seen_ = 0;  ///< bit i: the number i below the highest
  std::uint16_t highest_ = 0;
  bool has_begun_ = false;
};

/// Follows one connection. To be fed once, in the order of the capture.
///
/// Every reliable command fed takes memory until the tracker is destroyed, since entries keep their addresses; there
/// is never more than one lookup entry for a side, channel and number.
class AckTracker {
 public:
  /// A new connection of the same two ends: numbers begin anew. To be called for a connect command whose connect id
  /// is not that of the connection so far. Transmissions stay, but nothing acknowledges them any more.
  void reset();

  /// A datagram of a side was captured. The calls below do not imply it.
  void on_datagram(Side sender, std::int64_t time);
  /// A command with the acknowledge flag.
  const Transmission &on_reliable(const ReliableCommand &command);
  AckMatch on_acknowledge(const Acknowledgement &acknowledgement);
  /// A verify connect, which answers the connect: that gets no acknowledge command (ENet's
  /// enet_protocol_handle_verify_connect). It is a reliable command itself, too.
  AckMatch on_verify_connect(Side sender, std::uint32_t frame, std::int64_t time);
  /// A send unreliable, or a fragment of one with its start sequence number.
  /// @param reliable_seq of the command's header: unreliable numbers begin at 1 behind each reliable command
  /// @returns how many numbers were passed over: lost, late, or dropped by the sender's own throttle
  std::uint32_t on_unreliable(Side sender, std::uint8_t channel, std::uint16_t reliable_seq,
                              std::uint16_t unreliable_seq);
  std::uint32_t on_unsequenced(Side sender, std::uint16_t group);

  /// Whether no transmission of the command is acknowledged, though the receiver was heard long after this one.
  /// Certain only when everything has been fed.
  [[nodiscard]] bool is_unacknowledged(const Transmission &transmission) const;
  /// Unreliable numbers that never came, of all channels.
  [[nodiscard]] std::uint64_t missing_unreliable(Side sender) const;
  [[nodiscard]] std::uint64_t missing_unreliable(Side sender, std::uint8_t channel) const;
  [[nodiscard]] std::uint64_t missing_unsequenced(Side sender) const;

 private:
  /// One direction of a channel.
  struct Channel {
    bool has_reliable = false;
    std::uint16_t highest_seq = 0;   ///< reliable number, allowing for wraps
    std::uint16_t reliable_seq = 0;  ///< behind which the unreliable numbers are counted
    GapCounter unreliable;
  };
  struct Life {
    bool is_heard[side_count] = {};
    std::int64_t last_heard[side_count] = {};
  };

  /// The latest transmission of a command that something at @p time may answer; nullptr if there is none.
  Transmission *find_latest(Side sender, std::uint8_t channel, std::uint16_t seq, std::int64_t time) const;

  static std::uint32_t channel_key(Side sender, std::uint8_t channel);
  static std::uint32_t command_key(Side sender, std::uint8_t channel, std::uint16_t seq);

  std::deque<Transmission> transmissions_;  ///< a deque: addresses stay
  std::deque<Life> lives_{1};
  std::unordered_map<std::uint32_t, Transmission *> latest_;
  std::unordered_map<std::uint32_t, Channel> channels_;
  GapCounter unsequenced_[side_count];
};

}  // namespace godot_codec
