// SPDX-License-Identifier: MIT
/// @file
/// Measures head-of-line blocking: how long reliable messages waited for earlier messages of their channel. A receiver
/// delivers the messages of a channel in order (ENet's enet_peer_dispatch_incoming_reliable_commands).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <unordered_map>

namespace godot_codec {

struct Transmission;

/// The part of a message that a reliable command contains.
enum class FragmentRole : std::uint8_t {
  whole,
  first,   ///< the first fragment
  middle,  ///< a fragment that is neither the first nor the last
  last,
};

/// Delays of the messages of a channel, or of all channels of a side.
struct EnetDelayStatistics {
  std::uint32_t messages = 0;           ///< number of messages that arrived
  std::uint32_t late_messages = 0;      ///< number of messages that waited for an earlier message
  std::uint32_t noticeable_delays = 0;  ///< number of messages that waited longer than noticeable_delay
  std::int64_t longest = 0;             ///< longest delay in nanoseconds

  void add(const EnetDelayStatistics &other) {
    messages += other.messages;
    late_messages += other.late_messages;
    noticeable_delays += other.noticeable_delays;
    longest = std::max(longest, other.longest);
  }
};

/// A fragmented message that never becomes complete, so it blocks all later messages of its channel.
struct EnetBlockage {
  const Transmission *fragment = nullptr;  ///< a waiting fragment of this message; null: none
  std::int64_t waiting_time = 0;           ///< how long this fragment has waited for earlier fragments, in nanoseconds
};

/// Maximum delay that a player does not notice, in nanoseconds.
inline constexpr std::int64_t noticeable_delay = 50'000'000;

/// Follows the reliable commands of one direction of a channel in the order of their arrival. The first acknowledgement
/// of a command shows when the command arrived.
///
/// Without an acknowledgement, a captured command possibly did not arrive, because a capture at the sender also
/// contains commands that are lost later. Each command takes time logarithmic in the number of out-of-order commands.
/// Only these commands, and commands that have waited, take memory.
class HeadOfLineTracker {
 public:
  /// How long messages waited, in nanoseconds, by the transmission that completed the message.
  using Delays = std::pmr::unordered_map<const Transmission *, std::int64_t>;

  explicit HeadOfLineTracker(std::pmr::memory_resource *memory) : waiting_commands_(memory) {}

  /// Processes a command that has arrived. Must be called once per command.
  /// @param is_whole true if the beginning of the connection was captured, so the first sequence number is 1
  /// @param transmission the transmission that arrived; its address must be stable
  /// @param now time at which the arrival became known, in nanoseconds
  /// @param delays gets the delays of the messages that become deliverable
  void on_arrival(bool is_whole, const Transmission &transmission, std::int64_t now, Delays &delays);

  /// Processes an acknowledgement of a command that was not captured. Ignores it if no earlier command has arrived.
  void on_uncaptured_arrival(std::uint16_t seq, std::int64_t now, Delays &delays);

  [[nodiscard]] const EnetDelayStatistics &statistics() const { return statistics_; }
  /// Returns the missing sequence number that later commands wait for; nullopt if no command waits.
  [[nodiscard]] std::optional<std::uint16_t> awaited_sequence_number() const;

  /// Returns the fragment that has waited longest for other fragments.
  [[nodiscard]] EnetBlockage find_blockage() const;

 private:
  [[nodiscard]] std::int64_t distance_from_next(std::uint16_t seq) const;
  void process_awaited(const Transmission *transmission, Delays &delays);
  void record_delay(Delays &delays);
  void process_waiting(std::int64_t now, Delays &delays);

  std::uint64_t next_ = 0;     // awaited sequence number, extended to 64 bits; the low 16 bits are ENet's. 0: none yet
  std::int64_t complete_ = 0;  // time at which all earlier commands had arrived
  bool is_complete_time_known_ = false;
  bool is_message_begin_time_known_ = false;
  std::int64_t message_begin_time_ = 0;   // value of complete_ when the message with next_ began
  const Transmission *newest_ = nullptr;  // newest fragment of this message; null: it began before the capture
  std::int64_t waiting_since_ = 0;        // time of the first sign that the oldest waiting command has arrived
  EnetDelayStatistics statistics_;
  std::pmr::map<std::uint64_t, const Transmission *> waiting_commands_;  // by sequence number; null: not captured
};

}  // namespace godot_codec
