// SPDX-License-Identifier: MIT
/// @file
/// Identifies the peers of a mesh by the signalling that connects them: JSON messages with session descriptions (SDP).
/// Neither WebRTC nor Godot defines the format of these messages. Supported formats: the sender's ID in "from", and the
/// format of Godot's demo (networking/webrtc_signaling), where the server writes the sender's ID into "id".
#pragma once

#include <cstdint>
#include <string_view>

namespace godot_codec {

/// One side of an ICE connection, and the peer on this side.
struct SignalledPeer {
  std::string_view user_fragment;  ///< ICE user fragment; empty: not in the text
  std::int32_t peer_id = 0;        ///< ID of the multiplayer peer; 0: not in the text
};

/// Reads the peer and its ICE user fragment from a signalling message.
/// @param text one WebSocket message
/// @param is_from_server true if the server sent the message
[[nodiscard]] SignalledPeer read_signalling(std::string_view text, bool is_from_server);

/// Returns the address of the first relay candidate in the text; empty if there is none.
[[nodiscard]] std::string_view find_relay_address(std::string_view text);

}  // namespace godot_codec
