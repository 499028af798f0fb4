// SPDX-License-Identifier: MIT
/// @file
/// Measures head-of-line blocking: how long reliable messages waited for earlier messages of their channel. A receiver
/// delivers the messages of a channel in order (ENet's enet_peer_dispatch_incoming_reliable_commands).
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
enum class FragmentRole : std::uint8_t {
  whole,
  first,   ///< the first fragment
  middle,  ///< a fragment that is neither the first nor the last
  last,
};

/// Delays of a side's messages, summed over all channels.
struct EnetDelayStatistics {
  std::uint32_t messages = 0;           ///< number of messages that arrived
  std::uint32_t late_messages = 0;      ///< number of messages that waited for an earlier message
  std::uint32_t noticeable_delays = 0;  ///< number of messages that waited longer than noticeable_delay
  std::int64_t longest = 0;             ///< longest delay in nanoseconds
};

/// A fragmented message that never becomes complete, so it blocks all later messages of its channel.
struct EnetBlockage {
  const Transmission *fragment = nullptr;  ///< a waiting fragment of this message; null: none
  std::int64_t waiting_time = 0;           ///< how long this fragment has waited for earlier fragments, in nanoseconds
};

/// Maximum delay that a player does not notice, in nanoseconds.
inline constexpr std::int64_t noticeable_delay = 50'000'000;

/// Follows the reliable commands of each channel in the order of their arrival. The first acknowledgement of a command
/// shows when the command arrived.
///
/// Without an acknowledgement, a captured command possibly did not arrive, because a capture at the sender also
/// contains commands that are lost later. Each command takes time logarithmic in the number of out-of-order commands.
/// Only these commands, and commands that have waited, take memory.
class HeadOfLineTracker {
 public:
  explicit HeadOfLineTracker(std::pmr::memory_resource *memory)
      : channels_(memory), waiting_commands_(memory), delays_(memory), statistics_by_side_(memory) {}

  /// Processes a command that has arrived. Must be called once per command.
  /// @param channel one direction of a channel of a connection
  /// @param is_whole true if the beginning of the connection was captured, so the first sequence number is 1
  /// @param transmission the transmission that arrived; its address must be stable
  /// @param now time at which the arrival became known, in nanoseconds
  void on_arrival(std::uint64_t channel, bool is_whole, const Transmission &transmission, std::int64_t now);

  /// Processes an acknowledgement of a command that was not captured. Ignores it if no earlier command of the channel
  /// was captured.
  void on_uncaptured_arrival(std::uint64_t channel, std::uint16_t seq, std::int64_t now);

  /// Returns the missing sequence number that later commands wait for; nullopt if no command waits.
  [[nodiscard]] std::optional<std::uint16_t> awaited_sequence_number(std::uint64_t channel) const;

  /// Returns how long a message waited for earlier messages, in nanoseconds; 0 if it did not wait, or if this is not
  /// known.
  /// @param transmission the transmission that completed the message
  [[nodiscard]] std::int64_t head_of_line_delay(const Transmission &transmission) const;
  /// Returns the delays of a side's messages. Final after all commands were processed.
  /// @param side the key of a channel without the channel's number
  [[nodiscard]] EnetDelayStatistics delay_statistics(std::uint64_t side) const;
  /// Returns the fragment of a side, on any channel, that has waited longest for other fragments.
  [[nodiscard]] EnetBlockage find_blockage(std::uint64_t side) const;

 private:
  struct Channel {
    std::uint64_t next = 0;     ///< awaited sequence number, extended to 64 bits; the low 16 bits are ENet's number
    std::int64_t complete = 0;  ///< time at which all earlier commands had arrived
    bool is_complete_time_known = false;
    std::int64_t message_begin_time = 0;  ///< value of `complete` when the message with `next` began
    bool is_message_begin_time_known = false;
    const Transmission *newest =
        nullptr;                     ///< newest fragment of this message; null: the message began before the capture
    std::int64_t waiting_since = 0;  ///< time of the first sign that the oldest waiting command has arrived
  };
  using WaitingCommands = std::pmr::map<std::pair<std::uint64_t, std::uint64_t>, const Transmission *>;

  void process_awaited(std::uint64_t key, Channel &channel, const Transmission &transmission);
  static void process_awaited_uncaptured(Channel &channel);
  void process_waiting(std::uint64_t key, Channel &channel, std::int64_t now);
  [[nodiscard]] WaitingCommands::iterator find_first_waiting(std::uint64_t key);

  std::pmr::map<std::uint64_t, Channel> channels_;
  WaitingCommands waiting_commands_;  ///< by channel and sequence number; null: not captured
  std::pmr::unordered_map<const Transmission *, std::int64_t> delays_;
  std::pmr::map<std::uint64_t, EnetDelayStatistics> statistics_by_side_;
};

}  // namespace godot_codec
