// SPDX-License-Identifier: MIT
/// @file
/// Detects a side's frame interval from the times of its datagrams. Godot polls its connection once per frame: it sends
/// everything at once, including acknowledgements, and sends nothing until the next frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/log.h"

namespace godot_codec {

/// Minimum extra delay of an answer for a stall, in nanoseconds.
inline constexpr std::int64_t min_stall = nanoseconds_per_second / 4;

/// A frame interval that a datagram of the side shows.
struct EnetFrameTime {
  EnetCommandPosition position;
  std::int64_t time = 0;  ///< in nanoseconds
};

/// A stall: a side sent nothing although it had datagrams to answer, and then answered datagrams that had arrived long
/// before.
struct EnetStall {
  EnetCommandPosition position;  ///< the command that answers
  std::int64_t length = 0;       ///< from the side's last datagram before the stall to its next, in nanoseconds
  PacketPosition since;          ///< the last datagram before the stall
  std::uint32_t count = 0;       ///< number of stalls of this side so far
  std::int64_t longest = 0;      ///< longest of these stalls, in nanoseconds
};

/// Detects the frame interval and the stalls of a side from the times of its datagrams. Its size is constant. All times
/// are capture times in nanoseconds.
class FrameInterval {
 public:
  /// Adds a datagram. Call for each one, in order.
  /// @returns the frame interval in nanoseconds, if the datagrams since the last result show one; nullopt if there are
  /// too few, or if they are not periodic
  std::optional<std::int64_t> on_datagram(PacketPosition position, std::int64_t time);

  /// Adds an acknowledgement of a command's first transmission. Call after on_datagram() for its datagram.
  /// @param round_trip_time from the transmission to the acknowledgement
  /// @param usual the usual round-trip time
  /// @returns the stall that ends with this acknowledgement, if there is one
  std::optional<EnetStall> on_answer(EnetCommandPosition position, std::int64_t time, std::int64_t round_trip_time,
                                     std::int64_t usual);

  /// Returns the mean of all frame intervals so far, in nanoseconds; 0 if there are none.
  [[nodiscard]] std::int64_t mean() const;

 private:
  static constexpr std::size_t max_intervals = 64;

  [[nodiscard]] std::optional<std::int64_t> frame_time();

  std::array<std::int64_t, max_intervals> intervals_{};
  std::size_t count_ = 0;
  std::int64_t elapsed_ = 0;  // sum of the intervals
  PacketPosition last_in_;    // newest datagram; packet 0: none
  std::int64_t last_ = 0;
  std::uint32_t answers_ = 0;  // number of acknowledgements during the intervals
  std::int64_t soonest_answer_ = 0;
  std::int64_t latest_answer_ = 0;
  PacketPosition pause_since_;  // last datagram before the newest pause that was not reported; packet 0: none
  std::int64_t pause_begin_ = 0;
  std::int64_t pause_end_ = 0;
  std::uint32_t stalls_ = 0;
  std::int64_t longest_stall_ = 0;
  double sum_ = 0;  // sum of the frame intervals
  std::uint32_t frame_times_ = 0;
};

}  // namespace godot_codec
