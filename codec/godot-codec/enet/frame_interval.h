// SPDX-License-Identifier: MIT
/// @file
/// A side's frames, as the beat of its datagrams shows them. Godot polls its connection once a frame: what it has to
/// say, acknowledgements included, goes out together, and the next not before the next frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/log.h"

namespace godot_codec {

/// An answer must come so much later than usual for a side to have stood still.
inline constexpr std::int64_t least_hitch = nanoseconds_per_second / 4;

/// A frame time that became known with a datagram of the side.
struct EnetFrameTime {
  EnetPlace place;
  std::int64_t time = 0;  ///< in nanoseconds
};

/// A side has stood still: it has said nothing while it was asked, and then answered what had come long before.
struct EnetHitch {
  EnetPlace place;           ///< the command that answers
  std::int64_t length = 0;   ///< from one of the side's datagrams to its next, in nanoseconds
  PacketPosition since;      ///< the former
  std::uint32_t count = 0;   ///< hitches of this side so far
  std::int64_t longest = 0;  ///< the longest of these
};

/// The time between a side's frames, from times at which it sends, and frames that took long. Its size does not
/// grow. Times are the capture's, in nanoseconds.
class FrameInterval {
 public:
  /// To be told of each datagram, in order.
  /// @returns the time between frames, in nanoseconds, as the datagrams since the last answer show it; nothing where
  /// these are too few, or come in no beat
  std::optional<std::int64_t> on_datagram(PacketPosition moment, std::int64_t time);

  /// To be told of each acknowledgement that the side gives to what it got at the first sending, after its datagram.
  /// @param round_trip_time from the sending to the acknowledgement
  /// @param usual what that usually is
  /// @returns the hitch that ends with it, if one does
  std::optional<EnetHitch> on_answer(EnetPlace place, std::int64_t time, std::int64_t round_trip_time,
                                     std::int64_t usual);

  /// The mean of all frame times so far, in nanoseconds; 0: there was none.
  [[nodiscard]] std::int64_t mean() const;

 private:
  static constexpr std::size_t most_intervals = 64;

  [[nodiscard]] std::optional<std::int64_t> frame_time();

  std::array<std::int64_t, most_intervals> intervals_{};
  std::size_t count_ = 0;
  std::int64_t elapsed_ = 0;  // all intervals
  PacketPosition last_in_;    // the newest datagram; packet 0: none
  std::int64_t last_ = 0;
  std::uint32_t answers_ = 0;  // in the time of the intervals
  std::int64_t soonest_answer_ = 0;
  std::int64_t latest_answer_ = 0;
  PacketPosition pause_since_;  // before the newest long silence that is not told; packet 0: none
  std::int64_t pause_begin_ = 0;
  std::int64_t pause_end_ = 0;
  std::uint32_t hitches_ = 0;
  std::int64_t longest_hitch_ = 0;
  double sum_ = 0;  // frame times added up
  std::uint32_t frame_times_ = 0;
};

}  // namespace godot_codec
