// SPDX-License-Identifier: MIT
/// @file
/// Identifies the peers of a mesh by the signalling that connects them: JSON messages with session descriptions (SDP).
/// Neither WebRTC nor Godot defines their format. Supported are messages with the sender's ID in "from", and those of
/// Godot's demo (networking/webrtc_signaling): its server writes the sender's ID into "id".
#pragma once

#include <cstdint>
#include <string_view>

namespace godot_codec {

/// One end of an ICE connection, and the peer that it belongs to.
struct SignalledEnd {
  std::string_view fragment;  ///< ICE user fragment; empty: not in the text
  std::int32_t peer = 0;      ///< ID of the multiplayer peer; 0: not in the text
};

/// @param text one WebSocket message
/// @param is_from_server direction of its frame
[[nodiscard]] SignalledEnd read_signalling(std::string_view text, bool is_from_server);

/// Returns the address of the first relay candidate in the text; empty if there is none.
[[nodiscard]] std::string_view read_signalled_relay(std::string_view text);

}  // namespace godot_codec
