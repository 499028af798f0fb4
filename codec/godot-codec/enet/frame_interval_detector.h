// SPDX-License-Identifier: MIT
/// @file
/// Detects a side's frame interval from the times of its datagrams. Godot polls its connection once per game frame. It
/// sends all commands at once, including acknowledgements, and then sends nothing until the next game frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/command_log.h"

namespace godot_codec {

/// Minimum extra delay of an answer that shows a stall, in nanoseconds.
inline constexpr std::int64_t min_stall = nanoseconds_per_second / 4;

/// A frame interval, and the side's datagram that shows it.
struct EnetFrameIntervalRecord {
  EnetCommandPosition position;
  std::int64_t time = 0;  ///< in nanoseconds
};

/// A stall of a side: the side sent nothing although it had datagrams to answer, and answered them much later.
struct EnetStall {
  EnetCommandPosition position;       ///< the command that answers
  std::int64_t duration = 0;          ///< from the side's last datagram before the stall to its next datagram, in
                                      ///< nanoseconds
  PacketPosition since;               ///< the last datagram before the stall
  std::uint32_t count = 0;            ///< number of stalls of this side so far
  std::int64_t longest_duration = 0;  ///< longest of these stalls, in nanoseconds
};

/// Detects the frame interval and the stalls of a side from the times of its datagrams. Has a constant size. All times
/// are capture times in nanoseconds.
class FrameIntervalDetector {
 public:
  /// Adds a datagram. Must be called for each datagram, in capture order.
  /// @returns the frame interval in nanoseconds, if the datagrams since the last result show an interval; nullopt if
  /// there are too few datagrams, or if they are not periodic
  std::optional<std::int64_t> on_datagram(PacketPosition position, std::int64_t time);

  /// Adds an acknowledgement of a command's first transmission. Must be called after on_datagram() for the same
  /// datagram.
  /// @param round_trip_time from the transmission to the acknowledgement
  /// @param usual the usual round-trip time
  /// @returns the stall that ends with this acknowledgement; nullopt if there is none
  std::optional<EnetStall> on_acknowledgement(EnetCommandPosition position, std::int64_t time,
                                              std::int64_t round_trip_time, std::int64_t usual);

  /// Returns the mean of all frame intervals so far, in nanoseconds; 0 if there are none.
  [[nodiscard]] std::int64_t mean() const;

 private:
  static constexpr std::size_t max_intervals = 64;

  [[nodiscard]] std::optional<std::int64_t> find_frame_interval();

  std::array<std::int64_t, max_intervals> intervals_{};
  std::size_t count_ = 0;
  std::int64_t intervals_sum_ = 0;  // sum of the intervals
  PacketPosition last_position_;    // newest datagram; packet 0: none
  std::int64_t last_time_ = 0;
  std::uint32_t answer_count_ = 0;  // number of acknowledgements during the intervals
  std::int64_t shortest_round_trip_ = 0;
  std::int64_t longest_round_trip_ = 0;
  PacketPosition pause_position_;  // last datagram before the newest pause that was not reported yet; packet 0: none
  std::int64_t pause_begin_ = 0;
  std::int64_t pause_end_ = 0;
  std::uint32_t stall_count_ = 0;
  std::int64_t longest_stall_ = 0;
  double frame_intervals_sum_ = 0;  // sum of the frame intervals
  std::uint32_t frame_interval_count_ = 0;
};

}  // namespace godot_codec
