// SPDX-License-Identifier: MIT
/// @file
/// Detects a WebSocket if the capture lacks the beginning of its connection. Each frame's length must lead to the next
/// frame (RFC 6455, section 5.2), and the frames must contain messages of Godot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/detection/protocol_detection.h"
#include "godot-codec/stream/tcp_segment.h"
#include "godot-codec/stream/web_socket.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

/// Follows the frames in both directions of a TCP stream. Plain data: all zeros is the initial state.
class WebSocketFrameChain {
 public:
  /// Evaluates the next segment of a direction (0 or 1), in capture order.
  /// @returns true if the frames so far show a WebSocket of a game, and a frame begins with this segment
  bool add(unsigned direction, PacketPosition position, std::uint32_t seq, Bytes segment, const ReadOptions &options);
  /// True if the newest segments form an unbroken series of frames.
  [[nodiscard]] bool has_frames() const { return detection_.was_offered; }
  /// Returns the first segment of this series. If a frame was in several segments, returns the segment at which add()
  /// decided, because epan does not reassemble earlier segments on a later pass. Packet 0: none.
  [[nodiscard]] PacketPosition first_segment() const { return detection_.first_offered; }

 private:
  // One direction.
  struct DirectionState {
    TcpSequence frames;  // all bytes of the frames so far, including bytes that have not arrived yet
    // If the newest segment ends with a frame's header, as in Godot's frames: size and key of the frame's content.
    std::uint32_t awaited_bytes;
    WebSocketMaskingKey key;
  };

  bool follow_frames(unsigned direction, std::uint32_t seq, Bytes segment, const ReadOptions &options);
  bool read_frame(unsigned direction, Bytes rest, std::size_t &size, const ReadOptions &options);
  void read_awaited_content(unsigned direction, std::uint32_t seq, Bytes segment, const ReadOptions &options);
  void add_message_evidence(Bytes masked, const WebSocketMaskingKey &key, const ReadOptions &options);

  std::array<DirectionState, 2> sides_;
  ProtocolDetection<2> detection_;
  bool has_split_frame_;  // true if a frame was in several segments
};

/// True if a segment begins with a frame that Godot may send: an unfragmented binary frame, or a control frame.
[[nodiscard]] bool begins_with_likely_frame(Bytes segment);

/// Like begins_with_likely_frame(), but checks the first byte first, which is fast.
[[nodiscard]] inline bool may_begin_websocket_frame(Bytes segment) {
  return segment.captured > 0 && segment.data[0] >> 4U == 8 && begins_with_likely_frame(segment);
}

}  // namespace godot_codec
