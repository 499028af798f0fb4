// SPDX-License-Identifier: MIT
/// @file
/// A WebSocket of which the beginning is not in the capture, so that nothing says that it is one but its frames: each
/// length leads to the next frame, and what is inside is Godot's. After RFC 6455, section 5.2.
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

/// The two directions of a TCP stream. Plain data: zeros are the beginning.
class WebSocketChain {
 public:
  /// Takes the next segment of a direction, 0 or 1, in the order of the capture.
  /// @returns true where the frames so far tell that it is a WebSocket of Godot's, and a frame begins with this segment
  bool add(unsigned direction, PacketPosition moment, std::uint32_t seq, Bytes segment, const ReadOptions &options);
  /// True if a segment fits, and all segments since.
  [[nodiscard]] bool is_begun() const { return detection_.was_offered; }
  /// The first segment of which all that followed fits, and which begins with a frame; where add() has told, and a
  /// frame was in several segments, the one that told: epan puts no segments together on a later pass. Packet 0: none.
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

/// True if a segment begins with a frame that fills it or goes on behind it: binary and whole, or about the connection.
[[nodiscard]] bool begins_with_likely_frame(Bytes segment);

/// Asks begins_with_likely_frame() where the first byte says that a frame is a message's last, and no more: that takes
/// no time.
[[nodiscard]] inline bool may_begin_websocket_frame(Bytes segment) {
  return segment.captured > 0 && segment.data[0] >> 4U == 8 && begins_with_likely_frame(segment);
}

}  // namespace godot_codec
