// SPDX-License-Identifier: MIT
/// @file
/// Measures head-of-line blocking: how long reliable messages waited for earlier ones of their channel. A receiver
/// delivers them in order (ENet's enet_peer_dispatch_incoming_reliable_commands).
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <utility>

namespace godot_codec {

struct Transmission;

/// The part of a message that a reliable command contains.
enum class MessagePart : std::uint8_t {
  whole,
  first,   ///< the first fragment
  middle,  ///< a fragment that is neither the first nor the last
  last,
};

/// Delays of a side's messages, for all channels.
struct EnetDelays {
  std::uint32_t messages = 0;    ///< number of messages that arrived
  std::uint32_t late = 0;        ///< number of messages that waited for an earlier one
  std::uint32_t noticeable = 0;  ///< number of these that waited longer than noticeable_delay
  std::int64_t longest = 0;      ///< longest delay in nanoseconds
};

/// A fragmented message that never becomes complete, and thus blocks all later messages of its channel.
struct EnetBlockage {
  const Transmission *fragment = nullptr;  ///< a fragment that waits; nullptr: none
  std::int64_t time = 0;                   ///< how long it has waited for earlier fragments, in nanoseconds
};

/// Maximum delay that a player does not notice, in nanoseconds.
inline constexpr std::int64_t noticeable_delay = 50'000'000;

/// Follows the reliable commands of each channel, in the order in which the receiver got them. The first
/// acknowledgement of a command shows when it arrived.
///
/// A captured command without an acknowledgement may not have arrived, because a capture at the sender contains
/// commands that are lost later. Each command takes time logarithmic in the number of out-of-order commands. Only these
/// commands, and commands that have waited, take memory.
class HeadOfLineTracker {
 public:
  explicit HeadOfLineTracker(std::pmr::memory_resource *memory)
      : channels_(memory), waiting_(memory), delays_(memory), sides_(memory) {}

  /// Processes a command that has arrived. Call once for each command.
  /// @param channel one direction of a channel of a connection
  /// @param is_whole true if the beginning of the connection was captured, so that the first number is 1
  /// @param transmission the one that arrived; its address must be stable
  /// @param now time at which the arrival became known, in nanoseconds
  void on_arrival(std::uint64_t channel, bool is_whole, const Transmission &transmission, std::int64_t now);

  /// Processes an acknowledgement of a command that was not captured. It is ignored if no command of the channel was
  /// captured before.
  void on_uncaptured_arrival(std::uint64_t channel, std::uint16_t seq, std::int64_t now);

  /// Returns the missing number for which later commands wait; nullopt if none wait.
  [[nodiscard]] std::optional<std::uint16_t> awaited(std::uint64_t channel) const;

  /// Returns how long a message waited for earlier ones, in nanoseconds; 0 if it did not wait, or if that is not known.
  /// @param transmission the one that completed the message
  [[nodiscard]] std::int64_t delay(const Transmission &transmission) const;
  /// Returns the delays of a side's messages. Final once all commands have been processed. @param side the key of
  /// a channel without the number of the channel
  [[nodiscard]] EnetDelays delays(std::uint64_t side) const;
  /// Returns the fragment that has waited longest for others, of all channels of a side.
  [[nodiscard]] EnetBlockage blockage(std::uint64_t side) const;

 private:
  struct Channel {
    std::uint64_t next = 0;     ///< the awaited number; its low 16 bits are ENet's number
    std::int64_t complete = 0;  ///< when all numbers before it had arrived
    bool is_complete_known = false;
    std::int64_t message_from = 0;  ///< value of `complete` when the message that contains `next` began
    bool is_message_from_known = false;
    const Transmission *newest =
        nullptr;                     ///< newest fragment of that message; nullptr: the message began before the capture
    std::int64_t waiting_since = 0;  ///< time at which the arrival of the oldest waiting command became known
  };
  using Waiting = std::pmr::map<std::pair<std::uint64_t, std::uint64_t>, const Transmission *>;

  void pass(std::uint64_t key, Channel &channel, const Transmission &transmission);
  static void pass_uncaptured(Channel &channel);
  void pass_waiting(std::uint64_t key, Channel &channel, std::int64_t now);
  [[nodiscard]] Waiting::iterator first_waiting(std::uint64_t key);

  std::pmr::map<std::uint64_t, Channel> channels_;
  Waiting waiting_;  ///< by channel and number; null: not captured
  std::pmr::unordered_map<const Transmission *, std::int64_t> delays_;
  std::pmr::map<std::uint64_t, EnetDelays> sides_;
};

}  // namespace godot_codec
