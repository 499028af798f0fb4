// SPDX-License-Identifier: MIT
/// @file
/// Detects a WebSocket whose beginning is not in the capture, by its frames (RFC 6455, section 5.2): each length leads
/// to the next frame, and the messages are Godot's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/detection/protocol_detection.h"
#include "godot-codec/stream/web_socket.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// The two directions of a TCP stream. Plain data: all zeros is the initial state.
class WebSocketChain {
 public:
  /// Evaluates the next segment of a direction, 0 or 1, in capture order.
  /// @returns true if the frames so far show a WebSocket of a game, and a frame begins with this segment
  bool add(unsigned direction, PacketPosition moment, std::uint32_t seq, Bytes segment, const ReadOptions &options);
  /// True if a segment fits, and all segments since.
  [[nodiscard]] bool is_begun() const { return detection_.was_offered; }
  /// The first segment of an unbroken series of frames. If a frame was in several segments, the one by which add()
  /// decided, because epan does not reassemble earlier segments on a later pass. Packet 0: none.
  [[nodiscard]] PacketPosition first() const { return detection_.first; }

 private:
  // One direction.
  struct Side {
    bool is_known;       // where the next frame begins
    std::uint32_t next;  // number of that frame's first byte
    // A frame whose header ends a segment, as Godot sends them: the bytes that follow, and their key.
    std::uint32_t awaited;
    WebSocketKey key;
  };

  bool follow(unsigned direction, std::uint32_t seq, Bytes segment, const ReadOptions &options);
  bool take_frame(unsigned direction, Bytes rest, std::size_t &size, const ReadOptions &options);
  void take_awaited(unsigned direction, std::uint32_t seq, Bytes segment, const ReadOptions &options);
  void weigh(Bytes masked, const WebSocketKey &key, const ReadOptions &options);

  std::array<Side, 2> sides_;
  ProtocolDetection<2> detection_;
  bool has_split_;  // a frame in several segments
};

/// True if a segment begins with a frame as Godot sends them: an unfragmented binary frame, or a control frame.
[[nodiscard]] bool begins_with_likely_frame(Bytes segment);

/// As begins_with_likely_frame(), with a cheap check of the first byte before.
[[nodiscard]] inline bool may_begin_websocket_frame(Bytes segment) {
  return segment.captured > 0 && segment.data[0] >> 4U == 8 && begins_with_likely_frame(segment);
}

}  // namespace godot_codec
